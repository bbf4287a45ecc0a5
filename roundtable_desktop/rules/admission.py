"""The gates: may this agent be woken now, and is this wakeup still wanted (C-98)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, AgentStatus, TaskStatus, WakeupOutcome
from roundtable_desktop.model.verdicts import Answer, Cancel, Finish, Go, Hold
from roundtable_desktop.rules import accounts

RETRY_STALE_ASSIGNEE = "retry_stale_assignee"
RETRY_TASK_CANCELLED = "retry_task_cancelled"
OF_RETRIES = (RETRY_STALE_ASSIGNEE, RETRY_TASK_CANCELLED)

MISSION_STOPPED = "mission_stopped"
MISSION_PAUSED = "mission_paused"
STOPPED_MISSIONS = (MissionState.DRAINING, MissionState.STOPPING, MissionState.STOPPED)
"""What belongs to these is not started any more. One that ended by itself may be asked more."""

CONTENDED = timedelta(seconds=60)
"""How long the loser of a task's lease waits, without spending a retry (C-11)."""

BLOCKED = timedelta(days=1)
"""After so long a hold for blockers is looked at again, though nothing told of their end."""

QUICK = timedelta(seconds=2)
"""An agent whose last runs failed as fast as this rests as long between them, whatever its cooldown
is (F-44)."""
QUICK_ENDS = 3
"""So many of them in a row."""

_SETTLED_BY_STATUS = {
    AgentStatus.PAUSED: WakeupOutcome.AGENT_PAUSED,
    AgentStatus.STOPPED: WakeupOutcome.AGENT_STOPPED,
    AgentStatus.RETIRED: WakeupOutcome.AGENT_STOPPED,
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the gates before the claim need of one queued wakeup and its agent. stands: why the
    owner takes nothing up now, whoever is to be woken (`View.stands`)."""

    agent: Agent
    claimed: int
    by_person: bool
    scheduled_retry_at: datetime | None
    held_by: str | None
    intake_open: bool = True
    holds: Sequence[ProviderHold] = ()
    stands: str | None = None


def cooled_at(agent: Agent) -> datetime | None:
    """When its cooldown ends; None when it has never been woken (K-42)."""
    last = agent.last_wakeup_finished_at
    return None if last is None else last + timedelta(seconds=agent.cooldown_sec)


def rests_until(agent: Agent, lasted: Sequence[timedelta | None], now: datetime) -> datetime:
    """What the cooldown is to count from at the end of a run. lasted: how long its last runs took
    that failed, newest first, None for one that did well."""
    quick = [one is not None and one < QUICK for one in lasted]
    more = QUICK - timedelta(seconds=agent.cooldown_sec)
    return now + max(more, timedelta(0)) if len(quick) >= QUICK_ENDS and all(quick) else now


def rested(agent: Agent, now: datetime) -> bool:
    """Else only what a person asks for is taken up; of an agent that may not run all is settled."""
    ends = cooled_at(agent)
    return agent.status is not AgentStatus.ACTIVE or ends is None or ends <= now


def before_claim(waiting: Waiting, now: datetime) -> list[tuple[str, Answer]]:
    """Each gate before the claim with its answer, in order; the claim is one SQL statement with
    the same conditions, and a test holds the two together."""
    owner: list[tuple[str, Answer]] = []
    if waiting.stands is not None:
        owner.append(("owner", Hold(waiting.stands, now, {"form": waiting.stands})))
    return [
        *owner,
        ("intake", _intake(waiting, now)),
        ("scheduled_retry", _scheduled(waiting, now)),
        *([] if waiting.agent.status is not AgentStatus.ACTIVE else _of_active(waiting, now)),
    ]


def _of_active(waiting: Waiting, now: datetime) -> list[tuple[str, Answer]]:
    return [
        ("account", accounts.free(waiting.holds, now)),
        ("cooldown", _cooldown(waiting, now)),
        ("capacity", _capacity(waiting, now)),
    ]


def _intake(waiting: Waiting, now: datetime) -> Answer:
    """Before all else: what a person stopped stays stopped until they resume it (C-22)."""
    return Go() if waiting.intake_open else Hold("intake", now)


def _scheduled(waiting: Waiting, now: datetime) -> Answer:
    due = waiting.scheduled_retry_at
    if due is not None and due > now:
        return Hold(waiting.held_by or "retry", due)
    return Go()


def _cooldown(waiting: Waiting, now: datetime) -> Answer:
    ends = cooled_at(waiting.agent)
    detail: dict[str, object] = {"cooldown_sec": waiting.agent.cooldown_sec}
    if ends is None or ends <= now or waiting.by_person:
        return Go(detail)
    own = waiting.agent.cooldown_sec
    rests = max(own, min(QUICK.seconds, ceil((ends - now).total_seconds())))
    return Hold("cooldown", ends, {"cooldown_sec": rests})


def _capacity(waiting: Waiting, now: datetime) -> Answer:
    most = waiting.agent.max_concurrent_sessions
    detail: dict[str, object] = {"live": waiting.claimed, "most": most}
    return Go(detail) if waiting.claimed < most else Hold("capacity", now, detail)


def agent_status(agent: Agent) -> Answer:
    """K-40: a paused agent's wakeup is finished, and comes back when it is resumed (C-10)."""
    outcome = _SETTLED_BY_STATUS.get(agent.status)
    detail: dict[str, object] = {"status": str(agent.status)}
    return Go(detail) if outcome is None else Finish(outcome, detail)


def staleness(agent_id: str, task_id: str | None, task: Task | None, *, by_person: bool) -> Answer:
    """K-29: is what the wakeup is about still this agent's and still open.

    by_person: the person may wake any agent for a task, also one that is not its assignee.
    """
    if task_id is None:
        return Go()
    if task is None:
        return Cancel("task_not_found", {"task_id": task_id})
    if task.status in TERMINAL_TASKS:
        return Cancel("task_terminal", {"task_id": task_id, "status": str(task.status)})
    if task.assignee_agent_id != agent_id and not by_person:
        return Cancel("assignee_changed", {"task_id": task_id, "now": task.assignee_agent_id})
    return Go({"status": str(task.status)})


def of_retry(answer: Answer) -> Answer:
    """K-30: a retry is looked at again before it runs, and its end has words of its own."""
    match answer:
        case Cancel("assignee_changed", detail):
            return Cancel(RETRY_STALE_ASSIGNEE, detail)
        case Cancel("task_terminal", detail) if detail["status"] == TaskStatus.CANCELLED:
            return Cancel(RETRY_TASK_CANCELLED, detail)
    return answer


def mission(state: MissionState | None, now: datetime) -> Answer:
    """state: of the mission that the wake belongs to; None: of none. The time only bounds how long
    a hold stands that no resume ends (W-17, W-28)."""
    if state is None:
        return Go({"form": "none"})
    if state is MissionState.PAUSED_INTAKE:
        return Hold(MISSION_PAUSED, now + BLOCKED, {"state": str(state)})
    if state in STOPPED_MISSIONS:
        return Cancel(MISSION_STOPPED, {"state": str(state)})
    return Go({"state": str(state)})


def blockers(waiting_for: Sequence[str], now: datetime) -> Answer:
    """K-53: held until the tasks that it waits for are done. They release it when they are; the
    time only bounds how long a hold stands that nobody looks at."""
    if not waiting_for:
        return Go()
    return Hold("blockers", now + BLOCKED, {"tasks": list(waiting_for)})


def task_lease(holder: str | None, now: datetime) -> Answer:
    """One run at a time works on a task; the loser waits and is not dropped (K-41, C-11)."""
    if holder is None:
        return Go()
    return Hold("checkout_contended", now + CONTENDED, {"run_id": holder})

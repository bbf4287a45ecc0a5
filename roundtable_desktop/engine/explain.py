"""Why a wakeup ran, waits or was refused, from the same rules that decide (N-03)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from roundtable_desktop.engine import explain_attempts, explain_gates, straying
from roundtable_desktop.engine.calling_off import OVER_BUDGET
from roundtable_desktop.engine.pipeline import decision
from roundtable_desktop.engine.steps import asks_for_more
from roundtable_desktop.model.missions import PLANNING, MissionState
from roundtable_desktop.model.records import BY_PERSON, Run, Task, Wakeup
from roundtable_desktop.model.states import (
    DeliveryStatus,
    ErrorKind,
    RunOutcome,
    RunStatus,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.model.verdicts import Answer, Explanation, Finish, Go, Hold
from roundtable_desktop.rules.admission import (
    Waiting,
    agent_status,
    before_claim,
    blockers,
    mission,
    rested,
    staleness,
)
from roundtable_desktop.store import (
    agents,
    approvals,
    claims,
    dependencies,
    holds,
    mission_work,
    proposals,
    runs,
    settings,
    tasks,
    wakeups,
)
from roundtable_desktop.store.db import View

NOT_STARTED = (ErrorKind.CLI_MISSING, ErrorKind.CLI_OUTDATED, ErrorKind.SPAWN_FAILED)


def of_wakeup(view: View, wakeup: Wakeup, now: datetime) -> Explanation:
    kept = list(wakeup.decisions)
    if wakeup.status is WakeupStatus.QUEUED:
        return _waiting(view, wakeup, now, kept)
    values: dict[str, object] = {
        "agent_id": wakeup.agent_id,
        "reason": wakeup.cancel_reason,
        "into": wakeup.coalesced_into,
        "setbacks": wakeup.setbacks,
    }
    code = f"wakeup_{wakeup.outcome or wakeup.status}"
    if wakeup.outcome is WakeupOutcome.BUDGET_BLOCKED:
        values |= {"budget": _budget_of(kept)}
    run = runs.get(view, wakeup.run_id) if wakeup.run_id else None
    if run is not None and run.waiting_since is not None:
        code = "waits_for_person"
    return Explanation(code, values, kept, wakeup.id, wakeup.run_id)


def _budget_of(kept: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """What its gate found: a reason with values of its own."""
    detail = kept[-1]["detail"] if kept else None
    return {"code": "budget_full", **detail} if isinstance(detail, dict) else {}


def _waiting(
    view: View, wakeup: Wakeup, now: datetime, kept: list[Mapping[str, object]]
) -> Explanation:
    agent = agents.get(view, wakeup.agent_id)
    assert agent is not None, "foreign keys hold"
    facts = Waiting(
        agent=agent,
        claimed=wakeups.claimed_by(view, agent.id),
        by_person=wakeup.source is Source.USER,
        scheduled_retry_at=wakeup.scheduled_retry_at,
        held_by=wakeup.held_by,
        intake_open=settings.of_home(view).intake == "open",
        holds=holds.of_agent(view, agent),
        stands=view.stands,
    )
    gates: list[Mapping[str, object]] = []
    waiting_for = _comes_first(view, wakeup)
    own = [("blockers", blockers(waiting_for, now))] if wakeup.task_id else []
    standing = mission(mission_work.state_of(view, wakeup.about), now)
    if isinstance(standing, Hold):
        own.insert(0, ("mission_standing", standing))
    for gate, answer in [*_before_claim(facts, now), *own]:
        gates.append(decision(gate, answer, rfc3339(now)))
        if isinstance(answer, Finish):
            values = {"agent": agent.name, "retries": wakeup.retry_count}
            return Explanation(f"waits_agent_{agent.status}", values, [*kept, *gates], wakeup.id)
        if not isinstance(answer, Go):
            detail = gates[-1]["detail"]
            assert isinstance(detail, dict)
            values = {
                "agent": agent.name,
                "retries": wakeup.retry_count,
                "tasks": waiting_for,
                **detail,
            }
            held_by = str(detail["held_by"])
            return Explanation(f"waits_{held_by}", values, [*kept, *gates], wakeup.id)
    only_persons = facts.by_person and not rested(agent, now)
    first = claims.first_of(view, agent.id, by_person=only_persons)
    code = "waits_turn" if first in (wakeup.id, None) else "waits_order"
    return Explanation(code, {"agent": agent.name}, [*kept, *gates], wakeup.id)


def _comes_first(view: View, wakeup: Wakeup) -> list[str]:
    """What it will wait for when it is taken up; nothing where it is not wanted any more, for
    that is found first."""
    task = tasks.get(view, wakeup.task_id) if wakeup.task_id else None
    if task is None or task.workspace_id != wakeup.workspace_id:
        return []
    by_person = wakeup.source is Source.USER
    wanted = staleness(wakeup.agent_id, task.id, task, by_person=by_person)
    opened = not isinstance(wanted, Go) and asks_for_more(view, wakeup, task)
    return _numbers(view, task.id) if isinstance(wanted, Go) or opened else []


def _numbers(view: View, task_id: str | None) -> list[str]:
    """T-3, T-4: what the task waits for."""
    return dependencies.numbers(dependencies.waiting_for(view, task_id)) if task_id else []


def _before_claim(facts: Waiting, now: datetime) -> list[tuple[str, Answer]]:
    """A wakeup of an agent that may not run is not tried at its time, and only settled then."""
    gates = before_claim(facts, now)
    place = [gate for gate, _ in gates].index("intake") + 1
    return [*gates[:place], ("agent_status", agent_status(facts.agent)), *gates[place:]]


def of_run(view: View, run: Run, now: datetime) -> Explanation:
    """The run's end, and the decisions that let it start."""
    wakeup = wakeups.get(view, run.wakeup_id)
    assert wakeup is not None, "foreign keys hold"
    values: dict[str, object] = {
        "outcome": run.outcome,
        "error_kind": run.error_kind,
        "exit_code": run.exit_code,
        "attempt": run.attempt_index,
        "left": run.left_commit,
        "model": run.model,
        "model_from": run.model_from,
        "silence": _silence(run),
    }
    later = of_wakeup(view, wakeup, now)
    gates = list(wakeup.decisions)
    return Explanation(_end_of(run), values, gates, wakeup.id, run.id, (later,))


def _silence(run: Run) -> str:
    """For how long nothing came, of a run that was ended for that; "" for others."""
    end = (run.ended or {}).get("end")
    seconds = end.get("silence") if isinstance(end, dict) else None
    if not isinstance(seconds, int | float):
        return ""
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def _end_of(run: Run) -> str:
    if run.outcome is RunOutcome.INTERRUPTED and OVER_BUDGET in (run.ended or {}):
        return "run_over_budget"
    if run.outcome is RunOutcome.TIMED_OUT and _silence(run):
        return "run_silent"
    if run.outcome is RunOutcome.NO_RESULT:
        unfit = "unreadable" in run.result_json
        changes = "_changes" if run.status is RunStatus.FINISHED else ""
        return f"run_{'report_unfit' if unfit else 'no_result'}{changes}"
    if run.outcome is RunOutcome.CRASHED and run.error_kind == ErrorKind.AUTH_REQUIRED:
        return "run_not_logged_in"
    if run.error_kind == ErrorKind.MODEL_UNAVAILABLE:
        return "run_no_model"
    if run.error_kind == ErrorKind.NETWORK:
        return "run_no_network"
    if run.outcome is RunOutcome.CRASHED and run.error_kind in NOT_STARTED:
        return "run_not_started" if run.exit_code is None else "run_uncollected"
    if run.outcome is RunOutcome.DONE and run.left_commit:
        return "run_left"
    return f"run_{run.outcome or run.status}"


def of_task(view: View, task: Task, now: datetime) -> Explanation:
    """What will happen next with it, or why nothing will."""
    blocked = dict(task.blocked or {})
    delivery = _last_delivery(view, task)
    waiting_for = _numbers(view, task.id)
    values: dict[str, object] = {
        "number": task.number,
        "tasks": waiting_for,
        **blocked,
        **delivery,
    }
    values.update(_agent_at_fault(view, blocked))
    code = f"task_{task.status}"
    if waiting_for and task.status in (TaskStatus.TODO, TaskStatus.IN_PROGRESS):
        code = "task_waits_for"
    elif code == "task_todo" and task.mission_id is not None and task.parent_id is not None:
        code = _planned(view, task)
    elif task.assignee_agent_id is None and code == "task_todo":
        code = "task_unassigned"
    elif "kind" in blocked:  # our own word for what is to be done, no agent's
        signed_out = blocked["kind"] == ErrorKind.AUTH_REQUIRED
        code = "task_blocked_log_in" if signed_out else f"task_blocked_{blocked['action']}"
    elif blocked.get("owner") == "user":
        code = "task_blocked_by_question"
    elif delivery and task.status is TaskStatus.IN_REVIEW:
        code = "task_delivery_held"
    elif task.status is TaskStatus.IN_REVIEW and (said := _on_its_way(view, task)):
        code, after = said
        values.update(after)
    elif task.status is TaskStatus.IN_REVIEW and (said := explain_gates.of_task(view, task.id)):
        code, reviewed = said
        values.update(reviewed)
    elif task.status is TaskStatus.IN_REVIEW and approvals.open_of_task(view, task.id):
        code = "task_waits_for_approval"
    elif code == "task_in_progress" and _waits_below(view, task):
        code = "task_waits_below"
    elif code == "task_in_progress" and runs.lease_holder(view, task.id) is None:
        code = "task_in_progress_waits"
    elif code == "task_interrupted":
        code = _why_interrupted(view, task)
    wakeup = _behind(view, task)
    if code == "task_interrupted" and wakeup and wakeup.outcome is WakeupOutcome.EXHAUSTED:
        code = "task_exhausted"
    more = (of_wakeup(view, wakeup, now),) if wakeup is not None else ()
    last = runs.last_of_task(view, task.id)
    ids = (wakeup.id if wakeup else None, last.id if last else None)
    return Explanation(code, values, explain_attempts.of_task(view, task), *ids, more)


def _planned(view: View, task: Task) -> str:
    """Whoever it is assigned to: its mission's waves begin it (C-96), while that goes on."""
    state = mission_work.state_of(view, task.id)
    if state is MissionState.PAUSED_INTAKE:
        return "task_mission_paused"
    return "task_planned" if state in (MissionState.STARTING, *PLANNING) else "task_mission_over"


def _behind(view: View, task: Task) -> Wakeup | None:
    """The wakeup that it is worked on for, also while a later one waits; else the newest."""
    holder = runs.lease_holder(view, task.id)
    run = runs.get(view, holder) if holder else None
    at_work = wakeups.get(view, run.wakeup_id) if run else None
    return at_work or wakeups.latest_for_task(view, task.id)


def _why_interrupted(view: View, task: Task) -> str:
    """Whether it goes on by itself, or a person stopped it."""
    if wakeups.waiting_for_task(view, task.id):
        return "task_interrupted_goes_on"
    last = runs.last_of_task(view, task.id)
    stopped = last is not None and BY_PERSON in (last.ended or {})
    return "task_stopped_by_you" if stopped else "task_interrupted"


def _waits_below(view: View, task: Task) -> bool:
    """Its own work is done as far as it goes: its agent is woken when the subtasks are over."""
    idle = runs.lease_holder(view, task.id) is None and not wakeups.waiting_for_task(view, task.id)
    return idle and dependencies.has_open_below(view, task.id)


def _agent_at_fault(view: View, blocked: Mapping[str, object]) -> dict[str, object]:
    agent = agents.get(view, str(blocked.get("agent_id", "")))
    return {"agent": agent.name} if agent is not None else {}


def _on_its_way(view: View, task: Task) -> tuple[str, dict[str, object]] | None:
    """While nobody has to do anything for its work to be delivered."""
    offered = proposals.of_task(view, task.id)
    if not offered or not proposals.in_hand(view, offered[-1]):
        return None
    after = straying.goes_first(view, proposals.deliveries(view, offered[-1].id)[-1])
    if after is None:
        return "task_delivering", {}
    return "task_delivery_waits", {"other": after.number}


def _last_delivery(view: View, task: Task) -> dict[str, object]:
    """The reason of the newest try, while it is held."""
    offered = proposals.of_task(view, task.id)
    tries = proposals.deliveries(view, offered[-1].id) if offered else []
    held = bool(tries) and tries[-1].status is DeliveryStatus.HELD
    return dict(tries[-1].reason or {}) if held else {}

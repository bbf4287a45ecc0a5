"""Turns: who asked first is given it first, one at a time, and nobody holds it for ever (W-12).

The table is what is decided by; events tell of it and are never read back (W-13). Tasks and their
wakes go on beside turns (C-54).
"""

from datetime import datetime, timedelta

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.errors import Blocked
from roundtable_desktop.model.missions import OVER
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Run, Wakeup
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    TERMINAL_TASKS,
    TURN_ENDED,
    AgentStatus,
    RunOutcome,
    Source,
    WakeupStatus,
)
from roundtable_desktop.model.turns import GIVEN, Turn, TurnStatus
from roundtable_desktop.store import agents, missions, runs, tasks, turns, wakeups
from roundtable_desktop.store.db import Tx, View

START = timedelta(seconds=60)
"""In which a turn that was given is to be taken; after it, it gives way to those who wait."""
SOFT = timedelta(minutes=15)
"""A turn that takes longer is told of."""
HARD = timedelta(hours=1)
"""A turn that takes longer is over."""
MISSES = 3
"""Runs that were woken for a turn and did not take it; then it lapses."""
MOST = 20
"""Turns of one agent within an hour: each may wake it once more (S-76)."""
REASON = "turn_requested"

GONE = (AgentStatus.STOPPED, AgentStatus.RETIRED)
UNWOKEN = (WakeupStatus.CANCELLED, WakeupStatus.SKIPPED, WakeupStatus.FAILED)


def scope_of(view: View, run: Run) -> tuple[str, str | None]:
    """(where there is one turn at a time, the mission if that is one)."""
    task = tasks.get(view, run.task_id) if run.task_id else None
    mission = task.mission_id if task else None
    return mission or run.workspace_id, mission


def own(view: View, run: Run) -> Turn | None:
    """The one that its agent has asked for there and that is not over; or the one that it was
    woken for, whatever has become of the task since."""
    scope, _ = scope_of(view, run)
    of_agent = [one for one in turns.every_open(view) if one.agent_id == run.agent_id]
    woken = [one for one in of_agent if one.run_id == run.id or _is_woken_for(view, one, run)]
    return next((one for one in [*woken, *of_agent] if one in woken or one.scope == scope), None)


def request(tx: Tx, ids: Ids, run: Run, reason: str) -> Turn:
    """An agent waits once in each place: who asks again keeps its place."""
    known = own(tx, run)
    if known is None:
        if turns.asked_since(tx, run.agent_id, tx.now - timedelta(hours=1)) >= MOST:
            raise Blocked("too_many_turns", most=MOST)
        scope, mission = scope_of(tx, run)
        known = turns.request(tx, run, id=ids.new(), scope=scope, mission_id=mission, reason=reason)
    give(tx, ids, known.scope)
    found = turns.get(tx, known.id)
    assert found is not None
    return found


def give(tx: Tx, ids: Ids, scope: str) -> None:
    """The next turn, if none is given there: to the first who asked and can be woken."""
    here = turns.open_in(tx, scope)
    if any(one.status in GIVEN for one in here):
        return
    for turn in here:
        agent = agents.get(tx, turn.agent_id)
        if agent is not None and agent.status is AgentStatus.ACTIVE:
            given = turns.schedule(tx, turn)
            asking = runs.get(tx, turn.asked_in)
            if asking is None or asking.status not in LIVE_RUNS:
                _wake(tx, ids, given)
            tx.nudge("queue")
            return


def start(tx: Tx, turn: Turn, run: Run) -> Turn:
    return turns.start(tx, turn, run)


def complete(tx: Tx, ids: Ids, turn: Turn, outcome: str, actor: Actor) -> None:
    turns.complete(tx, turn, outcome, actor)
    give(tx, ids, turn.scope)


def ended(tx: Tx, ids: Ids, run: Run, outcome: RunOutcome) -> None:
    """What the end of a run means for the turn that it held, was woken for or asked for."""
    for turn in turns.every_open(tx):
        if turn.agent_id != run.agent_id:
            continue
        if turn.run_id == run.id:
            if outcome in TURN_ENDED:
                turns.complete(tx, turn, "run_ended")
            else:
                turns.ask_again(tx, turn, "run_lost")
        elif turn.status is TurnStatus.SCHEDULED and _is_woken_for(tx, turn, run):
            if outcome in TURN_ENDED:
                _missed(tx, turn)
        elif turn.status is TurnStatus.SCHEDULED and turn.asked_in == run.id:
            if turn.wakeup_id is None:
                _wake(tx, ids, turn)
        else:
            continue
        give(tx, ids, turn.scope)


def pass_time(tx: Tx, ids: Ids) -> None:
    """What has gone on for too long, or can never come, is over."""
    scopes: dict[str, None] = {}
    for turn in turns.every_open(tx):
        scopes[turn.scope] = None
        reason = _why_over(tx, turn)
        if reason is not None:
            turns.lapse(tx, turn, reason)
        elif turn.status is TurnStatus.STARTED and _is_past(turn.started_at, SOFT, tx.now):
            if turn.overdue_at is None:
                turns.tell_overdue(tx, turn)
        elif _is_past(turn.scheduled_at, START, tx.now) and _gives_way(tx, turn):
            turns.ask_again(tx, turn, "not_started")
    for scope in scopes:
        give(tx, ids, scope)


def next_due(view: View, now: datetime) -> datetime | None:
    """When `pass_time` has something to do next, though nothing else happens."""
    found: list[datetime] = []
    for turn in turns.every_open(view):
        if turn.status is TurnStatus.SCHEDULED and turn.scheduled_at is not None:
            found.append(turn.scheduled_at + START)
        elif turn.started_at is not None:
            found += [turn.started_at + SOFT, turn.started_at + HARD]
    return min((one for one in found if one > now), default=None)


def _wake(tx: Tx, ids: Ids, turn: Turn) -> None:
    """By the ordinary queue, and past none of its gates (R-16)."""
    task = tasks.get(tx, turn.task_id) if turn.task_id else None
    cause = wakeups.Cause(
        workspace_id=turn.workspace_id,
        agent_id=turn.agent_id,
        task_id=task.id if task is not None and task.status not in TERMINAL_TASKS else None,
        source=Source.SELF,
        reason=REASON,
        payload={"reason": turn.reason, "turn_id": turn.id},
        key=f"turn:{turn.id}:{turn.tries}",
        actor=Actor("agent", turn.agent_id),
    )
    turns.woken_by(tx, turn, wakers.wake(tx, ids.new(), cause))


def _woken_by(view: View, turn: Turn) -> Wakeup | None:
    """The wakeup that carries its wake: its own, or the one that this was merged into."""
    found = wakeups.get(view, turn.wakeup_id) if turn.wakeup_id else None
    host = wakeups.get(view, found.coalesced_into) if found and found.coalesced_into else None
    return host or found


def _is_woken_for(view: View, turn: Turn, run: Run) -> bool:
    wakeup = _woken_by(view, turn)
    return wakeup is not None and wakeup.id == run.wakeup_id


def _missed(tx: Tx, turn: Turn) -> None:
    if turn.misses + 1 >= MISSES:
        turns.lapse(tx, turn, "never_started")
    else:
        turns.ask_again(tx, turn, "not_started", missed=True)


def _why_over(tx: Tx, turn: Turn) -> str | None:
    agent = agents.get(tx, turn.agent_id)
    if agent is None or agent.status in GONE:
        return "agent_gone"
    mission = missions.get(tx, turn.mission_id) if turn.mission_id else None
    if mission is not None and mission.state in OVER:
        return "mission_over"
    if turn.status is TurnStatus.STARTED and _is_past(turn.started_at, HARD, tx.now):
        return "timed_out"
    wakeup = _woken_by(tx, turn) if turn.status is TurnStatus.SCHEDULED else None
    return "not_woken" if wakeup is not None and wakeup.status in UNWOKEN else None


def _gives_way(view: View, turn: Turn) -> bool:
    """One that was given and not taken, where another could be; alone it waits on."""
    waiting = [
        agents.get(view, one.agent_id)
        for one in turns.open_in(view, turn.scope)
        if one.status is TurnStatus.REQUESTED
    ]
    can_come = any(one is not None and one.status is AgentStatus.ACTIVE for one in waiting)
    return turn.status is TurnStatus.SCHEDULED and can_come


def _is_past(since: datetime | None, span: timedelta, now: datetime) -> bool:
    return since is not None and since + span <= now

"""What a simulation has shown, as items that a face can say: who starts, ends, waits, and why."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Json, Run, Wakeup
from roundtable_desktop.model.states import AgentStatus, HoldState, WakeupOutcome
from roundtable_desktop.model.times import instant, micros, rfc3339
from roundtable_desktop.store import agents, events, holds, routines, runs, settings, tasks, wakeups
from roundtable_desktop.store.db import Reader, View

MOST = 10_000
"""Items of one answer; a longer list would be read by nobody."""
AT_ONCE = 500


def standing(view: View, now: datetime, workspace_id: str | None) -> list[Json]:
    """What keeps wakeups from starting as it begins: no event is still to tell of it."""
    items, here = _closed(view, now), agents.every(view, workspace_id)
    for agent in here:
        if agent.status in (AgentStatus.PAUSED, AgentStatus.STOPPED):
            values = {"agent": agent.name, "status": agent.status}
            items.append(_stands(now, "foreseen_agent_off", values, agent.workspace_id))
    accounts = {agent.account for agent in here}
    for hold in holds.every(view):
        if hold.account in accounts and hold.state is HoldState.HELD and hold.until_at > now:
            values = {"account": hold.account, "until": rfc3339(hold.until_at)}
            items.append(_stands(now, "foreseen_held", values, None))
    return items


def _closed(view: View, now: datetime) -> list[Json]:
    home = settings.of_home(view)
    if home.intake == "open":
        return []
    if home.intake == "paused" and home.intake_until is not None:
        values = {"until": rfc3339(instant(home.intake_until))}
        return [_stands(now, "foreseen_intake_paused_until", values, None)]
    return [_stands(now, f"foreseen_intake_{home.intake}", {}, None)]


def _stands(now: datetime, code: str, values: Json, workspace_id: str | None) -> Json:
    return {"at": micros(now), "code": code, "workspace_id": workspace_id, "values": values}


def foreseen(reader: Reader, after: int, workspace_id: str | None) -> tuple[list[Json], bool]:
    """What happened after that event, oldest first, and whether that is all of it. One snapshot
    for each page: a long story is not told within the time that one may be kept."""
    items: list[Json] = []
    while True:
        with reader.snapshot() as view:
            page = events.after(view, after, AT_ONCE, workspace_id)
            found = [item for event in page if (item := _of(view, event)) is not None]
        items += found
        if not page or len(items) > MOST:
            return items[:MOST], len(items) <= MOST
        after = page[-1].id


def _of(view: View, event: Event) -> Json | None:
    item = _ITEMS.get(event.kind)
    return item(view, event) if item else None


def _run(code: str, what: Callable[[Run], Json]) -> Callable[[View, Event], Json | None]:
    def item(view: View, event: Event) -> Json | None:
        run = runs.get(view, event.subject_id)
        assert run is not None, "its event names it"
        wakeup = wakeups.get(view, run.wakeup_id)
        assert wakeup is not None, "foreign keys hold"
        return _item(view, event, code, wakeup, what(run))

    return item


def _wakeup(code: str, why: Callable[[Any], Json | None]) -> Callable[[View, Event], Json | None]:
    def item(view: View, event: Event) -> Json | None:
        values = why(event.data)
        wakeup = wakeups.get(view, event.subject_id)
        if values is None or wakeup is None:
            return None
        return _item(view, event, code, wakeup, values)

    return item


def _until(data: Any) -> Json | None:
    at = data.get("at")
    return {"why": data["held_by"], "until": rfc3339(instant(at))} if at else None


def _fires(view: View, event: Event) -> Json | None:
    """One that wakes nobody; of the others their wakeup tells."""
    data: Any = event.data
    routine = routines.get(view, event.subject_id)
    if data["wakeup_id"] is not None or routine is None:
        return None
    agent = agents.get(view, routine.assignee_agent_id)
    values = {"cause": routine.name, "reason": data["reason"]}
    return _told(event, "foreseen_not_fired", {"agent": agent and agent.name, **values})


def _held(view: View, event: Event) -> Json:
    data: Any = event.data
    values = {"account": event.subject_id, "until": rfc3339(instant(data["until"]))}
    return _told(event, "foreseen_held", values)


def _freed(view: View, event: Event) -> Json:
    return _told(event, "foreseen_freed", {"account": event.subject_id})


def _not_run(data: Any) -> Json | None:
    outcome = data.get("outcome")
    return None if outcome == WakeupOutcome.EXECUTED else {"outcome": outcome}


_ITEMS: Mapping[str, Callable[[View, Event], Json | None]] = {
    Kind.WAKEUP_QUEUED: _wakeup("foreseen_queued", lambda data: {"reason": data["reason"]}),
    Kind.WAKEUP_COALESCED: _wakeup("foreseen_merges", lambda data: {"reason": data["reason"]}),
    Kind.WAKEUP_REQUEUED: _wakeup("foreseen_waits", _until),
    Kind.WAKEUP_SETTLED: _wakeup("foreseen_not_run", _not_run),
    Kind.WAKEUP_IDLE_SKIPPED: _wakeup("foreseen_not_run", _not_run),
    Kind.WAKEUP_STALE_CANCELLED: _wakeup("foreseen_stale", lambda data: {"reason": data["reason"]}),
    Kind.WAKEUP_RETRY_CANCELLED: _wakeup("foreseen_stale", lambda data: {"reason": data["reason"]}),
    Kind.ROUTINE_FIRED: _fires,
    Kind.ACCOUNT_HELD: _held,
    Kind.ACCOUNT_FREED: _freed,
    Kind.RUN_STARTING: _run("foreseen_starts", lambda run: {"attempt": run.attempt_index}),
    Kind.RUN_ENDED: _run("foreseen_ends", lambda run: {"outcome": run.outcome}),
}


def _item(view: View, event: Event, code: str, wakeup: Wakeup, values: Json) -> Json:
    agent = agents.get(view, wakeup.agent_id)
    task = tasks.get(view, wakeup.task_id) if wakeup.task_id else None
    named: Json = {"agent": agent and agent.name, **values}
    if task is not None:
        return _told(event, code, {**named, "task": f"T-{task.number}", "title": task.title})
    return _told(event, f"{code}_taskless", {**named, "cause": _cause(view, wakeup)})


def _cause(view: View, wakeup: Wakeup) -> str:
    """The routine's name, else the source."""
    routine = routines.get(view, str(wakeup.payload.get("routine_id")))
    return routine.name if routine is not None else str(wakeup.source)


def _told(event: Event, code: str, values: Json) -> Json:
    at = micros(event.at)
    return {"at": at, "code": code, "workspace_id": event.workspace_id, "values": values}


def usual(view: View, agent_id: str, otherwise: float) -> float:
    """Seconds that a run of the agent takes: the median of its last good ones."""
    spans = sorted(runs.spans_of(view, agent_id, 20))
    return spans[len(spans) // 2] if spans else otherwise

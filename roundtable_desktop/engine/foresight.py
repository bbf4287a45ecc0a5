"""What a simulation has shown, as items that a face can say: who starts, ends, waits, and why."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Json
from roundtable_desktop.model.states import WakeupOutcome
from roundtable_desktop.model.times import instant, micros, rfc3339
from roundtable_desktop.store import agents, events, routines, runs, tasks, wakeups
from roundtable_desktop.store.db import View

MOST = 5000
"""Items of one answer; a longer list would be read by nobody."""
AT_ONCE = 500


def foreseen(view: View, after: int, workspace_id: str | None) -> tuple[list[Json], bool]:
    """What happened after that event, oldest first, and whether that is all of it."""
    items: list[Json] = []
    for event in _every(view, after, workspace_id):
        found = _ITEMS.get(event.kind)
        item = found(view, event) if found else None
        if item is not None:
            if len(items) == MOST:
                return items, False
            items.append(item)
    return items, True


def _every(view: View, after: int, workspace_id: str | None) -> Iterator[Event]:
    while page := events.after(view, after, AT_ONCE, workspace_id):
        yield from page
        after = page[-1].id


def _starts(view: View, event: Event) -> Json | None:
    run = runs.get(view, event.subject_id)
    assert run is not None, "its event names it"
    attempt = {"attempt": run.attempt_index}
    return _item(view, event, "foreseen_starts", run.agent_id, run.task_id, attempt)


def _ends(view: View, event: Event) -> Json | None:
    run = runs.get(view, event.subject_id)
    assert run is not None, "its event names it"
    how = {"outcome": run.outcome}
    return _item(view, event, "foreseen_ends", run.agent_id, run.task_id, how)


def _wakeup(code: str, why: Callable[[Any], Json | None]) -> Callable[[View, Event], Json | None]:
    def item(view: View, event: Event) -> Json | None:
        values = why(event.data)
        wakeup = wakeups.get(view, event.subject_id)
        if values is None or wakeup is None:
            return None
        return _item(view, event, code, wakeup.agent_id, wakeup.task_id, values)

    return item


def _fires(view: View, event: Event) -> Json | None:
    routine = routines.get(view, event.subject_id)
    assert routine is not None, "its event names it"
    code = f"foreseen_fires_{event.data['status']}"
    values = {"routine": routine.name, "reason": event.data["reason"]}
    return _item(view, event, code, routine.assignee_agent_id, None, values)


def _until(data: Any) -> Json | None:
    at = data.get("at")
    return {"why": data["held_by"], "until": rfc3339(instant(at))} if at else None


def _not_run(data: Any) -> Json | None:
    outcome = data.get("outcome")
    return None if outcome == WakeupOutcome.EXECUTED else {"outcome": outcome}


_ITEMS: Mapping[str, Callable[[View, Event], Json | None]] = {
    Kind.WAKEUP_QUEUED: _wakeup("foreseen_queued", lambda data: {"reason": data["reason"]}),
    Kind.WAKEUP_COALESCED: _wakeup("foreseen_merges", lambda data: {"reason": data["reason"]}),
    Kind.WAKEUP_REQUEUED: _wakeup("foreseen_waits", _until),
    Kind.WAKEUP_SETTLED: _wakeup("foreseen_not_run", _not_run),
    Kind.WAKEUP_STALE_CANCELLED: _wakeup("foreseen_stale", lambda data: {"reason": data["reason"]}),
    Kind.RUN_STARTING: _starts,
    Kind.RUN_ENDED: _ends,
    Kind.ROUTINE_FIRED: _fires,
}


def _item(
    view: View, event: Event, code: str, agent_id: str, task_id: str | None, values: Json
) -> Json:
    agent, task = agents.get(view, agent_id), tasks.get(view, task_id) if task_id else None
    named = {"agent": agent and agent.name, "task": f"T-{task.number}" if task else "-"}
    return {
        "at": micros(event.at),
        "code": code,
        "workspace_id": event.workspace_id,
        "values": {**named, "title": task.title if task else None, **values},
    }


def usual(view: View, agent_id: str, otherwise: float) -> float:
    """Seconds that a run of the agent takes: the median of its last good ones."""
    spans = sorted(runs.spans_of(view, agent_id, 20))
    return spans[len(spans) // 2] if spans else otherwise

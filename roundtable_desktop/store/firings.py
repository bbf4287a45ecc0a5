"""Each time that a routine was set off: a row that is never pruned, and that ends (K-24)."""

from collections.abc import Iterable
from datetime import datetime
from itertools import takewhile
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Run, Subject, Task, Wakeup
from roundtable_desktop.model.routines import Firing
from roundtable_desktop.model.states import (
    FIRING,
    FiringSource,
    FiringStatus,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import journal, runs
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.routine_tables import Firings
from roundtable_desktop.store.routines import SUCCEEDED
from roundtable_desktop.store.rows import by_id

MISSED = "missed"
"""The reason of the row that stands for instants of which none fires any more (C-39)."""

OPEN = (FiringStatus.RECEIVED, FiringStatus.TASK_CREATED)

KEPT_BACK = (
    *(WakeupOutcome.AGENT_PAUSED, WakeupOutcome.AGENT_STOPPED),
    WakeupOutcome.BUDGET_BLOCKED,
)
"""What a resume of the agent brings back, or room in a budget."""

# At work is what still waits or runs, a subtask too; a task that stands still for a person is
# not, else nobody's answer would keep the routine from firing for ever.
_LIGHT_AT_WORK = """
SELECT id FROM agent_wakeup_requests
WHERE scope = 'routine:' || ? AND status IN ('queued', 'claimed') LIMIT 1
"""
_TASK_AT_WORK = """
SELECT t.id FROM tasks AS t
WHERE t.routine_id IS NOT NULL AND t.routine_id = ?
AND t.status IN ('todo', 'in_progress', 'interrupted') AND (
    EXISTS (
        SELECT 1 FROM agent_wakeup_requests AS w
        WHERE w.task_id = t.id AND w.status IN ('queued', 'claimed')
    ) OR EXISTS (
        SELECT 1 FROM agents AS a
        WHERE a.id = t.assignee_agent_id AND a.status <> 'active' AND t.status <> 'interrupted'
    ) OR EXISTS (
        WITH RECURSIVE below (id) AS (
            SELECT c.id FROM tasks AS c WHERE c.parent_id = t.id
            UNION SELECT c.id FROM below JOIN tasks AS c ON c.parent_id = below.id
        )
        SELECT 1 FROM below JOIN agent_wakeup_requests AS w ON w.task_id = below.id
        WHERE w.status IN ('queued', 'claimed')
    )
) ORDER BY t.id DESC LIMIT 1
"""

_OWN_RUN = f"""
UPDATE office_routine_runs SET run_id = :run_id, coalesced_into_run_id =
    CASE status WHEN '{FiringStatus.COALESCED}' THEN :run_id ELSE coalesced_into_run_id END
WHERE wakeup_id IS NOT NULL AND wakeup_id = :wakeup_id
"""
_MERGED_RUN = """
UPDATE office_routine_runs SET coalesced_into_run_id = :run_id
WHERE wakeup_id IS NOT NULL AND wakeup_id IN (
    SELECT id FROM agent_wakeup_requests
    WHERE coalesced_into IS NOT NULL AND coalesced_into = :wakeup_id
)
"""

_OF_TASK = {
    TaskStatus.DONE: FiringStatus.DONE,
    TaskStatus.FAILED: FiringStatus.FAILED,
    TaskStatus.CANCELLED: FiringStatus.CANCELLED,
}
_OF_WAKEUP = {
    WakeupStatus.FINISHED: FiringStatus.SKIPPED,
    WakeupStatus.SKIPPED: FiringStatus.SKIPPED,
    WakeupStatus.CANCELLED: FiringStatus.CANCELLED,
    WakeupStatus.FAILED: FiringStatus.FAILED,
}


def get(view: View, firing_id: str) -> Firing | None:
    return by_id(view, Firing, Firings, firing_id)


def at_instant(view: View, trigger_id: str, scheduled_at: datetime) -> Firing | None:
    here = (Firings.trigger_id == trigger_id) & (Firings.scheduled_at == scheduled_at)
    return view.one(Firing, Firings.select().where(here))


def of_routine(view: View, routine_id: str, limit: int) -> list[Firing]:
    """The newest ones first."""
    query = Firings.select().where(Firings.routine_id == routine_id)
    return view.all(Firing, query.order_by(Firings.id.desc()).limit(limit))


def last(view: View, routine_id: str) -> Firing | None:
    return next(iter(of_routine(view, routine_id, 1)), None)


def was_missed(firing: Firing | None) -> bool:
    """Whether nothing fired of what it stands for: nobody looked when that was due."""
    return firing is not None and firing.reason == MISSED


def missed_lately(view: View, routine_id: str, most: int) -> list[tuple[int, datetime, datetime]]:
    """(how many, the first, the last) of each of the newest ones that were missed, back to one
    that was not."""
    newest = takewhile(was_missed, of_routine(view, routine_id, most))
    spans: list[Any] = [(one.missed or {})["left_out"] for one in newest]
    read = datetime.fromisoformat
    return [(int(one["count"]), read(one["first"]), read(one["last"])) for one in spans]


def last_run(view: View, routine_id: str) -> Run | None:
    """The newest run that one of its firings had."""
    here = (Firings.routine_id == routine_id) & Firings.run_id.is_null(False)
    newest = view.value(Firings.select(Firings.run_id).where(here).order_by(Firings.id.desc()))
    return runs.get(view, newest) if newest else None


def add(tx: Tx, actor: Actor, **values: Any) -> Firing:
    """Born with what became of it at once; the rest is told by its end."""
    if values["status"] not in OPEN:
        values["completed_at"] = tx.now
    tx.write(Firings.insert(started_at=tx.now, **values))
    firing = get(tx, values["id"])
    assert firing is not None
    journal.tell(
        tx,
        Kind.ROUTINE_FIRED,
        Subject("routine", firing.routine_id),
        workspace_id=firing.workspace_id,
        actor=actor,
        data={
            "firing_id": firing.id,
            "source": firing.source,
            "status": firing.status,
            "reason": firing.reason,
            "scheduled_at": rfc3339(firing.scheduled_at),
            "wakeup_id": firing.wakeup_id,
        },
    )
    return firing


def at_work(view: View, routine_id: str) -> bool:
    """Whether a firing of this routine still waits or runs (C-16, C-77)."""
    light = bool(view.sql(_LIGHT_AT_WORK, (routine_id,)))
    return light or task_at_work(view, routine_id) is not None


def task_at_work(view: View, routine_id: str) -> str | None:
    rows = view.sql(_TASK_AT_WORK, (routine_id,))
    return str(rows[0]["id"]) if rows else None


def that_made(view: View, task_id: str) -> Firing | None:
    """The one of which this task came, where a webhook sent its values."""
    here = (Firings.linked_task_id == task_id) & Firings.unfilled.is_null(False)
    return view.one(Firing, Firings.select().where(here).limit(1))


def all_scheduled(view: View, wakeup: Wakeup) -> bool:
    """Whether nothing but time set off what this wakeup carries: no person asked (K-26)."""
    return by_time_alone(view, wakeup.causes())


def by_time_alone(view: View, causes: Iterable[Json]) -> bool:
    payloads = [cause.get("payload") for cause in causes]
    named = [str(one.get("firing_id")) for one in payloads if isinstance(one, dict)]
    found = [firing for one in named if (firing := get(view, one)) is not None]
    return bool(found) and all(one.source is FiringSource.CRON for one in found)


def run_born(tx: Tx, wakeup_id: str, run_id: str) -> None:
    """The firing's own run, and that of those that were merged into its wakeup. What was merged
    while an earlier run of it was at work is heard by this one."""
    tx.write_sql(_OWN_RUN, {"run_id": run_id, "wakeup_id": wakeup_id})
    tx.write_sql(_MERGED_RUN, {"run_id": run_id, "wakeup_id": wakeup_id})


def taken_over(tx: Tx, wakes: Iterable[Json], by: Wakeup, host: Wakeup | None) -> None:
    """Another wakeup carries what these firings were woken for: from now on they go with it.

    host: what `by` was merged into, as every other light firing may be.
    """
    payloads = [wake.get("payload") for wake in wakes]
    named = [one.get("firing_id") for one in payloads if isinstance(one, dict)]
    for firing in filter(None, (get(tx, str(one)) for one in named if one)):
        here = Firings.id == firing.id
        tx.write(Firings.update(wakeup_id=by.id).where(here))
        if host is not None:
            tx.write(Firings.update(coalesced_into_run_id=host.run_id).where(here))
        if firing.status is FiringStatus.RECEIVED and host is not None:
            _end(tx, firing, FiringStatus.COALESCED, "still_at_work")
        elif firing.status is FiringStatus.RECEIVED:
            tx.write(Firings.update(reason=None).where(here))


def set_off(view: View, wakeup_id: str) -> bool:
    """Whether a firing made that wakeup, or it carries what one made."""
    here = Firings.wakeup_id.is_null(False) & (Firings.wakeup_id == wakeup_id)
    return view.value(Firings.select(Firings.id).where(here)) is not None


def carried_by(tx: Tx, wakeup_id: str, host_id: str) -> None:
    """A heavy firing's run is that of the wakeup that now carries its task's assignment."""
    tx.write_sql(
        "UPDATE office_routine_runs SET wakeup_id = ? WHERE wakeup_id IS NOT NULL "
        "AND wakeup_id = ? AND status = 'task_created'",
        (host_id, wakeup_id),
    )


def wakeup_ended(tx: Tx, wakeup: Wakeup, status: WakeupStatus, outcome: WakeupOutcome) -> None:
    """A light firing ends with its wakeup, and as its run did. While that can be brought back the
    firing is not over; its reason is what it waits for (C-10, C-69)."""
    to, reason = _OF_WAKEUP[status], str(outcome)
    if outcome is WakeupOutcome.EXECUTED:
        run = runs.get(tx, wakeup.run_id) if wakeup.run_id else None
        how = run.outcome if run is not None else None
        to = FiringStatus.DONE if how in SUCCEEDED else FiringStatus.FAILED
        reason = str(how)
    here = (Firings.wakeup_id == wakeup.id) & (Firings.status == FiringStatus.RECEIVED)
    if outcome in KEPT_BACK:
        tx.write(Firings.update(reason=reason).where(here))
        return
    for firing in tx.all(Firing, Firings.select().where(here)):
        _end(tx, firing, to, reason)


def task_ended(tx: Tx, task: Task, to: TaskStatus) -> None:
    """A heavy firing ends with its task."""
    if task.routine_id is None or to not in _OF_TASK:
        return
    here = (Firings.linked_task_id == task.id) & (Firings.status == FiringStatus.TASK_CREATED)
    for firing in tx.all(Firing, Firings.select().where(here)):
        _end(tx, firing, _OF_TASK[to], str(to))


def _end(tx: Tx, firing: Firing, to: FiringStatus, reason: str) -> None:
    journal.move(
        tx,
        FIRING,
        firing,
        to=to,
        kind=Kind.FIRING_ENDED,
        actor=SYSTEM,
        data={"routine_id": firing.routine_id, "reason": reason},
        reason=reason,
        completed_at=tx.now,
    )

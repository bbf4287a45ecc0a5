"""What wakes an agent: every cause goes through this one door into the queue (K-01)."""

from datetime import timedelta

from roundtable_desktop.model.records import Actor, Task
from roundtable_desktop.model.states import Source
from roundtable_desktop.rules import coalesce
from roundtable_desktop.store import routines, settings, wakeups
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.wakeups import Cause

CATCH_UP = "catch_up"
"""What holds a wake that was due while nobody looked, so that not all of them start at once."""


def wake(tx: Tx, wakeup_id: str, cause: Cause, *, spread: timedelta = wakeups.NO_WINDOW) -> str:
    """Queued, or merged into one like it that waits (K-13). The id of the wakeup it made.

    spread: how much later than the others it starts (C-15).
    """
    joins = coalesce.merges(cause.source)
    if cause.source is Source.ROUTINE and routines.never_merges(tx, cause.payload):
        joins = False
    if spread:
        return wakeups.enqueue(tx, wakeup_id, cause, joins=joins, window=spread, held_by=CATCH_UP)
    window = timedelta(0)
    if coalesce.repeats(cause.source):
        window = timedelta(seconds=settings.of_home(tx).coalescing_window_sec)
    return wakeups.enqueue(tx, wakeup_id, cause, joins=joins, window=window)


def assignment(task: Task, agent_id: str, actor: Actor) -> Cause:
    """task: as it is after the assignment, whose number is in the key (C-63)."""
    return Cause(
        workspace_id=task.workspace_id,
        agent_id=agent_id,
        task_id=task.id,
        source=Source.TASK_ASSIGNED,
        reason="assigned",
        payload={"task_id": task.id},
        key=f"task_assigned:{task.id}:{task.assignment_seq}",
        actor=actor,
    )

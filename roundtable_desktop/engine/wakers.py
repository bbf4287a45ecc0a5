"""What wakes an agent: every cause goes through this one door into the queue (K-01)."""

from collections.abc import Sequence
from datetime import timedelta

from roundtable_desktop.model.records import SYSTEM, Actor, Json, Task, Wakeup
from roundtable_desktop.model.states import RANKS, Rank, Source
from roundtable_desktop.rules import coalesce
from roundtable_desktop.store import routines, settings, wakeups
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.wakeups import Cause

TEST = "agent_test"
"""Of a wake that a person asked for to see whether the agent works (contract, HTTP)."""
CHECK = "check"
"""Of a wake that runs a command of the workspace on a proposal's head."""
CATCH_UP = "catch_up"
"""What holds a wake that was due while nobody looked, so that not all of them start at once."""


def wake(tx: Tx, wakeup_id: str, cause: Cause, *, spread: timedelta = wakeups.NO_WINDOW) -> str:
    """Queued, or merged into one like it that waits (K-13). The id of the wakeup it made.

    spread: how much later than the others it starts (C-15).
    """
    joins = coalesce.merges(cause.source) and checked(cause.payload) is None
    if cause.source is Source.ROUTINE and routines.never_merges(tx, cause.payload):
        joins = False
    if spread:
        return wakeups.enqueue(tx, wakeup_id, cause, joins=joins, window=spread, held_by=CATCH_UP)
    window = timedelta(0)
    if coalesce.repeats(cause.source):
        window = timedelta(seconds=settings.of_home(tx).coalescing_window_sec)
    return wakeups.enqueue(tx, wakeup_id, cause, joins=joins, window=window)


def checked(payload: Json) -> Json | None:
    """Of a check's wakeup or run, whatever brought it back: {"check_id", "command", "commit"}."""
    about = payload.get("payload")
    is_one = payload.get("reason") == CHECK and isinstance(about, dict) and "check_id" in about
    return about if is_one and isinstance(about, dict) else None


def anew(
    earlier: Wakeup,
    reason: str,
    key: str,
    *,
    actor: Actor = SYSTEM,
    rank: Rank | None = None,
    carries: Sequence[Json] | None = None,
) -> Cause:
    """What an earlier wakeup was for, or these of its causes, as a wakeup of their own. rank: the
    earlier one's, if none is named."""
    wakes = earlier.causes() if carries is None else carries
    first = carries[0].get("payload") if carries else None
    return Cause(
        workspace_id=earlier.workspace_id,
        agent_id=earlier.agent_id,
        task_id=earlier.task_id,
        source=earlier.source,
        reason=reason,
        payload=first if isinstance(first, dict) else earlier.payload,
        key=key,
        rank=rank or next(one for one, number in RANKS.items() if number == earlier.rank),
        actor=actor,
        carries=wakes,
    )


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


def attempt(task: Task, agent_id: str, number: int) -> Cause:
    """The work is tried once more; number: of the attempts that were booked (house, Causes)."""
    return Cause(
        workspace_id=task.workspace_id,
        agent_id=agent_id,
        task_id=task.id,
        source=Source.TASK_ASSIGNED,
        reason="attempt_retry",
        payload={"task_id": task.id, "attempt": number + 1},
        key=f"attempt:{task.id}:{number}",
    )


def commented(
    task: Task, agent_id: str, comment_id: str, actor: Actor, reason: str = "comment"
) -> Cause:
    return Cause(
        workspace_id=task.workspace_id,
        agent_id=agent_id,
        task_id=task.id,
        source=Source.COMMENT,
        reason=reason,
        payload={"task_id": task.id, "comment_id": comment_id},
        key=f"comment:{comment_id}",
        actor=actor,
    )

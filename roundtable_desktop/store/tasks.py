"""Tasks: the work to do, its assignee and its attempts."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject, Task
from roundtable_desktop.model.states import TASK, InboxKind, TaskStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import approvals, events, firings, gates, inbox, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, by_ids
from roundtable_desktop.store.tables import Tasks

# What a move of a task is called in the feed; other moves are `task.moved`.
_TOLD = {
    TaskStatus.DONE: Kind.TASK_COMPLETED,
    TaskStatus.FAILED: Kind.TASK_FAILED,
    TaskStatus.BLOCKED: Kind.TASK_BLOCKED,
    TaskStatus.CANCELLED: Kind.TASK_CANCELLED,
    TaskStatus.INTERRUPTED: Kind.TASK_INTERRUPTED,
}

PROGRESS_GAP = timedelta(seconds=5)
"""Between two words of an agent on how far it is."""

_LOOSE = """
SELECT count(*) AS n FROM tasks AS t
WHERE t.workspace_id = ? AND t.parent_id IS NULL AND t.created_at > ? AND EXISTS (
    SELECT 1 FROM events AS e
    WHERE e.subject_type = 'task' AND e.subject_id = t.id AND e.kind = 'task.created'
    AND e.actor_type = 'agent' AND e.actor_id = ?
)
"""

_CURED = (TaskStatus.TODO, TaskStatus.DONE, TaskStatus.CANCELLED)
"""Moved here, nothing that was asked about the task is left to answer; but a blocker that was lost
is still lost for a task that is to be done. One that failed waits for nothing, and is asked about
again when it is opened."""


def get(view: View, task_id: str) -> Task | None:
    return by_id(view, Task, Tasks, task_id)


def of_ids(view: View, ids: Iterable[str | None]) -> dict[str, Task]:
    return by_ids(view, Task, Tasks, ids)


def below(view: View, task_id: str) -> list[Task]:
    """Its subtasks, oldest first."""
    return view.all(Task, Tasks.select().where(Tasks.parent_id == task_id).order_by(Tasks.id))


def actionable(view: View, agent_id: str) -> int:
    """How many of the agent's tasks are to be done or under way (K-26)."""
    sql = (
        "SELECT count(*) AS n FROM tasks "
        "WHERE assignee_agent_id = ? AND status IN ('todo', 'in_progress')"
    )
    return int(view.sql(sql, (agent_id,))[0]["n"])


def loose_by_agent(tx: Tx, workspace_id: str, agent_id: str) -> int:
    """How many tasks below no other the agent made in the last hour."""
    since = micros(tx.now - timedelta(hours=1))
    return int(tx.sql(_LOOSE, (workspace_id, since, agent_id))[0]["n"])


def add(tx: Tx, actor: Actor, **values: Any) -> Task:
    born = {"created_at": tx.now, "updated_at": tx.now, "afresh_at": tx.now}
    tx.write(Tasks.insert(status=TaskStatus.TODO, **born, **values))
    task = get(tx, values["id"])
    assert task is not None
    journal.tell(
        tx,
        Kind.TASK_CREATED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        actor=actor,
        data={"number": task.number, "title": task.title},
    )
    return task


def assign(tx: Tx, task: Task, agent_id: str | None, actor: Actor) -> Task:
    """Sets or changes the assignee; `assignment_seq` makes the wakeup's key (C-63, K-05)."""
    tx.write(
        Tasks.update(
            assignee_agent_id=agent_id,
            assignment_seq=Tasks.assignment_seq + 1,
            afresh_at=tx.now,
            revision=Tasks.revision + 1,
            updated_at=tx.now,
        ).where(Tasks.id == task.id)
    )
    journal.tell(
        tx,
        Kind.TASK_ASSIGNED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        actor=actor,
        data={"agent_id": agent_id, "before": task.assignee_agent_id},
    )
    assigned = get(tx, task.id)
    assert assigned is not None
    return assigned


def change(tx: Tx, task: Task, actor: Actor, **values: Any) -> Task:
    """What it is and how it is to be done; never its status or its assignee. The feed is not told
    a whole description."""
    tx.write(
        Tasks.update(revision=Tasks.revision + 1, updated_at=tx.now, **values).where(
            Tasks.id == task.id
        )
    )
    journal.tell(
        tx,
        Kind.TASK_CHANGED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        actor=actor,
        data={
            "number": task.number,
            "changed": sorted(values),
            **{name: value for name, value in values.items() if name != "description"},
        },
    )
    changed = get(tx, task.id)
    assert changed is not None
    return changed


def move(tx: Tx, task: Task, to: TaskStatus, *, actor: Actor, **values: Any) -> bool:
    """`blocked` is the structured reason of C-24 and goes when the status does."""
    data = values.pop("data", {})
    if to is TaskStatus.TODO:
        values["afresh_at"] = tx.now
    moved = journal.move(
        tx,
        TASK,
        task,
        to=to,
        kind=_TOLD.get(to, Kind.TASK_MOVED),
        actor=actor,
        data={"number": task.number, **data},
        blocked=values.pop("blocked", None),
        **values,
    )
    if moved:
        firings.task_ended(tx, task, to)
        approvals.withdraw_overtaken(tx, task.id, to)
        gates.overtaken(tx, task, to, actor)
        _answer(tx, task, to, actor)
    return moved


def _answer(tx: Tx, task: Task, to: TaskStatus, actor: Actor) -> None:
    if to not in (*_CURED, TaskStatus.FAILED):
        return
    for item in inbox.open_about(tx, Subject("task", task.id)):
        of_blocker = item.kind is InboxKind.BLOCKER_LOST
        if (of_blocker and to is not TaskStatus.TODO) or (not of_blocker and to in _CURED):
            inbox.resolve(tx, item, {"by": "cause", "status": to}, actor)


def start(tx: Tx, task: Task, *, run_id: str, attempt: int) -> bool:
    """A run's start moves todo → in_progress, and in_review back to it when somebody asked for
    more; one that stood still is opened first; later attempts only tell (A-06)."""
    data = {"run_id": run_id, "attempt": attempt, "number": task.number}
    for item in inbox.open_about(tx, Subject("task", task.id)):
        if item.data.get("says") == "returned_to_nobody":  # somebody takes it up
            inbox.resolve(tx, item, {"by": "cause"})
    if task.status in (TaskStatus.BLOCKED, TaskStatus.INTERRUPTED):
        move(tx, task, TaskStatus.TODO, actor=SYSTEM, data={"run_id": run_id})
        opened = get(tx, task.id)
        assert opened is not None
        task = opened
    if task.status in (TaskStatus.TODO, TaskStatus.IN_REVIEW):
        approvals.withdraw_overtaken(tx, task.id, TaskStatus.IN_PROGRESS)
        gates.overtaken(tx, task, TaskStatus.IN_PROGRESS, SYSTEM)
        return journal.move(
            tx, TASK, task, to=TaskStatus.IN_PROGRESS, kind=Kind.TASK_STARTED, data=data
        )
    journal.tell(
        tx,
        Kind.TASK_STARTED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        data=data,
    )
    return True


def tell_progress(tx: Tx, task: Task, actor: Actor, data: Json) -> None:
    """How far its agent is; what it says again at once is not told, so that no loop fills the
    feed."""
    subject = Subject("task", task.id)
    before = events.newest_of(tx, subject, Kind.TASK_PROGRESS)
    if before is None or before.at <= tx.now - PROGRESS_GAP:
        where = task.workspace_id
        journal.tell(tx, Kind.TASK_PROGRESS, subject, workspace_id=where, actor=actor, data=data)


def touch(tx: Tx, task: Task) -> None:
    """Something that belongs to it has changed: who saw it before must look again (W-26)."""
    tx.write(
        Tasks.update(revision=Tasks.revision + 1, updated_at=tx.now).where(Tasks.id == task.id)
    )


def spend_attempt(tx: Tx, task: Task, *, cost: int, signature: str) -> None:
    """Books a failed attempt before it is decided whether there is another (A-30)."""
    tx.write(
        Tasks.update(
            attempts_spent=Tasks.attempts_spent + cost,
            attempt_wakeups=Tasks.attempt_wakeups + 1,
            last_failure_signature=signature,
            updated_at=tx.now,
        ).where(Tasks.id == task.id)
    )


def fresh_budget(tx: Tx, task: Task) -> None:
    """A person wants it tried again: what was spent before does not count any more (C-50)."""
    fresh = {"attempts_spent": 0, "last_failure_signature": None, "afresh_at": tx.now}
    tx.write(Tasks.update(**fresh).where(Tasks.id == task.id))

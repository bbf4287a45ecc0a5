"""Moves a task, and does in the same transaction what follows for its neighbours in the graph."""

from typing import Any

from roundtable_desktop.engine import repairs, wakers
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Actor, Subject, Task
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    InboxKind,
    Severity,
    Source,
    TaskStatus,
)
from roundtable_desktop.store import (
    dependencies,
    events,
    gathering,
    inbox,
    missions,
    runs,
    tasks,
    wakeups,
)
from roundtable_desktop.store.db import Tx, View

LOST = "blocker_lost"
LOSSES = (TaskStatus.CANCELLED, TaskStatus.FAILED)
"""Ends of a blocker that satisfy nothing (C-42)."""
ANSWERS = ("drop_edge", "cancel", "redo")
_AT_WORK = (TaskStatus.TODO, TaskStatus.IN_PROGRESS)


def move(tx: Tx, ids: Ids, task: Task, to: TaskStatus, *, actor: Actor, **values: Any) -> bool:
    """`tasks.move` and its consequences: `done` lets dependents go on, `cancelled` and `failed`
    ask what becomes of them, and the last subtask's end wakes the parent (K-06, C-42, C-62)."""
    if not tasks.move(tx, task, to, actor=actor, **values):
        return False
    for dependent in dependencies.dependents(tx, task.id):
        if to is TaskStatus.DONE:
            _go_on(tx, ids, dependent)
        elif to in LOSSES:
            _ask(tx, ids, dependent, task, to)
        elif task.status in LOSSES:
            found(tx, ids, dependent, task, actor)
    if to is TaskStatus.TODO and task.status in TERMINAL_TASKS:
        _ask_anew(tx, ids, task.id)
    if to in repairs.ENDS and (waits := repairs.waiting(tx, task)) is not None:
        if to is TaskStatus.DONE and repairs.came(tx, task):
            _end_with_repair(tx, ids, waits, task)
        else:
            _lose_repair(tx, ids, waits, task)
    if to in TERMINAL_TASKS and task.parent_id is not None:
        _tell_parent(tx, ids, task.parent_id)
    return True


def _end_with_repair(tx: Tx, ids: Ids, task: Task, repair: Task) -> None:
    """Its work is merged with the repair's; also of one that somebody was asked about meanwhile."""
    data = {"repaired_by": repair.id}
    opening = (TaskStatus.TODO, TaskStatus.IN_PROGRESS)
    for to in opening if task.status is TaskStatus.BLOCKED else ():
        tasks.move(tx, task, to, actor=SYSTEM, data=data)
        task = _known(tx, task.id)
    move(tx, ids, task, TaskStatus.DONE, actor=SYSTEM, data=data)


def _lose_repair(tx: Tx, ids: Ids, task: Task, repair: Task) -> None:
    """Somebody decides about the task whose work waited for it."""
    if task.status is TaskStatus.IN_REVIEW:
        data = {"by": repairs.LOST}
        tasks.move(tx, task, TaskStatus.IN_PROGRESS, actor=SYSTEM, data=data)
        opened = _known(tx, task.id)
        move(tx, ids, opened, TaskStatus.BLOCKED, actor=SYSTEM, blocked=repairs.lost(repair))


def is_lost(task: Task) -> bool:
    """It is blocked by the end of a blocker, and by nothing else."""
    return (task.blocked or {}).get("kind") == LOST


def found(tx: Tx, ids: Ids, task: Task, blocker: Task, actor: Actor) -> None:
    """The blocker is no loss any more: it is to be done again, or nobody waits for it."""
    for item in inbox.open_about(tx, Subject("task", task.id)):
        if item.kind is InboxKind.BLOCKER_LOST and item.data["blocker_id"] == blocker.id:
            inbox.resolve(tx, item, {"by": "cause"}, actor)
    losses = [one for one in dependencies.waiting_for(tx, task.id) if one.status in LOSSES]
    if is_lost(task) and not losses:
        tasks.move(tx, task, TaskStatus.TODO, actor=actor)
    unblocked(tx, ids, task.id)


def unblocked(tx: Tx, ids: Ids, task_id: str) -> None:
    """After an edge went: what was held goes on, and where nothing was, its agent is woken."""
    task = _known(tx, task_id)
    if dependencies.has_unresolved(tx, task.id) or gathering.release(tx, task.id):
        return
    to_do = task.status is TaskStatus.TODO and task.assignee_agent_id is not None
    if to_do and not missions.is_planned(tx, task) and not wakeups.waiting_for_task(tx, task.id):
        wake(tx, ids, task, Source.TASK_ASSIGNED, "unblocked")


def _known(view: View, task_id: str) -> Task:
    task = tasks.get(view, task_id)
    assert task is not None, "foreign keys hold"
    return task


def wake(
    tx: Tx, ids: Ids, task: Task, source: Source, reason: str, actor: Actor = SYSTEM, **more: object
) -> str:
    """Its assignee, for what was told of last in this transaction: that event names the cause, so
    that it counts once (C-63)."""
    assert task.assignee_agent_id is not None
    cause = wakeups.Cause(
        workspace_id=task.workspace_id,
        agent_id=task.assignee_agent_id,
        task_id=task.id,
        source=source,
        reason=reason,
        payload={"task_id": task.id, **more},
        key=f"{_word(source)}:{task.id}:{events.last_id(tx)}",
        actor=actor,
    )
    return wakers.wake(tx, ids.new(), cause)


def _word(source: Source) -> str:
    """`task_assigned:<task>:…` counts assignments, and no events."""
    return "moved" if source is Source.TASK_ASSIGNED else str(source)


def _go_on(tx: Tx, ids: Ids, task: Task) -> None:
    """K-06: only when all are done. The assignment that was held and this wake are one. A task that
    is looked at, blocked or over is not begun anew by it; only what was held for it goes on."""
    if dependencies.has_unresolved(tx, task.id):
        return
    idle = task.status not in _AT_WORK or task.assignee_agent_id is None
    if idle or missions.is_planned(tx, task):
        gathering.release(tx, task.id)
        return
    resolved = [one.id for one in dependencies.blockers(tx, task.id)]
    source = Source.TASK_BLOCKERS_RESOLVED
    made = wake(tx, ids, task, source, "blockers_resolved", resolved_blocker_ids=resolved)
    gathering.gather(tx, made)


def _ask(tx: Tx, ids: Ids, task: Task, blocker: Task, end: TaskStatus) -> None:
    """Starting would build on work that may not exist, waiting would be a silent stall: a person
    decides (C-42)."""
    if task.status in TERMINAL_TASKS:
        return
    loss = {"kind": LOST, "blocker": blocker.number, "end": str(end)}
    if task.status in _AT_WORK and runs.lease_holder(tx, task.id) is None:
        blocked = {"owner": "user", "action": LOST, **loss}
        tasks.move(tx, task, TaskStatus.BLOCKED, actor=SYSTEM, blocked=blocked)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BLOCKER_LOST,
        Severity.ATTENTION,
        key=f"{LOST}:{task.id}:{blocker.id}:{events.last_id(tx)}",
        subject=Subject("task", task.id),
        workspace_id=task.workspace_id,
        data={
            **loss,
            "number": task.number,
            "task_id": task.id,
            "blocker_id": blocker.id,
            "options": inbox.options(ANSWERS),
        },
    )


def _ask_anew(tx: Tx, ids: Ids, task_id: str) -> None:
    """Opened again, it waits for what was lost while it was over itself."""
    for blocker in dependencies.waiting_for(tx, task_id):
        if blocker.status in LOSSES:
            _ask(tx, ids, _known(tx, task_id), blocker, blocker.status)


def _tell_parent(tx: Tx, ids: Ids, parent_id: str) -> None:
    parent = _known(tx, parent_id)
    if parent.assignee_agent_id is None or parent.status in TERMINAL_TASKS:
        return
    if parent.status is TaskStatus.TODO and missions.is_planned(tx, parent):
        return  # its wave comes (C-96)
    if not dependencies.has_open_below(tx, parent.id):
        wake(tx, ids, parent, Source.TASK_CHILDREN_COMPLETED, "children_completed")

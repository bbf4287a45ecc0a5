"""Which task waits for which: the edges, what is still open, and the way round if there is one."""

from collections.abc import Iterable

from roundtable_desktop.model.graph import Around, Dependency
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Subject, Task
from roundtable_desktop.model.states import DependencySource, DependencyType
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import TaskDependencies, Tasks

UNRESOLVED = """EXISTS (
    SELECT 1 FROM task_dependencies AS d JOIN tasks AS b ON b.id = d.depends_on_task_id
    WHERE d.task_id = t.id AND d.dependency_type = 'hard' AND b.status <> 'done'
)"""
"""SQL: the task `t` (a row of `tasks`) has a blocker that is not done."""

OPEN_BELOW = """EXISTS (
    SELECT 1 FROM tasks AS c
    WHERE c.parent_id = t.id AND c.status NOT IN ('done', 'failed', 'cancelled')
)"""
"""SQL: the task `t` has a subtask that is not over; then it waits for that one's end."""

_BLOCKERS = """
SELECT b.* FROM task_dependencies AS d JOIN tasks AS b ON b.id = d.depends_on_task_id
WHERE d.task_id = ? AND d.dependency_type = 'hard' ORDER BY b.number
"""

_DONE_BEFORE = """
SELECT b.* FROM task_dependencies AS d JOIN tasks AS b ON b.id = d.depends_on_task_id
WHERE d.task_id = ? AND d.dependency_type IN ('hard', 'soft') AND b.status = 'done'
ORDER BY b.number
"""

_DEPENDENTS = """
SELECT t.* FROM task_dependencies AS d JOIN tasks AS t ON t.id = d.task_id
WHERE d.depends_on_task_id = ? AND d.dependency_type = 'hard' ORDER BY t.number
"""

# A task is over after its blockers and after its subtasks: either way round is a circle. Of two
# that only stay apart either may go first.
_NEXT = """
SELECT depends_on_task_id AS id FROM task_dependencies
WHERE task_id = ? AND dependency_type <> 'conflict' AND source <> 'scheduler'
UNION SELECT id FROM tasks WHERE parent_id = ?
"""


_OF_MISSION = """
SELECT d.* FROM tasks AS t JOIN task_dependencies AS d ON d.task_id = t.id
WHERE t.mission_id = ? ORDER BY d.created_at, d.task_id, d.depends_on_task_id
"""


def has_unresolved(view: View, task_id: str) -> bool:
    return bool(view.sql(f"SELECT 1 FROM tasks AS t WHERE t.id = ? AND {UNRESOLVED}", (task_id,)))


def has_open_below(view: View, task_id: str) -> bool:
    return bool(view.sql(f"SELECT 1 FROM tasks AS t WHERE t.id = ? AND {OPEN_BELOW}", (task_id,)))


def of_task(view: View, task_id: str) -> list[Dependency]:
    """Oldest first."""
    here = TaskDependencies.task_id == task_id
    order = (TaskDependencies.created_at, TaskDependencies.depends_on_task_id)
    return view.all(Dependency, TaskDependencies.select().where(here).order_by(*order))


def blockers(view: View, task_id: str) -> list[Task]:
    """What it does not start before, in the order of their numbers."""
    return [read(Task, Tasks, row) for row in view.sql(_BLOCKERS, (task_id,))]


def waiting_for(view: View, task_id: str) -> list[Task]:
    """Its blockers that are not done."""
    return [task for task in blockers(view, task_id) if task.status != "done"]


def done_before(view: View, task_id: str) -> list[Task]:
    """What it builds on and is there by now, also what it could have done without (A-13)."""
    return [read(Task, Tasks, row) for row in view.sql(_DONE_BEFORE, (task_id,))]


def dependents(view: View, task_id: str) -> list[Task]:
    return [read(Task, Tasks, row) for row in view.sql(_DEPENDENTS, (task_id,))]


def around(view: View, task_id: str) -> Around:
    return Around(
        depends_on=tuple(of_task(view, task_id)), waiting_for=tuple(waiting_for(view, task_id))
    )


def way(view: View, start: str, goal: str) -> list[str] | None:
    """The tasks from `start` over blockers and subtasks to `goal`, both included."""
    came_from: dict[str, str | None] = {start: None}
    level = [start]
    while level and goal not in came_from:
        below = []
        for task_id in level:
            for row in view.sql(_NEXT, (task_id, task_id)):
                if row["id"] not in came_from:
                    came_from[row["id"]] = task_id
                    below.append(row["id"])
        level = below
    if goal not in came_from:
        return None
    found, here = [], came_from.get(goal)
    while here is not None:
        found.append(here)
        here = came_from[here]
    return [*found[::-1], goal]


def add(
    tx: Tx,
    task: Task,
    blocker: Task,
    kind: DependencyType,
    *,
    reason: str,
    source: DependencySource,
    actor: Actor,
) -> None:
    tx.write(
        TaskDependencies.insert(
            task_id=task.id,
            depends_on_task_id=blocker.id,
            dependency_type=kind,
            reason=reason,
            source=source,
            created_at=tx.now,
        )
    )
    _tell(tx, task, actor, {"added": blocker.number})


def remove(tx: Tx, task: Task, blocker: Task, actor: Actor) -> bool:
    here = (TaskDependencies.task_id == task.id) & (
        TaskDependencies.depends_on_task_id == blocker.id
    )
    gone = tx.write(TaskDependencies.delete().where(here)) == 1
    if gone:
        _tell(tx, task, actor, {"dropped": blocker.number})
    return gone


def forget_inferred(tx: Tx, task: Task, blocker: Task) -> None:
    """What the planner had inferred between the two gives way to what somebody says (A-41)."""
    here = (
        (TaskDependencies.task_id == task.id)
        & (TaskDependencies.depends_on_task_id == blocker.id)
        & (TaskDependencies.source == DependencySource.SCHEDULER)
    )
    tx.write(TaskDependencies.delete().where(here))


def of_mission(view: View, mission_id: str) -> list[Dependency]:
    """Every edge whose task is of the mission, oldest first."""
    return [read(Dependency, TaskDependencies, row) for row in view.sql(_OF_MISSION, (mission_id,))]


def _tell(tx: Tx, task: Task, actor: Actor, data: dict[str, object]) -> None:
    journal.tell(
        tx,
        Kind.TASK_DEPENDS,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        actor=actor,
        data={"number": task.number, **data},
    )


def numbers(tasks: Iterable[Task]) -> list[str]:
    return [f"T-{task.number}" for task in tasks]

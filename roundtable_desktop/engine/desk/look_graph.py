"""What the faces may see of a task's place among others, and of what waits for a yes or a no."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.graph import Approval, Around, Dependency
from roundtable_desktop.model.records import Agent, InboxItem, Task, Workspace
from roundtable_desktop.model.states import DependencyType, TaskStatus
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.store import (
    agents,
    approvals,
    dependencies,
    lists,
    mission_sights,
    pulses,
    tasks,
)
from roundtable_desktop.store.db import Reader, View

LIVE_TASKS = ("in_progress", "in_review", "blocked", "interrupted", "failed", "todo")


@dataclass(frozen=True, slots=True)
class Standing:
    """One open task with whom it waits for, and why. waiting_for: numbers of its blockers."""

    task: Task
    agent: Agent | None
    explanation: Explanation
    waiting_for: Sequence[int] = ()


class GraphLook:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def around(self, found: Iterable[Task]) -> dict[str, Around]:
        """By the tasks' ids."""
        with self._reader.snapshot() as view:
            ids = [task.id for task in found]
            drawn = mission_sights.edges(view, ids)
            open_ones = mission_sights.open_blockers(view, ids)
            alive = pulses.of_tasks(view, ids)
            return {
                one: Around(
                    depends_on=tuple(drawn[one]),
                    waiting_for=tuple(open_ones[one]),
                    heartbeat_at=alive[one],
                )
                for one in ids
            }

    def blockers(self, task: Task) -> list[Task]:
        with self._reader.snapshot() as view:
            return dependencies.blockers(view, task.id)

    def ties(self, task: Task) -> list[tuple[Dependency, Task]]:
        """What it is tied to besides its blockers, and how."""
        with self._reader.snapshot() as view:
            drawn = [
                one
                for one in dependencies.of_task(view, task.id)
                if one.dependency_type is not DependencyType.HARD
            ]
            others = [(one, tasks.get(view, one.depends_on_task_id)) for one in drawn]
            return [(one, other) for one, other in others if other is not None]

    def below(self, task: Task) -> list[Task]:
        with self._reader.snapshot() as view:
            return tasks.below(view, task.id)

    def moves(self, task: Task) -> list[TaskStatus]:
        """Where a person can move it now."""
        with self._reader.snapshot() as view:
            return board.moves(view, task)

    def about(self, found: Iterable[InboxItem]) -> dict[str, Task]:
        """By the items' ids, the task that each of them names, or is about."""
        with self._reader.snapshot() as view:
            named = {one.id: tasks.get(view, _task_of(one)) for one in found}
        return {item: task for item, task in named.items() if task is not None}

    def approvals(self, after: str | None, limit: int, **filters: object) -> list[Approval]:
        with self._reader.snapshot() as view:
            return lists.page(view, lists.APPROVALS, after=after, limit=limit, **filters)

    def approval(self, ref: str) -> Approval:
        with self._reader.snapshot() as view:
            found = approvals.get(view, ref) or lists.by_suffix(view, lists.APPROVALS, ref)
        if found is None:
            raise Absent("unknown_approval")
        return found


def _task_of(item: InboxItem) -> str:
    about = item.subject_id if item.subject_type == "task" else ""
    return str(item.data.get("task_id") or about)


def standing(
    view: View, workspace: Workspace, now: datetime, mission: str | None = None
) -> list[Standing]:
    """The workspace's tasks that are not over, or those of the mission; those that wait for others
    come last."""
    whose = {"mission_id": mission} if mission is not None else {}
    live = {"workspace_id": workspace.id, "status": LIVE_TASKS, **whose}
    found = [
        Standing(
            task,
            agents.get(view, task.assignee_agent_id) if task.assignee_agent_id else None,
            explain.of_task(view, task, now),
            [one.number for one in dependencies.waiting_for(view, task.id)],
        )
        for task in lists.page(view, lists.TASKS, after=None, limit=50, **live)
    ]
    return sorted(found, key=lambda one: bool(one.waiting_for))

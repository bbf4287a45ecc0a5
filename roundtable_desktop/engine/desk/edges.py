"""What a task waits for, as people and agents say it: checked, drawn, dropped."""

from collections.abc import Sequence

from roundtable_desktop.engine import graph
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, DependencySource, DependencyType, Role
from roundtable_desktop.store import agents, dependencies, lists, tasks
from roundtable_desktop.store.db import Tx, View

MOST = 50
"""Blockers of one task."""


def draw(tx: Tx, task: Task, wanted: Sequence[Edge], actor: Actor) -> None:
    """New edges of a task; each is refused that leads nowhere, elsewhere, or round in a circle."""
    for edge, blocker in _distinct(tx, task, wanted):
        _add(tx, task, edge, blocker, actor)


def replace(tx: Tx, ids: Ids, task: Task, wanted: Sequence[Edge], actor: Actor) -> None:
    """These and no others; what was held for one that went goes on if nothing else holds it."""
    if task.status in TERMINAL_TASKS:
        raise Conflict("task_over", number=task.number, status=str(task.status))
    asked = _distinct(tx, task, wanted)
    kept = {blocker.id for _, blocker in asked}
    known = {
        one.depends_on_task_id for one in dependencies.of_task(tx, task.id) if not one.inferred
    }
    for edge, blocker in asked:
        if blocker.id not in known:
            _add(tx, task, edge, blocker, actor)
    for blocker_id in known - kept:
        drop(tx, ids, task.id, blocker_id, actor)
    if known != kept:
        tasks.touch(tx, task)


def drop(tx: Tx, ids: Ids, task_id: str, blocker_id: str, actor: Actor) -> None:
    task, blocker = tasks.get(tx, task_id), tasks.get(tx, blocker_id)
    assert task is not None and blocker is not None, "foreign keys hold"
    if dependencies.remove(tx, task, blocker, actor):
        graph.found(tx, ids, task, blocker, actor)


def check_unblocked(view: View, task: Task) -> None:
    """Refuses to start what something else must come before."""
    waiting_for = dependencies.waiting_for(view, task.id)
    if waiting_for:
        numbers = dependencies.numbers(waiting_for)
        raise Blocked("task_waits_for_others", number=task.number, tasks=numbers)


def _distinct(tx: Tx, task: Task, wanted: Sequence[Edge]) -> list[tuple[Edge, Task]]:
    if len(wanted) > MOST:
        raise Invalid("too_many_blockers", "/depends_on", most=MOST)
    found: dict[str, tuple[Edge, Task]] = {}
    for edge in wanted:
        blocker = _blocker(tx, task, edge)
        found.setdefault(blocker.id, (edge, blocker))
    return list(found.values())


def _blocker(tx: Tx, task: Task, edge: Edge) -> Task:
    """Another workspace's task is as if it did not exist (K-64)."""
    given = edge.depends_on_task_id
    blocker = tasks.get(tx, given) or lists.by_suffix(tx, lists.TASKS, given)
    if blocker is None or blocker.workspace_id != task.workspace_id:
        raise Absent("unknown_task", edge.pointer)
    hard = edge.dependency_type is DependencyType.HARD
    if not hard and (task.mission_id is None or task.mission_id != blocker.mission_id):
        kind = str(edge.dependency_type)
        raise Invalid("dependency_type_unused", edge.pointer, type=kind)
    return blocker


def _add(tx: Tx, task: Task, edge: Edge, blocker: Task, actor: Actor) -> None:
    hard = edge.dependency_type is DependencyType.HARD
    if hard and blocker.status in graph.LOSSES:
        status, number = str(blocker.status), blocker.number
        raise Conflict("blocker_over", edge.pointer, number=number, status=status)
    if edge.dependency_type is not DependencyType.CONFLICT or blocker.id == task.id:
        way = dependencies.way(tx, blocker.id, task.id)
        if way is not None:
            raise Invalid("dependency_circle", edge.pointer, path=_path(tx, [task.id, *way]))
    dependencies.forget_inferred(tx, task, blocker)
    dependencies.add(
        tx,
        task,
        blocker,
        edge.dependency_type,
        reason=edge.reason,
        source=edge.source or _source(tx, actor),
        actor=actor,
    )


def _source(view: View, actor: Actor) -> DependencySource:
    """What a coordinator draws is the plan (A-41)."""
    if actor.type == "person":
        return DependencySource.USER
    agent = agents.get(view, actor.id) if actor.type == "agent" else None
    coordinates = agent is not None and agent.role is Role.COORDINATOR
    return DependencySource.ARCHITECTURE if coordinates else DependencySource.WORKER


def _path(tx: Tx, way: list[str]) -> str:
    """T-1 → T-2 → T-1: each waits for the next."""
    found = [tasks.get(tx, one) for one in way]
    return " → ".join(dependencies.numbers(one for one in found if one is not None))

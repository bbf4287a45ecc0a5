"""The graph of a mission's tasks: what is wrong with it, and what holds each one back (A-11)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from roundtable_desktop.model.states import TERMINAL_TASKS, DependencyType, TaskStatus
from roundtable_desktop.model.waves import (
    STANDS,
    Fault,
    PlanEdge,
    PlanTask,
    Reason,
    Seen,
    Why,
)

MOST_FAULTS = 20
LOST = (TaskStatus.FAILED, TaskStatus.CANCELLED)
"""Ends of a dependency that satisfy nothing (C-42)."""


class Graph:
    """Edges by what they do. hard: must be done before. soft: sorts and gives context. first: a
    planned serialization, that one goes first while it can. apart: never both at once, in either
    order: every conflict, and what the planner itself inferred (A-41)."""

    def __init__(self, seen: Seen) -> None:
        tasks = sorted(seen.tasks, key=lambda task: (task.number, task.id))
        self.tasks: Mapping[str, PlanTask] = {task.id: task for task in tasks}
        self.outside = seen.outside
        edges = sorted(seen.edges, key=lambda edge: (edge.task_id, edge.depends_on_task_id))
        self.edges = [edge for edge in edges if edge.task_id in self.tasks]
        self.hard: dict[str, list[str]] = {}
        self.soft: dict[str, list[str]] = {}
        self.first: dict[str, list[str]] = {}
        self.apart: dict[str, dict[str, PlanEdge]] = {}
        for edge in self.edges:
            self._file(edge)
        self.faults = [*self._dangling(), *self._circles()][:MOST_FAULTS]

    def _file(self, edge: PlanEdge) -> None:
        one, other = edge.task_id, edge.depends_on_task_id
        if edge.dependency_type is DependencyType.HARD:
            self.hard.setdefault(one, []).append(other)
        elif edge.dependency_type is DependencyType.SOFT:
            self.soft.setdefault(one, []).append(other)
        elif edge.dependency_type is DependencyType.SERIALIZATION and not edge.inferred:
            self.first.setdefault(one, []).append(other)
        elif other in self.tasks and other != one:
            self.apart.setdefault(one, {})[other] = edge
            self.apart.setdefault(other, {})[one] = edge

    def status(self, task_id: str) -> TaskStatus | None:
        task = self.tasks.get(task_id)
        return task.status if task else self.outside.get(task_id)

    def is_open(self, task_id: str) -> bool:
        return task_id in self.tasks and self.tasks[task_id].status not in TERMINAL_TASKS

    def _dangling(self) -> Iterable[Fault]:
        """What the planner inferred itself goes without a word when its task has gone."""
        for edge in self.edges:
            if edge.inferred or not self.is_open(edge.task_id):
                continue
            if self.status(edge.depends_on_task_id) is None:
                yield Fault(code="dangling", path=(edge.task_id, edge.depends_on_task_id))

    def before(self, task_id: str) -> Sequence[str]:
        """The open tasks of the mission that it waits for."""
        names = [*self.hard.get(task_id, ()), *self.first.get(task_id, ())]
        return [name for name in names if self.is_open(name)]

    def _circles(self) -> Iterable[Fault]:
        """Depth first, without recursion; each way back to a task that is on the way is one."""
        over: set[str] = set()
        for root in self.tasks:
            if root in over or not self.is_open(root):
                continue
            way, left = {root: None}, [iter(self.before(root))]
            while left:
                name = next(left[-1], None)
                if name is None:
                    left.pop()
                    over.add(way.popitem()[0])
                elif name in way:
                    path = list(way)
                    yield Fault(code="circle", path=(*path[path.index(name) :], name))
                elif name not in over:
                    way[name] = None
                    left.append(iter(self.before(name)))

    def in_order(self) -> list[str]:
        """Every open task, after all that it waits for. Only of a graph without circles."""
        done: dict[str, None] = {}
        for root in self.tasks:
            waiting = [root] if self.is_open(root) else []
            while waiting:
                name = waiting[-1]
                more = [one for one in self.before(name) if one not in done]
                waiting.extend(more)
                if not more:
                    done[waiting.pop()] = None
        return list(done)

    def downstream(self, order: Sequence[str]) -> Mapping[str, int]:
        """How many tasks at most come one after another behind each (the critical path)."""
        length = dict.fromkeys(order, 0)
        for name in reversed(order):
            for earlier in self.before(name):
                length[earlier] = max(length[earlier], length[name] + 1)
        return length


def held_back(
    graph: Graph, order: Sequence[str], now: datetime, nobody: Callable[[PlanTask], Reason | None]
) -> dict[str, Reason | None]:
    """Of each open task in `order`: why it cannot be dispatched, whatever is beside it; None: it
    can. nobody: why no agent will take it until a person acts; then what waits for it stands too.
    """
    found: dict[str, Reason | None] = {}
    for name in order:
        task = graph.tasks[name]
        reason = own_reason(task, now) or _by_edges(graph, name, found)
        if reason is None and task.due_at is not None and task.due_at > now:
            reason = Reason(code=Why.LATER, values={"until": task.due_at})
        found[name] = reason or nobody(task)
    return found


def own_reason(task: PlanTask, now: datetime) -> Reason | None:
    """By the task alone: it goes on, or it stands; None: its place in the graph decides."""
    later = task.due_at is not None and task.due_at > now
    if task.status is TaskStatus.IN_REVIEW:
        return Reason(code=Why.IN_REVIEW)
    if task.live:
        return Reason(code=Why.LATER, values={"until": task.due_at}) if later else _AT_WORK
    if task.status is TaskStatus.BLOCKED:
        return Reason(code=Why.BLOCKED)
    if task.status is TaskStatus.INTERRUPTED:
        return None if later else Reason(code=Why.INTERRUPTED)
    if task.held_by is not None and not later:
        return Reason(code=Why.HELD, values={"by": task.held_by})
    return None


_AT_WORK = Reason(code=Why.AT_WORK)


def _by_edges(graph: Graph, name: str, found: Mapping[str, Reason | None]) -> Reason | None:
    hard = sorted(set(graph.hard.get(name, ())))
    if lost := tuple(one for one in hard if graph.status(one) in LOST):
        return Reason(code=Why.BLOCKER_LOST, values={"tasks": lost})
    waits = tuple(one for one in hard if graph.status(one) is not TaskStatus.DONE)
    if stands := tuple(one for one in waits if _stands(found.get(one))):
        return Reason(code=Why.BLOCKER_STANDS, values={"tasks": stands})
    if waits:
        return Reason(code=Why.WAITS_FOR, values={"tasks": waits})
    for one in sorted(set(graph.first.get(name, ()))):
        if graph.is_open(one) and not _stands(found.get(one)):
            return Reason(code=Why.SERIALIZED, values={"task": one})
    return None


def _stands(reason: Reason | None) -> bool:
    return reason is not None and reason.code in STANDS

"""Plans the next wave of a mission: which tasks are dispatched now, and why the others are not.

Nothing is launched here: the engine stores the plan and makes `task_assigned` wakeups of it (C-34).
The same picture gives the same plan (A-11…A-18, A-33, A-41).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.resources import Room
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    DependencySource,
    DependencyType,
    TaskStatus,
)
from roundtable_desktop.model.waves import (
    STANDS,
    PlanAgent,
    PlanEdge,
    PlanTask,
    Reason,
    Seen,
    Step,
    WavePlan,
    Why,
    Work,
    WorkspacePlan,
)
from roundtable_desktop.rules.areas import Pattern, Taken, patterns
from roundtable_desktop.rules.concurrency import room
from roundtable_desktop.rules.crew import Crew
from roundtable_desktop.rules.graphs import Graph, held_back, own_reason
from roundtable_desktop.rules.models import assign

MOST_INFERRED = 8
"""Edges of the planner that one task gets; beyond them its area is looked at anew each time. So
many tasks of one file are not a row for each two of them."""

SERIALIZED = (
    Why.SERIALIZED,
    Why.SAME_AREA,
    Why.AREA_UNKNOWN,
    Why.FAILURE_SURFACE,
    Why.UNSTABLE,
    Why.LOCKED,
)
_INFERS = SERIALIZED[1:]


def plan(seen: Seen, wave_id: str) -> WavePlan:
    """A task has its hard dependencies done and nothing beside it that may write the same (A-13,
    A-14). Who was never begun goes before who is tried again, so that each task that can run
    begins within as many waves as there are tasks."""
    graph = Graph(seen)
    if graph.faults:
        return _invalid(seen, graph, wave_id)
    order = graph.in_order()
    crew = Crew(seen)
    held = held_back(graph, order, seen.now, crew.nobody)
    ready = [graph.tasks[name] for name, reason in held.items() if reason is None]
    wave = _Wave(seen, graph, held, crew)
    for task in _sorted(graph, ready, graph.downstream(order)):
        wave.judge(task)
    return wave.told(wave_id)


def area_of(task: PlanTask) -> tuple[Pattern, ...]:
    """() when nobody knows what it writes, or it was told to write alone. A debugger works where it
    failed unless it was told more."""
    if task.serial:
        return ()
    said = (*task.write_area, *task.expected_files, *task.learned)
    return patterns(said or (task.failure_surface if task.work is Work.DEBUG else ()))


def _sorted(
    graph: Graph, ready: Iterable[PlanTask], downstream: Mapping[str, int]
) -> list[PlanTask]:
    """Never begun first, then by priority, then those whose soft dependencies are over (A-13), then
    what most others wait for."""

    def place(task: PlanTask) -> tuple[int, int, int, int, int, str]:
        soft = sum(graph.is_open(one) for one in graph.soft.get(task.id, ()))
        behind = downstream[task.id]
        return task.attempts, -task.priority, soft, -behind, task.number, task.id

    return sorted(ready, key=place)


class _Wave:
    """A plan while it is made; what is at work, in review or in the wave is `taken`."""

    def __init__(
        self, seen: Seen, graph: Graph, held: dict[str, Reason | None], crew: Crew
    ) -> None:
        self._seen, self._graph = seen, graph
        self._why = {name: reason for name, reason in held.items() if reason is not None}
        self._crew = crew
        self._writers, self._surfaces, self._lookers = Taken(), Taken(), Taken()
        self._locks: dict[str, str | None] = dict.fromkeys(sorted(seen.resources.locks))
        self._taken: dict[str, None] = {}
        self._chosen: dict[str, PlanAgent] = {}
        self._edges: list[PlanEdge] = []
        self._inferred = Counter(edge.task_id for edge in graph.edges if edge.inferred)
        live, mended = seen.resources.other_runs, _mended(seen.tasks)
        for task in graph.tasks.values():
            waits = task.status is TaskStatus.IN_REVIEW and task.id not in mended
            if (task.live or waits) and graph.is_open(task.id):
                self._take(task)
                live += self._why[task.id].code is Why.AT_WORK
        self._live = live
        self._room: Room = room(seen.resources, live)

    def _take(self, task: PlanTask) -> None:
        self._taken[task.id] = None
        if not task.reads_only:
            self._writers.add(task.id, area_of(task))
        elif task.work is Work.REVIEW and task.snapshot is None:
            self._lookers.add(task.id, area_of(task))
        if task.work is Work.DEBUG and task.failure_surface:
            self._surfaces.add(task.id, patterns(task.failure_surface))
        for lock in task.locks:
            self._locks.setdefault(lock, task.id)

    def judge(self, task: PlanTask) -> None:
        """One that is ready by the graph: into the wave, or not and why."""
        beside = self._beside(task)
        if beside is not None:
            self._why[task.id] = beside
            return self._infer(task, beside)
        agent = self._crew.who(task)
        if self._live + len(self._chosen) >= self._room.most:
            values = {"most": self._room.most, "limit": self._room.code}
            self._why[task.id] = Reason(code=Why.NO_ROOM, values=values)
        elif isinstance(agent, Reason):
            self._why[task.id] = agent
        else:
            self._crew.give(agent)
            self._take(task)
            self._chosen[task.id] = agent
            self._why[task.id] = Reason(code=Why.PLANNED, values={"agent_id": agent.id})

    def _beside(self, task: PlanTask) -> Reason | None:
        """What is taken already and does not go together with it."""
        area = area_of(task)
        for other, edge in self._graph.apart.get(task.id, {}).items():
            if other in self._taken and _binds(edge, task, self._graph.tasks[other]):
                return Reason(code=Why.SERIALIZED, values={"task": other})
        for lock in task.locks:
            if lock in self._locks:
                return Reason(code=Why.LOCKED, values={"lock": lock, "task": self._locks[lock]})
        if task.reads_only:
            stable = task.work is not Work.REVIEW or task.snapshot is not None
            met = None if stable else self._writers.first(area)
            return Reason(code=Why.UNSTABLE, values={"task": met[0]}) if met else None
        return (
            _met(Why.SAME_AREA, self._writers, area, Why.AREA_UNKNOWN)
            or _met(Why.FAILURE_SURFACE, self._surfaces, area)
            or self._surface(task)
            or _met(Why.UNSTABLE, self._lookers, area)
        )

    def _surface(self, task: PlanTask) -> Reason | None:
        """A debugger stays apart from what works where the failure is (A-16)."""
        if task.work is not Work.DEBUG or not task.failure_surface:
            return None
        return _met(Why.FAILURE_SURFACE, self._writers, patterns(task.failure_surface))

    def _infer(self, task: PlanTask, reason: Reason) -> None:
        """The edge that says it the next time (A-04, A-41)."""
        other = reason.values["task"]
        if reason.code not in _INFERS or other is None or self._inferred[task.id] >= MOST_INFERRED:
            return
        sure = reason.code is Why.SAME_AREA
        self._inferred[task.id] += 1
        self._edges.append(
            PlanEdge(
                task_id=task.id,
                depends_on_task_id=str(other),
                dependency_type=DependencyType.CONFLICT if sure else DependencyType.SERIALIZATION,
                source=DependencySource.SCHEDULER,
                reason=str(reason.code),
            )
        )

    def told(self, wave_id: str) -> WavePlan:
        tasks = self._graph.tasks
        blocked = tuple(name for name, why in self._why.items() if why.code in STANDS)
        step = self._step(blocked)
        counts = Counter(str(why.code) for why in self._why.values())
        room_values = {"live": self._live, "most": self._room.most, "limit": self._room.code}
        chosen = self._chosen
        return WavePlan(
            wave_id=wave_id,
            step=step,
            reason=Reason(code=self._code(step), values={"tasks": dict(counts), **room_values}),
            runnable_task_ids=tuple(chosen),
            serialized_task_ids=tuple(
                name for name, why in self._why.items() if why.code in SERIALIZED
            ),
            agent_assignments={name: agent.id for name, agent in chosen.items()},
            workspace_assignments={name: _workspace(tasks[name]) for name in chosen},
            model_assignments={name: assign(tasks[name], agent) for name, agent in chosen.items()},
            edges=tuple(self._edges),
            tasks=self._why,
            until=min(_times(self._why), default=None),
            blocked_task_ids=blocked,
            orphaned_task_ids=tuple(name for name in self._why if _orphaned(tasks[name])),
            room=self._room,
        )

    def _step(self, blocked: Sequence[str]) -> Step:
        if self._chosen:
            return Step.RUNNABLE
        if self._seen.tasks and not self._why:
            return Step.TERMINAL
        stands = bool(self._why) and len(blocked) == len(self._why)
        return Step.BLOCKED if stands and not self._seen.busy else Step.WAITING

    def _code(self, step: Step) -> str:
        return str(step) if self._seen.tasks else "awaiting_initial_work"


def _binds(edge: PlanEdge, task: PlanTask, other: PlanTask) -> bool:
    """One that was inferred because an area was unknown binds while it is."""
    unknown = edge.inferred and edge.reason == Why.AREA_UNKNOWN
    return not unknown or not area_of(task) or not area_of(other)


def _met(
    code: Why, taken: Taken, area: Sequence[Pattern], unknown: Why | None = None
) -> Reason | None:
    """unknown: the code where it is not known what one of the two writes, if it is another one."""
    met = taken.first(area)
    if met is None:
        return None
    task, where = met
    if where is None:
        return Reason(code=unknown or code, values={"task": task})
    return Reason(code=code, values={"task": task, "path": where.path, "other": where.other})


def _mended(tasks: Sequence[PlanTask]) -> set[str]:
    """Those whose work a repair carries on: what they hold back is that one's to hold."""
    return {one.mends for one in tasks if one.mends and one.status not in TERMINAL_TASKS}


def _workspace(task: PlanTask) -> WorkspacePlan:
    """A review looks at its snapshot, in a copy that cannot be handed in (A-15)."""
    strategy = WorkspaceStrategy.MAIN if task.reads_only else task.workspace_strategy
    return WorkspacePlan(strategy=strategy, read_only=task.reads_only, base=task.snapshot)


def _orphaned(task: PlanTask) -> bool:
    waits = task.live or task.due_at is not None or task.held_by is not None
    return task.status is TaskStatus.IN_PROGRESS and not waits


def _invalid(seen: Seen, graph: Graph, wave_id: str) -> WavePlan:
    """Nothing is begun in a graph that says two things; what runs goes on (A-12, C-82)."""
    invalid = Reason(code=Why.INVALID)
    why = {
        name: own_reason(task, seen.now) or invalid
        for name, task in graph.tasks.items()
        if graph.is_open(name)
    }
    blocked = tuple(name for name, reason in why.items() if reason.code in STANDS)
    goes_on = seen.busy or len(blocked) < len(why)
    return WavePlan(
        wave_id=wave_id,
        step=Step.WAITING if goes_on else Step.BLOCKED,
        reason=Reason(code="invalid", values={"faults": len(graph.faults)}),
        blocked_task_ids=blocked,
        tasks=why,
        until=min(_times(why), default=None),
        faults=tuple(graph.faults),
    )


def _times(why: Mapping[str, Reason]) -> Iterable[datetime]:
    for reason in why.values():
        until = reason.values.get("until")
        if isinstance(until, datetime):
            yield until

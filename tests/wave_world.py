"""Pictures of missions for the planner, and an execution of its waves without anything real."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from roundtable_desktop.model.convergence import Converged, TaskFact
from roundtable_desktop.model.resources import Gauge, Resources
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    DependencySource,
    DependencyType,
    TaskStatus,
)
from roundtable_desktop.model.waves import (
    PlanAgent,
    PlanEdge,
    PlanTask,
    Seen,
    Step,
    WavePlan,
    Why,
    Work,
)
from roundtable_desktop.rules.areas import overlap
from roundtable_desktop.rules.convergence import converge
from roundtable_desktop.rules.waves import SERIALIZED, plan

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
SOON = NOW + timedelta(minutes=5)
LATER = NOW + timedelta(hours=1)
CALM = Gauge(cores=8, cpu=0.1, memory=0.3, memory_free=16 << 30, disk_free=100 << 30)


def task(name: str, **more: Any) -> PlanTask:
    """`a` writes `a/` unless it is said otherwise."""
    values: dict[str, Any] = {
        "number": ord(name[-1]),
        "status": TaskStatus.TODO,
        "write_area": (f"{name}/",),
    }
    return PlanTask(id=name, **{**values, **more})


def agents(count: int = 3, role: str = "worker", **more: Any) -> tuple[PlanAgent, ...]:
    return tuple(
        PlanAgent(id=f"{role}-{number}", role=role, **more) for number in range(1, count + 1)
    )


def edge(text: str, **more: Any) -> PlanEdge:
    """`b>a`: b waits for a."""
    one, other = text.split(">")
    return PlanEdge(task_id=one, depends_on_task_id=other, **more)


def hard(*texts: str) -> tuple[PlanEdge, ...]:
    return tuple(edge(text) for text in texts)


def typed(text: str, kind: DependencyType, source: DependencySource) -> PlanEdge:
    return edge(text, dependency_type=kind, source=source)


def seen(*tasks: PlanTask, **more: Any) -> Seen:
    values: dict[str, Any] = {
        "agents": agents(9),
        "resources": Resources(gauge=CALM),
        **more,
    }
    return Seen(now=NOW, tasks=tasks, **values)


def why(made: WavePlan) -> dict[str, str]:
    return {name: str(reason.code) for name, reason in made.tasks.items()}


# --- waves that are carried out ----------------------------------------------------------------

AREAS = ("a/", "a/x.py", "b/", "b/*.py", "**/*.md", "c.py", "c.py#1-9", "c.py#20-30", "d/e/")
BUDGET = 3
READY = (*SERIALIZED, Why.PLANNED, Why.NO_ROOM, Why.AGENT_BUSY)


@dataclass
class Mission:
    """A graph and what becomes of it; `random` decides how runs end and in what order."""

    dice: random.Random
    tasks: dict[str, PlanTask]
    edges: list[PlanEdge]
    agents: tuple[PlanAgent, ...]
    resources: Resources
    waves: int = 0
    ready_since: dict[str, int] = field(default_factory=dict)
    batches: bool = True
    ends: Counter[str] = field(default_factory=Counter)

    def picture(self) -> Seen:
        live = Counter(one.assignee_agent_id for one in self.tasks.values() if one.live)
        crew = tuple(replace(one, active=live[one.id]) for one in self.agents)
        return Seen(
            now=NOW,
            tasks=tuple(self.tasks.values()),
            edges=tuple(self.edges),
            agents=crew,
            resources=self.resources,
        )

    def run(self) -> WavePlan:
        """Until nothing can be begun any more; the last plan."""
        for _ in range(len(self.tasks) * (BUDGET + 2) * 3 + 3):
            made = plan(self.picture(), f"wave-{self.waves}")
            assert made == plan(self.picture(), f"wave-{self.waves}"), "the same picture"
            if made.step in (Step.TERMINAL, Step.BLOCKED):
                return made
            self.carry_out(made)
            self.let_end()
        raise AssertionError("it never comes to an end")

    def carry_out(self, made: WavePlan) -> None:
        self.edges += made.edges
        if made.step is Step.RUNNABLE:
            self.waves += 1
            self.count(made)
        for name in made.runnable_task_ids:
            before = self.tasks[name]
            self.tasks[name] = replace(
                before,
                status=TaskStatus.IN_PROGRESS,
                live=True,
                attempts=before.attempts + 1,
                assignee_agent_id=made.agent_assignments[name],
            )
            for one in self.blockers(name):
                assert self.tasks[one].status is TaskStatus.DONE, (name, one)
        self.check_apart()

    def count(self, made: WavePlan) -> None:
        """Each that could run begins within as many waves as there are tasks. What is at work for
        many waves is another matter, and so is what somebody wants to go first."""
        for name, reason in made.tasks.items():
            first = self.goes_first(name, reason.values.get("task"))
            ready = self.batches and reason.code in READY and not first
            if self.tasks[name].attempts == 0 and ready:
                since = self.ready_since.setdefault(name, self.waves)
                assert self.waves - since < len(self.tasks), (name, reason)

    def goes_first(self, name: str, other: object) -> bool:
        return any(
            one.task_id == name
            and one.depends_on_task_id == other
            and one.dependency_type is DependencyType.SERIALIZATION
            and not one.inferred
            for one in self.edges
        )

    def blockers(self, name: str) -> Iterable[str]:
        kind = DependencyType.HARD
        for one in self.edges:
            if one.task_id == name and one.dependency_type is kind:
                yield one.depends_on_task_id

    def check_apart(self) -> None:
        writing = [one for one in self.tasks.values() if holds(one)]
        for place, one in enumerate(writing):
            for other in writing[place + 1 :]:
                if one.live or other.live:
                    assert overlap(one.write_area, other.write_area) is None, (one, other)
        busy = Counter(one.assignee_agent_id for one in self.tasks.values() if one.live)
        most = {one.id: one.capacity for one in self.agents}
        assert all(count <= most[str(name)] for name, count in busy.items()), busy
        limit = self.resources.most
        assert limit is None or sum(busy.values()) <= limit

    def let_end(self) -> None:
        """All that is at work, or one of it and in any order; what is in review is merged."""
        going = [one for one in self.tasks.values() if holds(one) or one.live]
        if not self.batches:
            going = self.dice.sample(going, 1) if going else []
        for one in going:
            self.tasks[one.id] = replace(one, **self.end_of(one))

    def end_of(self, one: PlanTask) -> dict[str, Any]:
        if one.status is TaskStatus.IN_REVIEW:
            return {"status": TaskStatus.DONE}
        end = self.dice.choice(ENDS)
        if end == "fails" and one.attempts >= BUDGET:
            end = "lost"
        self.ends[end] += 1
        status = {
            "done": TaskStatus.DONE,
            "review": TaskStatus.DONE if self.batches else TaskStatus.IN_REVIEW,
            "fails": TaskStatus.IN_PROGRESS,
            "blocks": TaskStatus.BLOCKED,
            "lost": TaskStatus.FAILED,
        }[end]
        return {"status": status, "live": False}


ENDS = ("done", "done", "done", "review", "review", "fails", "fails", "blocks")


def holds(one: PlanTask) -> bool:
    at_work = one.live or one.status is TaskStatus.IN_REVIEW
    return at_work and one.status not in TERMINAL_TASKS and not one.reads_only


def random_mission(seed: int, *, most: int = 12, batches: bool = True) -> Mission:
    """Edges go from later tasks to earlier ones, so that there is no circle."""
    dice = random.Random(seed)
    names = [f"t{number:02}" for number in range(dice.randint(1, most))]
    tasks = {
        name: PlanTask(
            id=name,
            number=number,
            status=TaskStatus.TODO,
            priority=dice.choice([0, 0, 0, 5]),
            write_area=tuple(dice.sample(AREAS, dice.choice([0, 1, 1, 1, 2]))),
            work=dice.choice([Work.EXECUTE] * 4 + [Work.DEBUG]),
            assignee_agent_id=dice.choice([None] * 30 + ["gone"]),
        )
        for number, name in enumerate(names)
    }
    edges = [
        PlanEdge(
            task_id=name,
            depends_on_task_id=other,
            dependency_type=dice.choice([DependencyType.HARD] * 3 + [*DependencyType]),
            source=dice.choice([DependencySource.USER, DependencySource.ARCHITECTURE]),
        )
        for number, name in enumerate(names)
        for other in dice.sample(names[:number], min(number, dice.choice([0, 0, 1, 2])))
    ]
    crew = tuple(
        PlanAgent(id=f"a{number}", role="worker", capacity=dice.randint(1, 2))
        for number in range(dice.randint(1, 4))
    )
    limit = dice.choice([None, 1, 2, 5])
    resources = Resources(gauge=CALM, most=limit)
    return Mission(dice, tasks, edges, crew, resources, batches=batches)


def carry_out(seeds: Iterable[int], *, batches: bool) -> None:
    """Each mission comes to the end that its rows say, and the ends are of every kind."""
    steps, reasons, ends = set(), set(), set()
    for seed in seeds:
        mission = random_mission(seed, batches=batches)
        last = mission.run()
        reasons |= {str(one.code) for one in last.tasks.values()}
        steps.add(last.step)
        ends |= set(mission.ends)
        stands = set(last.blocked_task_ids)
        state = converge([fact(one, stands) for one in mission.tasks.values()], []).state
        if last.step is Step.TERMINAL:
            assert all(one.status in TERMINAL_TASKS for one in mission.tasks.values()), seed
            assert state is Converged.COMPLETED, seed
        else:
            assert stands == set(last.tasks), seed
            assert state is Converged.BLOCKED, seed
    assert steps == {Step.TERMINAL, Step.BLOCKED}, "both ends were seen"
    assert reasons >= {"blocked", "blocker_stands", "blocker_lost"}
    assert ends == set(ENDS) | {"lost"}


def fact(one: PlanTask, stands: set[str]) -> TaskFact:
    return TaskFact(id=one.id, status=one.status, stands=one.id in stands)

"""How the API shows a task, with what it waits for, and how it reads what it is to wait for."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, get_args

from pydantic import AliasChoices, Field

from roundtable_desktop.dashboard.api.gates_shown import GateShown, gates_shown
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Ref, Shown
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_gates import Stage
from roundtable_desktop.model import records
from roundtable_desktop.model.graph import Around, Edge
from roundtable_desktop.model.states import DependencySource, DependencyType

Kind = Literal["hard", "soft", "conflict", "serialization"]
Maker = Literal["architecture", "scheduler", "worker", "user", "system"]
Refs = Annotated[list[Ref], Field(max_length=50)]


class EdgeWanted(Words):
    """Also read as {task_id, type} (C-64). hard: not before it is done; soft: rather after it;
    conflict: not at the same time; serialization: one after the other. All but `hard` are for two
    tasks of one mission."""

    depends_on_task_id: Ref = Field(validation_alias=AliasChoices("depends_on_task_id", "task_id"))
    dependency_type: Kind = Field(
        default="hard", validation_alias=AliasChoices("dependency_type", "type")
    )
    reason: Annotated[str, Field(max_length=2000)] = ""
    source: Maker | None = None


EdgesWanted = Annotated[list[EdgeWanted], Field(max_length=50)]


class EdgeShown(Shown):
    depends_on_task_id: str
    dependency_type: str
    reason: str
    source: str


class Waited(Shown):
    """A blocker that is not done."""

    id: str
    number: int
    title: str
    status: str


class Task(Shown):
    """waiting_for: blockers that are not done; until they are, it does not start. gates: what its
    work must pass, in order. acceptance, expected_files: by what it is judged. purpose: `work`, or
    what the scheduler made it for, about the task about_task_id. heartbeat_at: when a run of it
    last gave a sign of life."""

    id: str
    workspace_id: str
    number: int
    title: str
    description: str
    status: str
    parent_id: str | None
    mission_id: str | None
    write_area: list[str]
    priority: int
    optional: bool
    model_policy: Object | None
    purpose: str
    about_task_id: str | None
    assignee_agent_id: str | None
    base_branch: str
    delivery: str
    retry_budget: int
    attempts_spent: int
    routine_id: str | None
    blocked: Object | None
    depends_on: list[EdgeShown]
    waiting_for: list[Waited]
    requires_approval: bool
    workspace_strategy: str
    gates: list[GateShown]
    acceptance: str
    expected_files: list[str]
    checkout_agent_id: str | None
    checkout_at: Moment | None
    heartbeat_at: Moment | None
    project: str | None
    model: str | None
    created_at: Moment
    updated_at: Moment
    revision: int


def shown(task: records.Task, around: Around, stages: Sequence[Stage]) -> Task:
    return Task.of(
        task,
        depends_on=[EdgeShown.of(one) for one in around.depends_on],
        waiting_for=[Waited.of(one) for one in around.waiting_for],
        heartbeat_at=around.heartbeat_at,
        gates=gates_shown(stages, requires_approval=task.requires_approval),
        expected_files=list(task.expected_files),
        write_area=list(task.write_area),
    )


def show(look: Look, task: records.Task) -> Task:
    return shown(task, look.around([task])[task.id], look.gates.of_tasks([task])[task.id])


def show_all(look: Look, found: Iterable[records.Task]) -> list[tuple[records.Task, Task]]:
    tasks = list(found)
    around, gates = look.around(tasks), look.gates.of_tasks(tasks)
    return [(one, shown(one, around[one.id], gates[one.id])) for one in tasks]


def edges(depends_on: Sequence[EdgeWanted], blocked_by: Sequence[str]) -> list[Edge]:
    """Both spellings, each with its place in the body."""
    wanted = [
        Edge(
            depends_on_task_id=one.depends_on_task_id,
            dependency_type=DependencyType(one.dependency_type),
            reason=one.reason,
            source=DependencySource(one.source) if one.source else None,
            pointer=f"/depends_on/{at}",
        )
        for at, one in enumerate(depends_on)
    ]
    short = [
        Edge(depends_on_task_id=one, pointer=f"/blocked_by/{at}")
        for at, one in enumerate(blocked_by)
    ]
    return [*wanted, *short]


assert set(DependencyType) == set(get_args(Kind))
assert set(DependencySource) == set(get_args(Maker))

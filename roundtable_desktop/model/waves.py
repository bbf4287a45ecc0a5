"""What the wave planner sees of a mission, and what it says (A-17, A-18).

Standard library only, besides the words of `states`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.resources import Resources, Room
from roundtable_desktop.model.states import DependencySource, DependencyType, TaskStatus
from roundtable_desktop.model.times import micros


class Work(StrEnum):
    """What a task is there for. A review changes nothing; a debugger works on what failed."""

    EXECUTE = "execute"
    DEBUG = "debug"
    REVIEW = "review"
    VERIFY = "verify"


class ModelPolicy(StrEnum):
    """The planner says which model, or the agent chooses among those that it may use (A-32)."""

    SCHEDULER_FORCED = "scheduler_forced"
    AGENT_SELECT = "agent_select"


class Weight(StrEnum):
    """How much a task asks of a model: a light one bears little risk."""

    LIGHT = "light"
    NORMAL = "normal"
    HEAVY = "heavy"


class Why(StrEnum):
    """Why a task is in this wave, or is not. The comments name the values."""

    PLANNED = "planned"  # agent_id
    AT_WORK = "at_work"
    IN_REVIEW = "in_review"  # its review, its merge or a person's word comes next
    LATER = "later"  # until
    WAITS_FOR = "waits_for"  # tasks: its hard dependencies that are not done
    SERIALIZED = "serialized"  # task: the one that goes first, by an edge
    SAME_AREA = "same_area"  # task, path, other: what they both may write
    AREA_UNKNOWN = "area_unknown"  # task: nobody said what one of the two writes
    FAILURE_SURFACE = "failure_surface"  # task, path, other: what failed is worked on
    UNSTABLE = "unstable"  # task: what is to be looked at still changes
    LOCKED = "locked"  # lock, task: a tool that only one may use; task None: used outside
    NO_ROOM = "no_room"  # most, limit (code of the room)
    AGENT_BUSY = "agent_busy"  # agent_id, or role
    AGENT_RESTS = "agent_rests"  # agent_id or role, refused, until
    AGENT_REFUSED = "agent_refused"  # agent_id or role, refused: a person is to act
    NO_AGENT = "no_agent"  # role
    HELD = "held"  # by
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"
    BLOCKER_LOST = "blocker_lost"  # tasks: hard dependencies that failed or were cancelled
    BLOCKER_STANDS = "blocker_stands"  # tasks: hard dependencies that do not go on by themselves
    INVALID = "invalid"  # the graph itself is at fault: see `faults`


STANDS = (
    Why.HELD,
    Why.BLOCKED,
    Why.INTERRUPTED,
    Why.BLOCKER_LOST,
    Why.BLOCKER_STANDS,
    Why.AGENT_REFUSED,
    Why.NO_AGENT,
    Why.INVALID,
)
"""With these a task does not go on until somebody decides or mends something (C-82)."""


class Step(StrEnum):
    """What comes next for the mission (A-12, C-82)."""

    RUNNABLE = "runnable"  # dispatch the wave
    WAITING = "waiting"  # until a time, or the end of what is at work
    BLOCKED = "blocked"  # somebody is to decide
    TERMINAL = "terminal"  # every task is over: `rules.convergence` says whether the mission is


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A code with its values, for the faces to make a sentence of."""

    code: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEdge:
    """`task_id` waits for, or stays apart from, `depends_on_task_id` (A-03)."""

    task_id: str
    depends_on_task_id: str
    dependency_type: DependencyType = DependencyType.HARD
    source: DependencySource = DependencySource.USER
    reason: str = ""

    @property
    def inferred(self) -> bool:
        """The planner's own (A-41): the two stay apart, and either may go first."""
        return self.source is DependencySource.SCHEDULER


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTask:
    """A task of the mission; its root task is none of them.

    One that has begun and waits for its subtasks has a hard edge to each that is open.

    live: a run of it is on, or a wakeup waits or is claimed. due_at: before then it is not to be
    dispatched; of a live one: what its wakeup waits for.
    held_by: why it may not be dispatched though nothing else is in the way ("hold", "requirement").
    role: wanted while nobody is assigned; None: the one for its `work`.
    barred_agents may never do it; avoided_agents only if nobody else can.
    priority: higher goes first. attempts: how often it has been started.
    write_area, expected_files: as declared. learned: paths that earlier attempts changed.
    failure_surface: of a debugger: where it failed. locks: tools that it uses alone.
    serial: nothing else that writes is at work beside it (a retry that was told so).
    model, policy: what was asked for. failed_models: those it failed with again and again.
    author_model: of a review: what wrote the work. snapshot: the commit that it looks at.
    mends: of a repair: the task in review whose work it carries on, and which waits for it.
    """

    id: str
    number: int
    status: TaskStatus
    work: Work = Work.EXECUTE
    live: bool = False
    due_at: datetime | None = None
    held_by: str | None = None
    assignee_agent_id: str | None = None
    role: str | None = None
    barred_agents: frozenset[str] = frozenset()
    avoided_agents: frozenset[str] = frozenset()
    priority: int = 0
    attempts: int = 0
    write_area: tuple[str, ...] = ()
    expected_files: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    failure_surface: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    serial: bool = False
    workspace_strategy: WorkspaceStrategy = WorkspaceStrategy.ISOLATED_COPY
    snapshot: str | None = None
    model: str | None = None
    policy: ModelPolicy | None = None
    weight: Weight = Weight.NORMAL
    failed_models: tuple[str, ...] = ()
    author_model: str | None = None
    mends: str | None = None

    @property
    def reads_only(self) -> bool:
        """Whatever it changes in its copy is thrown away (A-15, C-55)."""
        return self.work is Work.REVIEW or self.workspace_strategy is WorkspaceStrategy.MAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAgent:
    """active, queued: its live runs and what waits for it, of any mission. refused: the code of
    why it may not be given work (W-15), None when it may; until: when that ends by itself.
    last_assigned_seq: rises with each assignment. models: those it may use, the best first; ()
    when it has one of its own that nobody chose."""

    id: str
    role: str
    capacity: int = 1
    active: int = 0
    queued: int = 0
    refused: str | None = None
    until: datetime | None = None
    last_assigned_seq: int = 0
    account: str = ""
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that a plan is made of. outside: the statuses of tasks that stand in the edges and are
    none of `tasks`: of other missions, of none, and the root task. busy: something of the mission
    goes on that is no task of it: its coordinator, a merge, a review, a turn."""

    now: datetime
    tasks: tuple[PlanTask, ...]
    edges: tuple[PlanEdge, ...] = ()
    agents: tuple[PlanAgent, ...] = ()
    resources: Resources = field(default_factory=Resources)
    outside: Mapping[str, TaskStatus] = field(default_factory=dict)
    busy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """code: `circle`, path: from a task over its dependencies back to it; or `dangling`, path: the
    task and the id that no task has."""

    code: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePlan:
    """base: the commit to start from; None: the head of the mission's integration branch."""

    strategy: WorkspaceStrategy
    read_only: bool = False
    base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAssignment:
    """model: None leaves it to the agent's own. allowed: what an agent may choose from. reason:
    also says when what was wanted could not be had: nothing falls back in silence."""

    policy: ModelPolicy
    model: str | None
    allowed: tuple[str, ...]
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class WavePlan:
    """`SchedulerWavePlan` (A-18), with what makes it understood.

    runnable_task_ids: to be dispatched now, in this order. serialized_task_ids: those that could
    run and wait because something that is at work, or goes first, may write the same.
    agent_assignments: of every runnable task. edges: new ones, to be stored with the plan (A-04).
    tasks: why, for each task that is not over. until: the next time that something is due.
    blocked_task_ids: those that stand until somebody acts. orphaned_task_ids: in progress with
    nobody at work and nothing due (A-11); they are dispatched again as any other.
    """

    wave_id: str
    step: Step
    reason: Reason
    runnable_task_ids: tuple[str, ...] = ()
    serialized_task_ids: tuple[str, ...] = ()
    agent_assignments: Mapping[str, str] = field(default_factory=dict)
    workspace_assignments: Mapping[str, WorkspacePlan] = field(default_factory=dict)
    model_assignments: Mapping[str, ModelAssignment] = field(default_factory=dict)
    edges: tuple[PlanEdge, ...] = ()
    tasks: Mapping[str, Reason] = field(default_factory=dict)
    until: datetime | None = None
    blocked_task_ids: tuple[str, ...] = ()
    orphaned_task_ids: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    room: Room | None = None


def as_json(value: object) -> object:
    """A plan, or a part of it, as it is stored: names as they are, instants in microseconds."""
    match value:
        case StrEnum():
            return str(value)
        case datetime():
            return micros(value)
        case Mapping():
            return {str(key): as_json(one) for key, one in value.items()}
        case tuple() | list():
            return [as_json(one) for one in value]
        case frozenset():
            return sorted(str(one) for one in value)
        case _ if is_dataclass(value):
            return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    return value

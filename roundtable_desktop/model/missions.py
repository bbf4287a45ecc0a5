"""A goal that is worked towards until it converges, and the waves of its tasks, as values."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from roundtable_desktop.model.convergence import MissionOutcome as MissionOutcome
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import DeliveryMode, Machine, moves


class MissionState(StrEnum):
    """Stored words (C-59); `/runs/*` says `paused-intake` for the third."""

    STARTING = "starting"
    ACTIVE = "active"
    PAUSED_INTAKE = "paused_intake"
    DRAINING = "draining"
    STOPPING = "stopping"
    DEGRADED = "degraded"
    STOPPED = "stopped"
    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"


OVER = (
    MissionState.STOPPED,
    MissionState.COMPLETED,
    MissionState.BLOCKED,
    MissionState.FAILED,
)
"""Nothing is planned or looked at any more; `reopen` leads back from all but `completed`, and from
that a person who asks for changes of what it offered, or its base that clashes with that."""

PLANNING = (MissionState.ACTIVE, MissionState.DEGRADED)
"""In these states waves are planned and the mission may converge."""


class Phase(StrEnum):
    """Where the planner is with a mission (A-09)."""

    IDLE = "IDLE"
    LOADING_GRAPH = "LOADING_GRAPH"
    PLANNING_WAVE = "PLANNING_WAVE"
    DISPATCHING = "DISPATCHING"
    MONITORING = "MONITORING"
    COLLECTING_RESULTS = "COLLECTING_RESULTS"
    MERGING = "MERGING"
    REVIEWING_WAVE = "REVIEWING_WAVE"
    REPAIRING_OR_CONTINUING = "REPAIRING_OR_CONTINUING"
    COMPLETED = "COMPLETED"
    BLOCKED = "BLOCKED"
    CANCELLED = "CANCELLED"


class Impact(StrEnum):
    """What a change of requirements means: for how parts are made, or for how they fit together."""

    IMPLEMENTATION = "implementation"
    ARCHITECTURE = "architecture"


MISSION = Machine(
    "mission",
    moves(
        "starting>active|stopping|stopped|failed;"
        "active>paused_intake|draining|stopping|degraded|stopped|completed|blocked|failed;"
        "paused_intake>active|draining|stopping|degraded|stopped|failed;"
        "draining>stopping|stopped|failed;"
        "stopping>stopped|failed;"
        "degraded>active|paused_intake|draining|stopping|stopped|completed|blocked|failed;"
        "stopped|blocked|failed|completed>active"
    ),
    column="state",
)
PHASE = Machine(
    "mission",
    moves(
        "IDLE>LOADING_GRAPH|CANCELLED;"
        "LOADING_GRAPH>PLANNING_WAVE|MONITORING|COLLECTING_RESULTS|MERGING|REVIEWING_WAVE|"
        "REPAIRING_OR_CONTINUING|COMPLETED|BLOCKED|CANCELLED|IDLE;"
        "PLANNING_WAVE>DISPATCHING|MONITORING|BLOCKED|COMPLETED|CANCELLED|LOADING_GRAPH;"
        "DISPATCHING>MONITORING|BLOCKED|CANCELLED|LOADING_GRAPH;"
        "MONITORING>COLLECTING_RESULTS|BLOCKED|CANCELLED|LOADING_GRAPH;"
        "COLLECTING_RESULTS>MERGING|REVIEWING_WAVE|REPAIRING_OR_CONTINUING|COMPLETED|BLOCKED|"
        "CANCELLED|LOADING_GRAPH;"
        "MERGING>REVIEWING_WAVE|REPAIRING_OR_CONTINUING|BLOCKED|CANCELLED|LOADING_GRAPH;"
        "REVIEWING_WAVE>REPAIRING_OR_CONTINUING|BLOCKED|CANCELLED|LOADING_GRAPH;"
        "REPAIRING_OR_CONTINUING>PLANNING_WAVE|LOADING_GRAPH|BLOCKED|COMPLETED|CANCELLED;"
        "BLOCKED|CANCELLED|COMPLETED>LOADING_GRAPH"
    ),
    column="phase",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mission:
    """`seq` counts per database, so that the newest is certain (R-23).

    root_task_id: the task of its coordinator, whose description is the goal; every other task of
    the mission is below it.
    outcome, reason: how it ended, and the code of why (R-14). report: what a person is told of
    its end or of its block (A-36, A-37).
    last_exit: {"reason"} of a `roundtable run` that ended without settling it (C-57).
    error: of the ticks that failed; consecutive_errors: how many in a row (C-84).
    seen_event: up to which event the planner has looked; look_at: when it is to look again though
    nothing is told.
    opened_at: since when its integration branch is there; nothing of it starts before.
    """

    id: str
    workspace_id: str
    seq: int
    slug: str
    goal: str
    base_branch: str
    base_commit: str
    integration_branch: str
    root_task_id: str
    coordinator_agent_id: str | None
    delivery: DeliveryMode
    state: MissionState
    phase: Phase
    outcome: MissionOutcome | None
    reason: str | None
    report: Json | None
    last_exit: Json | None
    error: Json | None
    consecutive_errors: int
    seen_event: int
    look_at: datetime | None
    started_at: datetime
    opened_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """Tasks that were planned to run together. plan: the stored SchedulerWavePlan (A-18)."""

    id: str
    workspace_id: str
    mission_id: str
    number: int
    plan: Json
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a mission is looked at, and what follows when that fails (R-07, C-84).

    interval: the longest time between two looks at it. backoff: the first rest after a look that
    failed. max_errors: so many in a row degrade it, and so many more end it as failed; gives_up:
    the first of these ends it at once, as a `roundtable run` does.
    """

    interval: timedelta = timedelta(seconds=1)
    backoff: timedelta = timedelta(milliseconds=250)
    max_errors: int = 5
    gives_up: bool = False

    @property
    def most(self) -> int:
        """Errors in a row after which it has failed."""
        return self.max_errors if self.gives_up else 2 * self.max_errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One `roundtable run` that stays with a mission. cycles: how often it looked, well or not;
    exit: why it went (`over`, `iteration_limit`, `cancelled`; `lost`: another one came before this
    one said so, or it was not heard any more); None while it stays."""

    id: str
    workspace_id: str
    mission_id: str
    headless: bool
    pace: Json
    cycles: int
    exit: str | None
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """How a mission stood when a `roundtable run` came (`initial`) or went (`final`): counts of
    its tasks by status, of its live runs and of its waves (R-22)."""

    sitting_id: str
    mission_id: str
    kind: str
    state: MissionState
    phase: Phase
    counts: Json
    at: datetime


CALLED = 80
"""Characters of a goal's first line that a mission is called by."""


def called(goal: str) -> str:
    """What a mission is called where only one line has room; the goal may be of any length."""
    line = goal.strip().splitlines()[0]
    return line if len(line) <= CALLED else f"{line[: CALLED - 1].rstrip()}…"

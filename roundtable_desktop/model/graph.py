"""What a task waits for: edges to other tasks, and a person's word, as frozen values."""

from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import ApprovalStatus, DependencySource, DependencyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """`task_id` does not start before `depends_on_task_id` is done (A-03, C-64)."""

    task_id: str
    depends_on_task_id: str
    dependency_type: DependencyType
    reason: str
    source: DependencySource
    created_at: datetime

    @property
    def inferred(self) -> bool:
        """The planner of a mission made it: the two stay apart, and either may go first (A-41)."""
        return self.source is DependencySource.SCHEDULER


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One that somebody wants; pointer: where it stands in what they sent."""

    depends_on_task_id: str
    dependency_type: DependencyType = DependencyType.HARD
    reason: str = ""
    source: DependencySource | None = None
    pointer: str = "/depends_on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A task's place in the graph. waiting_for: its blockers that are not done. heartbeat_at: of
    the newest run of it that gave a sign of life, the last one."""

    depends_on: tuple[Dependency, ...]
    waiting_for: tuple[Task, ...]
    heartbeat_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question that a person answers with yes or no (K-54, K-67).

    agent_id, run_id: who asked; without one the task itself asks, at the end of its work.
    """

    id: str
    workspace_id: str
    task_id: str
    run_id: str | None
    agent_id: str | None
    text: str
    status: ApprovalStatus
    decision_note: str | None
    decided_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int

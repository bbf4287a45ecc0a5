"""How far a mission has come by what its rows say, and how it ended (R-12…R-15, W-06)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class TaskClass(StrEnum):
    ACTIVE = "active"
    BLOCKED = "blocked"
    TERMINAL = "terminal"


class Converged(StrEnum):
    """What a mission is by its rows: seed 000's three words."""

    ACTIVE = "active"
    COMPLETED = "completed"
    BLOCKED = "blocked"


class ConvergedBy(StrEnum):
    """Seed 000's reasons, word for word (R-14)."""

    PENDING_AGENT_TURN = "pending_agent_turn"
    AWAITING_INITIAL_WORK = "awaiting_initial_work"
    ALL_TERMINAL = "all_tasks_and_proposals_terminal"
    ALL_REMAINING_BLOCKED = "all_remaining_tasks_blocked"
    WORK_REMAINS = "work_remains"


class MissionOutcome(StrEnum):
    """How a mission that ended did (W-06, C-59).

    COMPLETED: every required task is done. WITH_FAILURES: so too, and an optional one failed.
    FAILED: a required one did, or nothing was done at all.
    """

    COMPLETED = "completed"
    WITH_FAILURES = "completed_with_failures"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFact:
    """status: as it is stored, or in a seed's words. The root task is not handed in.

    optional: the mission can do without it. stands: active by its status, and the planner says that
    it does not go on until somebody acts (`WavePlan.blocked_task_ids`).
    """

    id: str
    status: str
    optional: bool = False
    archived: bool = False
    stands: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFact:
    id: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What of the mission is still going on, besides its tasks and proposals (W-37): how many.

    runs: starting or running, its coordinator's too. processes: of its runs that still live.
    wakeups: queued or claimed. approvals, gates: asked, or still to be asked. merges: waiting or
    under way, the delivery to the base branch not among them.
    """

    runs: int = 0
    processes: int = 0
    leases: int = 0
    wakeups: int = 0
    approvals: int = 0
    gates: int = 0
    merges: int = 0

    @property
    def works(self) -> bool:
        """Something goes on by itself, so that the mission is not blocked (C-82)."""
        return any((self.runs, self.processes, self.leases, self.wakeups, self.merges))

    @property
    def anything(self) -> bool:
        return self.works or any((self.approvals, self.gates))


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """state and reason as seed 000 has them; outcome only when completed.

    It says what the rows say, and is no verdict of a test (R-29): `basis` is always "state".
    failed, skipped, cancelled, blocked: ids of tasks; skipped ones are optional and failed.
    gates_not_run: skipped by policy, as they were handed in (A-36). unknown: {id: status} of what
    no product of ours writes; it keeps the mission open until somebody looked (W-05).
    """

    state: Converged
    reason: ConvergedBy
    outcome: MissionOutcome | None = None
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    gates_not_run: tuple[str, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    basis: str = "state"

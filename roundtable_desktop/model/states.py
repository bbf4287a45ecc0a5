"""Every status, outcome and reason of the product, with the moves that each machine allows.

Standard library only: the runner imports this room too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class WakeupStatus(StrEnum):
    QUEUED = "queued"
    CLAIMED = "claimed"
    COALESCED = "coalesced"
    SKIPPED = "skipped"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WakeupOutcome(StrEnum):
    EXECUTED = "executed"
    MERGED = "merged"
    AGENT_PAUSED = "agent_paused"
    AGENT_STOPPED = "agent_stopped"
    IDLE_SKIPPED = "idle_skipped"
    BUDGET_BLOCKED = "budget_blocked"
    PROBE_FALSE = "probe_false"
    STALE = "stale"
    USER_CANCELLED = "user_cancelled"
    MISSION_STOPPED = "mission_stopped"
    MALFORMED = "malformed"
    QUARANTINED = "quarantined"
    INCURABLE = "incurable"
    EXHAUSTED = "exhausted"


class Source(StrEnum):
    """The ten sources of a wakeup (K-02). `heartbeat` is retired and refused."""

    ROUTINE = "routine"
    COMMENT = "comment"
    AGENT_ERROR = "agent_error"
    SELF = "self"
    USER = "user"
    TASK_ASSIGNED = "task_assigned"
    TASK_BLOCKERS_RESOLVED = "task_blockers_resolved"
    TASK_CHILDREN_COMPLETED = "task_children_completed"
    APPROVAL_RESOLVED = "approval_resolved"
    BUDGET_ALERT = "budget_alert"


class Rank(StrEnum):
    """The four classes of the queue, first served first (C-99); stored as 0…3."""

    USER = "user"
    EVENT = "event"
    ROUTINE = "routine"
    SWEEP = "sweep"


RANKS: Mapping[Rank, int] = {Rank.USER: 0, Rank.EVENT: 1, Rank.ROUTINE: 2, Rank.SWEEP: 3}


class RunStatus(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE_RUNS = (RunStatus.STARTING, RunStatus.RUNNING)


class RunOutcome(StrEnum):
    DONE = "done"
    NO_CHANGES = "no_changes"
    NO_RESULT = "no_result"
    BLOCKED = "blocked"
    TASK_FAILED = "task_failed"
    LIMITED = "limited"
    CRASHED = "crashed"
    LOST = "lost"
    TIMED_OUT = "timed_out"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


TURN_ENDED = (
    RunOutcome.DONE,
    RunOutcome.NO_CHANGES,
    RunOutcome.NO_RESULT,
    RunOutcome.BLOCKED,
    RunOutcome.TASK_FAILED,
)
"""Of runs whose agent came to the end of its turn: it heard what it was told, and its provider
answered."""


class ErrorKind(StrEnum):
    """What went wrong in a run; decides which retry layer answers (contract, "fail KIND")."""

    RATE_LIMITED = "rate_limited"
    QUOTA_LIMITED = "quota_limited"
    AUTH_REQUIRED = "auth_required"
    BILLING = "billing"
    MODEL_UNAVAILABLE = "model_unavailable"
    CONTEXT_FULL = "context_full"
    NETWORK = "network"
    OVERLOADED = "overloaded"
    CLI_MISSING = "cli_missing"
    CLI_OUTDATED = "cli_outdated"
    PERMISSION_DENIED = "permission_denied"
    CRASHED = "crashed"
    LOST = "lost"
    TIMED_OUT = "timed_out"
    SPAWN_FAILED = "spawn_failed"
    SPECIAL_FILE = "special_file"  # its text: the path, a line end, what mends it
    NO_RESULT = "no_result"
    TASK_FAILED = "task_failed"


class HoldState(StrEnum):
    """Of an account's hold: nothing starts, or one after the other with a pause between (C-37)."""

    HELD = "held"
    SPREAD = "spread"


class TaskStatus(StrEnum):
    TODO = "todo"
    IN_PROGRESS = "in_progress"
    IN_REVIEW = "in_review"
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


TERMINAL_TASKS = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)


class AgentStatus(StrEnum):
    """Stored; `idle` and `working` are derived from live runs (C-89)."""

    ACTIVE = "active"
    PAUSED = "paused"
    STOPPED = "stopped"
    RETIRED = "retired"


class ProposalStatus(StrEnum):
    PENDING = "pending"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    MERGED = "merged"
    DELIVERED = "delivered"
    REVISION_REQUESTED = "revision_requested"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    CONFLICTED = "conflicted"


class DeliveryStatus(StrEnum):
    """One try at a delivery: a row is written before git runs, its outcome after (law 3)."""

    INTENDED = "intended"
    DELIVERED = "delivered"
    HELD = "held"


class InboxStatus(StrEnum):
    OPEN = "open"
    SNOOZED = "snoozed"
    RESOLVED = "resolved"


class InboxKind(StrEnum):
    PERMISSION = "permission"
    APPROVAL = "approval"
    AGENT_ERROR = "agent.error"
    BLOCKER_LOST = "blocker_lost"
    DOCTOR = "doctor"
    DELIVERY_BLOCKED = "delivery_blocked"
    BLOCKED = "blocked"
    CONFIG_CHANGED = "config_changed"
    BUDGET = "budget"


class ApprovalStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class DependencyType(StrEnum):
    """Only a hard one holds a task back; the others are for missions (A-03)."""

    HARD = "hard"
    SOFT = "soft"
    CONFLICT = "conflict"
    SERIALIZATION = "serialization"


class DependencySource(StrEnum):
    """Who made an edge."""

    ARCHITECTURE = "architecture"
    SCHEDULER = "scheduler"
    WORKER = "worker"
    USER = "user"
    SYSTEM = "system"


class Severity(StrEnum):
    INFO = "info"
    ATTENTION = "attention"
    CRITICAL = "critical"


class DeliveryMode(StrEnum):
    APPROVAL = "approval"
    AUTO = "auto"


class Health(StrEnum):
    """Of the scheduler, as `/healthz` says it."""

    OK = "ok"
    DEGRADED = "degraded"
    DEAD = "dead"


class Adapter(StrEnum):
    ACP = "acp"
    COMMAND = "command"
    DEMO = "demo"


class Level(StrEnum):
    """Who may say with what a run is executed; the first that does decides (K-45)."""

    TASK = "task"
    AGENT = "agent"
    PROJECT = "project"
    WORKSPACE = "workspace"


class PermissionPolicy(StrEnum):
    """What a runner answers to an ask: a person's word, or one of the two rules."""

    ASK = "ask"
    ALLOW = "allow"
    DENY = "deny"


class RoutineStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    ARCHIVED = "archived"


class TriggerKind(StrEnum):
    SCHEDULE = "schedule"
    WEBHOOK = "webhook"
    MANUAL = "manual"


class FiringSource(StrEnum):
    """What set a routine off (K-24); `cron` is a trigger of the kind `schedule` (C-95)."""

    CRON = "cron"
    WEBHOOK = "webhook"
    MANUAL = "manual"


class FiringStatus(StrEnum):
    """One firing of a routine. A light one stays `received` until its run ends (C-69)."""

    RECEIVED = "received"
    TASK_CREATED = "task_created"
    DONE = "done"
    SKIPPED = "skipped"
    COALESCED = "coalesced"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Probe(StrEnum):
    """What is looked at before a scheduled wake of a routine costs anything (C-106)."""

    NONE = "none"
    WORKSPACE_EVENTS = "workspace_events"


class ConcurrencyPolicy(StrEnum):
    """What a firing does while its routine is still at work."""

    COALESCE_IF_ACTIVE = "coalesce_if_active"
    SKIP_IF_ACTIVE = "skip_if_active"
    ALWAYS_ENQUEUE = "always_enqueue"


class CatchUpPolicy(StrEnum):
    """What becomes of instants that were due while nobody looked."""

    ENQUEUE_MISSED_WITH_CAP = "enqueue_missed_with_cap"
    SKIP_MISSED = "skip_missed"


class VariableType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    SELECT = "select"


class Role(StrEnum):
    COORDINATOR = "coordinator"
    WORKER = "worker"
    SPECIALIST = "specialist"
    ASSISTANT = "assistant"
    REVIEWER = "reviewer"
    ARCHITECT = "architect"
    DEBUGGER = "debugger"


@dataclass(frozen=True, slots=True)
class Machine:
    """A noun and the moves that its status may make; anything else is refused (the house)."""

    name: str
    moves: Mapping[str, frozenset[str]]
    column: str = "status"

    def allows(self, expect: str, to: str) -> bool:
        return to in self.moves.get(expect, frozenset())


def moves(text: str) -> Mapping[str, frozenset[str]]:
    """`"a>b|c; d>e"` as a table."""
    table: dict[str, frozenset[str]] = {}
    for rule in text.split(";"):
        left, _, right = rule.strip().partition(">")
        for source in left.split("|"):
            table[source] = table.get(source, frozenset()) | frozenset(right.split("|"))
    return table


WAKEUP = Machine(
    "wakeup",
    moves(
        "queued>claimed|coalesced|skipped|cancelled;claimed>queued|finished|skipped|failed|cancelled"
    ),
)
RUN = Machine("run", moves("starting>running|failed|cancelled;running>finished|failed|cancelled"))
TASK = Machine(
    "task",
    moves(
        "todo>in_progress|blocked|cancelled;"
        "in_progress>in_review|done|blocked|failed|interrupted|cancelled|todo;"
        "in_review>in_progress|done|cancelled;"
        "blocked|interrupted|failed>todo|cancelled;"
        "done>todo"
    ),
)
PROPOSAL = Machine(
    "proposal",
    moves(
        "pending>in_review|approved|revision_requested|rejected|superseded|conflicted;"
        "in_review>approved|revision_requested|rejected|superseded|conflicted;"
        "approved>merged|delivered|conflicted|superseded;"
        "merged>delivered;"
        "conflicted>superseded|rejected"
    ),
)
APPROVAL = Machine("approval", moves("requested>approved|rejected|withdrawn"))
INBOX = Machine("inbox", moves("open>snoozed|resolved;snoozed>open|resolved"))
DELIVERY = Machine("delivery", moves("intended>delivered|held"))
ROUTINE = Machine("routine", moves("active>paused|archived;paused>active|archived"))
FIRING = Machine(
    "firing",
    moves(
        "received>task_created|done|skipped|coalesced|failed|cancelled;"
        "task_created>done|failed|cancelled"
    ),
)
AGENT = Machine(
    "agent",
    moves(
        "active>paused|stopped|retired;paused>active|stopped|retired;"
        "stopped>active|retired;retired>active"
    ),
)

"""What is decided about a task that failed, and whom it is brought to (A-27, A-31, A-34)."""

from dataclasses import dataclass
from enum import StrEnum

from roundtable_desktop.model.states import ErrorKind, Severity
from roundtable_desktop.model.waves import ModelPolicy


class RetryAction(StrEnum):
    """A-31, word for word."""

    RETRY = "retry"
    RETRY_SERIAL = "retry_serial"
    DEBUG = "debug"
    SKIP = "skip"
    BLOCK = "block"
    CANCEL = "cancel"


class Change(StrEnum):
    """The one thing that is different in the next attempt (A-30)."""

    CONTEXT = "context"  # the same way, told what went wrong
    MODEL = "model"
    COMMANDS = "commands"  # told to go another way about it
    SERIALIZATION = "serialization"  # alone
    DEBUGGER = "debugger"


class Cause(StrEnum):
    """Whose fault a failure is, as far as its worker or a reviewer said so."""

    WORK = "work"
    INTERFACE = "interface"  # two parts do not fit: somebody has to say how they should
    ENVIRONMENT = "environment"  # the machine, its tools or its kernel cannot do it
    CHOICE = "choice"  # a question of what is wanted


class Trigger(StrEnum):
    """What is escalated (A-34)."""

    PRODUCT_CHOICE = "product_choice"
    ARCHITECTURE = "architecture"
    PERMISSION = "permission"
    ENVIRONMENT = "environment"
    REPEATED_FAILURE = "repeated_failure"
    REVIEW_FINDING = "review_finding"


class Conflict(StrEnum):
    """How deep two changes that do not merge contradict each other (A-27)."""

    TRIVIAL = "trivial"
    SEMANTIC = "semantic"
    ARCHITECTURE = "architecture"
    REQUIREMENT = "requirement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """kind: of its run's end. signature: as `rules.signature` makes it. cause: see Cause.
    alike: the same again would end the same way (its cost is that of a second time).
    context_refs: what the next attempt is to read (`run:<id>`, `proposal:<id>`, `verdict:<id>`)."""

    kind: ErrorKind
    signature: str
    cause: Cause = Cause.WORK
    alike: bool = False
    context_refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A task as the decision sees it. spent: of its budget, before this failure.

    last_signature: of the failure before. changed: what was changed for each attempt after the
    first, in order. other_models: those that its agent may use and that have not failed at it.
    beside_others: something that writes was at work beside it. debugger: somebody can debug it.
    optional: the mission can do without it; needed_by_others: an open task depends on it.
    wanted: False when it was called off meanwhile, or what it was for.
    """

    budget: int
    spent: int
    last_signature: str | None = None
    changed: tuple[Change, ...] = ()
    other_models: tuple[str, ...] = ()
    beside_others: bool = False
    debugger: bool = False
    optional: bool = False
    needed_by_others: bool = False
    wanted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDecision:
    """A-31, with what carries it out. reason: a code. cost: to be taken of the budget.

    change: what is different the next time; model: with which model then. trigger: what a block is
    escalated as. recoverable: of a block, whether a debugger may still mend it.
    """

    action: RetryAction
    reason: str
    cost: int = 0
    change: Change | None = None
    next_model_policy: ModelPolicy | None = None
    model: str | None = None
    required_context_refs: tuple[str, ...] = ()
    trigger: Trigger | None = None
    recoverable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A merge that could not be made, or whose result does not hold.

    paths: that conflict. deleted_or_binary: one side took a path away, or it is no text.
    checks_failed: the two merge, and what checks them fails then. requirement_changed: since the
    run began. said: by who looked at it. repairs: how often it was repaired in vain.
    """

    paths: tuple[str, ...] = ()
    deleted_or_binary: bool = False
    checks_failed: bool = False
    requirement_changed: bool = False
    said: Conflict | None = None
    repairs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRoute:
    """What becomes of a conflict: a repair task for `role` (`debug`), the work again on the new
    head (`retry_serial`), or a block that is escalated as `trigger`. reviewed: reviewers look at
    the repair before it is merged."""

    conflict: Conflict
    action: RetryAction
    role: str | None = None
    reviewed: bool = False
    trigger: Trigger | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Woken:
    agent_id: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Whom something is brought to. woken: the agents; () when nobody is there for it, or a person
    alone may decide. The inbox has it in any case, at `severity`.

    evidence: what belongs to it (`doctor`: what the doctor finds on this machine).
    """

    trigger: Trigger
    woken: tuple[Woken, ...] = ()
    severity: Severity = Severity.ATTENTION
    evidence: tuple[str, ...] = ()

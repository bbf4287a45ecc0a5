"""What must be passed before a task is done, and what each reviewer says of it (C-26)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import Machine


class GateKind(StrEnum):
    """Agents look at the work, or a person says yes or no to it."""

    REVIEW = "review"
    APPROVAL = "approval"


class GateStatus(StrEnum):
    """`returned`: it asked for changes. `dropped`: the task has other gates now."""

    WAITING = "waiting"
    ASKED = "asked"
    PASSED = "passed"
    RETURNED = "returned"
    DROPPED = "dropped"


class VerdictStatus(StrEnum):
    """`missing`: none will come by itself. `withdrawn`: it is not wanted any more."""

    ASKED = "asked"
    GIVEN = "given"
    MISSING = "missing"
    WITHDRAWN = "withdrawn"


class Word(StrEnum):
    """What a verdict says."""

    APPROVE = "approve"
    APPROVE_WITH_NOTES = "approve_with_notes"
    REVISE = "revise"
    REJECT = "reject"
    ABSTAIN = "abstain"
    VETO = "veto"


APPROVALS = (Word.APPROVE, Word.APPROVE_WITH_NOTES)
DEMANDS = (Word.REVISE, Word.REJECT, Word.VETO)
"""With these the work goes back."""


class Topic(StrEnum):
    """What a finding is about. `evidence`: it cannot be told whether the work is right."""

    CODE = "code"
    SECURITY = "security"
    ARCHITECTURE = "architecture"
    EVIDENCE = "evidence"


class Weight(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"


GATE = Machine(
    "gate",
    {
        "waiting": frozenset({"asked", "passed", "dropped"}),
        "asked": frozenset({"passed", "returned", "waiting", "dropped"}),
        "passed": frozenset({"waiting", "dropped"}),
        "returned": frozenset({"waiting", "dropped"}),
    },
)
VERDICT = Machine(
    "verdict",
    {
        "asked": frozenset({"given", "missing", "withdrawn"}),
        "missing": frozenset({"asked", "given", "withdrawn"}),
    },
)

REVIEW_REQUESTED = "review_requested"
"""Why a reviewer is woken."""
PARTICIPANT_CHANGED = "review_participant_changed"
"""Why it is not woken after all: nobody waits for its verdict any more (C-51)."""
RETURNED = "review_returned"
"""Why the author is woken when its work comes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A gate that somebody sets. agents: ids or names; roles: whoever has one of them when it is
    asked; needed: None for all of them; veto: the roles whose veto is one, None for all. pointer:
    where it stands in what they sent."""

    kind: GateKind
    agents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    needed: int | None = None
    veto: tuple[str, ...] | None = None
    pointer: str = "/gates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """By whom and by what the work of a new task is judged (C-79)."""

    gates: Sequence[Wanted] = ()
    acceptance: str = ""
    expected_files: Sequence[str] = ()


UNJUDGED = Judged()
"""Nobody but whoever delivers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """place: from 1, in the order in which a task's gates are asked.

    round: how often it was asked. returns: how often in a row it sent the work back since a person
    last decided about it. stuck: why a person is asked, {"code", …}. proposal_id: what it looks at,
    None where the work changed nothing. approval_id: of the question that a person answers.
    policy: by what it is judged besides (`rules.reviews`). snapshot: {"base", "head"}, the commits
    that are looked at where they are a branch's and no proposal's.
    """

    id: str
    workspace_id: str
    task_id: str
    place: int
    kind: GateKind
    agents: tuple[str, ...]
    needed: int
    status: GateStatus
    round: int
    returns: int
    stuck: Json | None
    proposal_id: str | None
    approval_id: str | None
    policy: Json
    snapshot: Json | None
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One reviewer's, of one round of a gate, about one commit (B-111).

    word: None until it is given. why: a code, of one that is missing. times: how often it was asked
    for. findings: [{"path", "line"?, "text", "severity", "about"?}].
    """

    id: str
    workspace_id: str
    task_id: str
    gate_id: str
    round: int
    proposal_id: str | None
    author_type: str  # agent | person
    author_id: str
    status: VerdictStatus
    word: Word | None
    note: str
    findings: tuple[Json, ...]
    why: str | None
    times: int
    wakeup_id: str | None
    run_id: str | None
    decided_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int

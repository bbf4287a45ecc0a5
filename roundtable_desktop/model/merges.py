"""What a mission offers its base branch, and what was decided about its failed attempts."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.attempts import Change, RetryAction
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import Machine, moves


class OfferStatus(StrEnum):
    """`nothing`: its integration branch has nothing that its base branch lacks."""

    INTENDED = "intended"
    MADE = "made"
    NOTHING = "nothing"


OFFER = Machine("offer", moves("intended>made|nothing"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """That a mission which is completed offers its work; proposal_id: of what came of it."""

    id: str
    workspace_id: str
    mission_id: str
    status: OfferStatus
    proposal_id: str | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A `RetryDecision` as it is kept, with what it was about (A-31).

    run_id: of the attempt that failed; or proposal_id: of what could not be merged (A-27).
    attempt: the how many-th decision about the task it is. model: with which the task goes on from
    then on; None leaves that as it was. helper_task_id: the task that was made to mend it.
    evidence: what is known of the failure: signature, text, paths, refs, trigger, risk.
    """

    id: str
    workspace_id: str
    task_id: str
    run_id: str | None
    proposal_id: str | None
    attempt: int
    action: RetryAction
    change: Change | None
    reason: str
    cost: int
    model: str | None
    helper_task_id: str | None
    evidence: Json = field(default_factory=dict)
    created_at: datetime

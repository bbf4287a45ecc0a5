"""What a mission offers its base branch when it is completed."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

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

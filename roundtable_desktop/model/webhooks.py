"""What a stranger may set off: how a call is signed, and what became of each delivery."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SigningMode(StrEnum):
    """How a sender shows that it may (C-68). `none`: whoever knows the address may."""

    NONE = "none"
    BEARER = "bearer"
    HMAC_SHA256 = "hmac_sha256"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One call that was signed well, remembered so that it counts once (table
    `webhook_deliveries`).

    delivery_id: as the sender named it. signed_hash: of what was signed, in hex; None where
    nothing was. became: the code of what came of it. repeats: how often it came again, the last
    time at last_at. payload: the body, of the newest ones.
    """

    id: str
    routine_id: str
    trigger_id: str
    delivery_id: str | None
    signed_hash: str | None
    at: datetime
    last_at: datetime
    repeats: int
    became: str
    firing_id: str | None
    payload: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """What a call says for itself, each from its header as it came; None where there is none."""

    authorization: str | None = None
    signature: str | None = None
    timestamp: str | None = None
    hub_signature: str | None = None

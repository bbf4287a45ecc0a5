"""The hold of an account whose limit at its provider was reached, as a row and as it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import ErrorKind, HoldState

SPACING = timedelta(seconds=3)
"""Between two starts of one account, once its limit is over (B-076)."""

PATIENCE = timedelta(minutes=2)
"""Who tries first and works so long without meeting the limit again has shown that it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderHold:
    """An account at a provider whose limit was reached (C-37).

    agent_id: "" for all agents of the account, else the one whose model the limit names.
    until_at: nothing starts before. told: the provider's own words. tries: trials that met the
    limit again. run_id: of the run that met it last.
    trial_id: the wakeup that goes first, to see whether it is over; trying: it is at work.
    """

    account: str
    agent_id: str
    state: HoldState
    until_at: datetime
    kind: ErrorKind
    model: str | None
    told: str | None
    tries: int
    run_id: str
    trial_id: str | None
    trial_until_at: datetime | None
    since_at: datetime
    trying: bool = False


@dataclass(frozen=True, slots=True)
class AccountHeld:
    """A hold that is not over, with those that wait for it and why: the answer of the gate."""

    hold: ProviderHold
    agents: Sequence[Agent]
    held_by: str
    until: datetime

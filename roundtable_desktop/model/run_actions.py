"""What a person can do to a mission, by its state: one table for every face (R-24, W-25)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from roundtable_desktop.model.missions import OVER, MissionState


class RunAction(StrEnum):
    """In the seed's words, as they stand in the path."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    FORCE_STOP = "force-stop"


@dataclass(frozen=True, slots=True)
class Allowed:
    """prior: the states that it is allowed in; target: where it leads, if need be by way of
    `draining` or `stopping`. A `start` from `stopped` leads a new mission there."""

    prior: frozenset[MissionState]
    target: MissionState


_S = MissionState
RUN_ACTIONS: Mapping[RunAction, Allowed] = {
    RunAction.START: Allowed(frozenset({_S.STOPPED, _S.STARTING}), _S.ACTIVE),
    RunAction.PAUSE: Allowed(frozenset({_S.ACTIVE}), _S.PAUSED_INTAKE),
    RunAction.RESUME: Allowed(frozenset({_S.PAUSED_INTAKE, _S.DEGRADED}), _S.ACTIVE),
    RunAction.STOP: Allowed(frozenset({_S.ACTIVE, _S.PAUSED_INTAKE, _S.DRAINING}), _S.STOPPED),
    RunAction.FORCE_STOP: Allowed(
        frozenset({_S.ACTIVE, _S.PAUSED_INTAKE, _S.DRAINING, _S.DEGRADED}), _S.STOPPED
    ),
}

REOPENED = frozenset(OVER) - {_S.COMPLETED}
"""From these `reopen` leads back to `active` (C-57)."""


def possible(state: MissionState | None) -> list[RunAction]:
    """What can be done now; None: there is no mission, which stands as `stopped` (C-73)."""
    now = state or MissionState.STOPPED
    return [action for action, allowed in RUN_ACTIONS.items() if now in allowed.prior]


def spelled(state: MissionState | None) -> str:
    """As `/runs/*` says it: the seed's `paused-intake` (C-59)."""
    return str(state or MissionState.STOPPED).replace("_", "-")


def state_of(text: str) -> MissionState:
    """Either spelling. Raises ValueError for a word that is no state."""
    return MissionState(text.replace("-", "_"))

"""Turns that agents ask for, as values (R-16, R-17, W-12)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.states import Machine, moves


class TurnStatus(StrEnum):
    """`lapsed`: nobody took it, or it took too long; nothing waits for it any more."""

    REQUESTED = "requested"
    SCHEDULED = "scheduled"
    STARTED = "started"
    COMPLETED = "completed"
    LAPSED = "lapsed"


GIVEN = (TurnStatus.SCHEDULED, TurnStatus.STARTED)
OPEN = (TurnStatus.REQUESTED, *GIVEN)

TURN = Machine(
    "turn",
    moves(
        "requested>scheduled|lapsed;"
        "scheduled>requested|started|lapsed;"
        "started>requested|completed|lapsed"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn that an agent asked for.

    scope: where there is one at a time: the mission's id, or the workspace's. asked_in: the run.
    request_event: the id of the event of its request, by which they are served; a turn that gave
    way to others has a newer one.
    tries: how often it was given; misses: how often its run ended without taking it.
    wakeup_id: of the wake that it set off, None while the run that asked can take it itself.
    run_id: who holds it. overdue_at: since when it is told that it takes long.
    """

    id: str
    workspace_id: str
    mission_id: str | None
    scope: str
    agent_id: str
    task_id: str | None
    asked_in: str
    request_event: int
    reason: str
    status: TurnStatus
    outcome: str | None
    tries: int
    misses: int
    wakeup_id: str | None
    run_id: str | None
    scheduled_at: datetime | None
    started_at: datetime | None
    overdue_at: datetime | None
    ended_at: datetime | None
    created_at: datetime

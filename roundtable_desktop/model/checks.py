"""Commands of a workspace that judge what a mission did, before that is delivered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.states import Machine, moves


class CheckStatus(StrEnum):
    """`missing`: it came to no end of its own, so that nobody knows."""

    ASKED = "asked"
    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"


CHECK = Machine("check", moves("asked>passed|failed|missing"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One command on one commit of a mission, in a copy that is thrown away. proposal_id: of what
    the mission offers, where that is judged; None of one that somebody asked for meanwhile.
    run_id: what it printed is that run's transcript; exit_code: of its last run."""

    id: str
    workspace_id: str
    mission_id: str
    proposal_id: str | None
    commit_hash: str
    name: str
    command: tuple[str, ...]
    status: CheckStatus
    wakeup_id: str
    run_id: str | None
    exit_code: int | None
    created_at: datetime
    ended_at: datetime | None

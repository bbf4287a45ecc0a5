"""What every face shows of the whole: whether work is taken up, and who is at work (W-20)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.checkpoints import NOTHING, Rest
from roundtable_desktop.model.states import Health


class Standing(StrEnum):
    """Of the intake and of what still runs, seen together. `draining` and `leaving` end by
    themselves with the last run: then it is `stopped`, and it is safe to close the lid (`left`).
    """

    ACTIVE = "active"
    PAUSED = "paused"
    DRAINING = "draining"
    STOPPED = "stopped"
    LEAVING = "leaving"
    LEFT = "left"


def standing(intake: str, unsettled: int, rest: Rest = NOTHING) -> Standing:
    """unsettled: runs that have no end yet, whether their process lives or not. rest: what else is
    under way: a lid is not closed on it."""
    match intake:
        case "stopped":
            return Standing.DRAINING if unsettled else Standing.STOPPED
        case "leaving":
            return Standing.LEAVING if unsettled or rest else Standing.LEFT
        case "paused":
            return Standing.PAUSED
        case _:
            return Standing.ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class AtWork:
    """Three numbers that may differ. claimed: wakeups that were taken up. live: runs whose runner
    or agent is a living process. silent: those of them that have said nothing for a while."""

    claimed: int = 0
    live: int = 0
    silent: int = 0


NOBODY = AtWork()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much there is, in all workspaces; every face shows these (W-21).

    needs_you: what waits for the person: the open items of the inbox, and the proposals to look at
    that none of them asks about. items: those open items. proposals: all that wait to be looked at.
    blocked: tasks that cannot go on without somebody. running: runs that have no end yet.
    """

    needs_you: int = 0
    items: int = 0
    proposals: int = 0
    blocked: int = 0
    running: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outstanding:
    """Of one workspace, at one instant (C-76).

    active_deliberations: reviews of which a verdict is outstanding. open_proposals: that are not
    decided. pending_approvals: all that are asked for. blockers: tasks that are blocked, and
    rejected proposals that nobody has answered.
    """

    active_deliberations: int = 0
    open_proposals: int = 0
    pending_approvals: int = 0
    blockers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """As it was at one instant.

    intake_by, intake_since: who changed the intake last, and when; until: when a pause ends by
    itself, or a leave breaks off what still runs.
    running, needs_you, items, proposals, blocked: see Counts. limited_until: work waits so long for
    the limit of its provider. trouble: what the database cannot do now, a code.
    rest: looked for once nothing runs any more, for somebody who leaves.
    copied_from: of a copy that nobody has resumed yet, where the other home lay.
    """

    health: Health
    intake: str
    running: int
    needs_you: int
    items: int = 0
    proposals: int = 0
    blocked: int = 0
    limited_until: datetime | None = None
    trouble: str | None = None
    until: datetime | None = None
    intake_since: datetime | None = None
    intake_by: str | None = None
    at_work: AtWork = NOBODY
    rest: Rest = NOTHING
    copied_from: str | None = None

    @property
    def state(self) -> Standing:
        return standing(self.intake, self.running, self.rest)

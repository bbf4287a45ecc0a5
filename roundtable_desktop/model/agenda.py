"""What is due in the days to come, as somebody looks ahead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ComingKind(StrEnum):
    """fire: of a routine, by its schedule. wake: somebody named the time. retry: of what failed, or
    met a limit. held: it waits for its turn until then."""

    FIRE = "fire"
    WAKE = "wake"
    RETRY = "retry"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Asleep:
    """On how many of the last days this program was not awake at that hour (N-20)."""

    count: int
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """Something that is due. name: of the routine, the task, or "". zone: the schedule's own, else
    its workspace's.

    will_run: whether a run of its own comes of it by itself. starts_at: when, None where it does
    not run. reason: a code: why it does not run, or starts later than it is due; else None.
    asleep: where this program is usually not awake at that hour. made_up_for: whether a fire that
    was missed runs late.
    times, last: of what comes again and again in the same way on one day, told as one.
    """

    at: datetime
    kind: ComingKind
    workspace_id: str
    zone: str
    agent_id: str
    agent: str
    name: str
    will_run: bool
    starts_at: datetime | None
    reason: str | None = None
    routine_id: str | None = None
    trigger_id: str | None = None
    wakeup_id: str | None = None
    task_id: str | None = None
    asleep: Asleep | None = None
    made_up_for: bool = True
    times: int = 1
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Agenda:
    """items: by their time. whole: False when there were too many to tell them all; then `until` is
    how far it came."""

    since: datetime
    until: datetime
    items: Sequence[Coming]
    whole: bool


@dataclass(frozen=True, slots=True)
class Load:
    """What an agent would have to do in a span of time. late: runs that would start later than they
    are due, because it is at work. seconds: of all its runs together, as long as they usually
    are."""

    agent: str
    fires: int
    runs: int
    late: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Edited:
    """One side of a change: the routine's fires in the span, how many runs come of them, the first
    few of them, and what its agents have to do, those of other routines included."""

    fires: int
    runs: int
    next: Sequence[Coming]
    loads: Sequence[Load]
    whole: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change makes of the time between the two instants. before: None of a new routine."""

    since: datetime
    until: datetime
    before: Edited | None
    after: Edited

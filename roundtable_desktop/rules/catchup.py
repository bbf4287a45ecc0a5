"""What becomes of every instant that was due: it fires, or it is missed and counted."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.states import CatchUpPolicy, ConcurrencyPolicy
from roundtable_desktop.rules.cron import Cron

MOST = 100
"""Firings of one outage, whatever a routine's own cap says."""

_RESOLUTION = timedelta(seconds=1)
_PRESENT = timedelta(minutes=1)
"""skip_missed: an instant of the present minute is the current tick, an older one is missed."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A trigger's clock and its routine's policies.

    cap: how many of the due instants may fire at once; the oldest do. One always may.
    """

    cron: Cron
    zone: ZoneInfo
    catch_up: CatchUpPolicy
    concurrency: ConcurrencyPolicy
    cap: int


@dataclass(frozen=True, slots=True)
class Missed:
    count: int
    first: datetime
    last: datetime


def summed(spans: Iterable[tuple[int, datetime, datetime]]) -> Missed | None:
    """All of (how many, the first, the last) as one; None for nothing."""
    kept = list(spans)
    if not kept:
        return None
    count, first, last = zip(*kept, strict=True)
    return Missed(sum(count), min(first), max(last))


@dataclass(frozen=True, slots=True)
class Plan:
    """fires: a firing for each, oldest first. left_out: the rest of the due instants; no row of
    their own. told: what the prompt says was missed (C-40). next_run_at: None when none comes.

    `fires` and `left_out` are all that was due, each once; a tick of the schedule stores both
    and `next_run_at` in one transaction.
    """

    fires: tuple[datetime, ...]
    left_out: Missed | None
    told: Missed | None
    next_run_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Due:
    """All that was due: counted, not listed."""

    after: datetime
    now: datetime
    count: int
    last: datetime


def catch_up(schedule: Schedule, next_run_at: datetime, now: datetime) -> Plan:
    """What is due in [next_run_at, now], however long that is.

    The stored `next_run_at` is the first instant that counts, so time spent paused or archived
    is left out by whoever resumes the routine (C-41), and so is what lay before an edit (B-031).
    """
    if now < next_run_at:  # also when the clock was set back: nothing comes twice
        return Plan((), None, None, next_run_at)
    cron, zone = schedule.cron, schedule.zone
    following = cron.next(now, zone)
    after = next_run_at - _RESOLUTION
    last = cron.last(after, now, zone)
    if last is None:
        return Plan((), None, None, following)
    due = _Due(after, now, cron.count(after, now, zone), last)
    if schedule.catch_up is CatchUpPolicy.SKIP_MISSED:
        return _present_only(schedule, due, following)
    most = min(due.count, max(schedule.cap, 1), MOST)
    fires = tuple(cron.first(most, after, zone))
    left_out = _rest(schedule, due, fires[-1], due.count - len(fires))
    return Plan(fires, left_out, _told(schedule, due, fires[0], left_out), following)


def _rest(schedule: Schedule, due: _Due, after: datetime, count: int) -> Missed | None:
    first = schedule.cron.next(after, schedule.zone)
    return Missed(count, first, due.last) if count and first else None


def _present_only(schedule: Schedule, due: _Due, following: datetime | None) -> Plan:
    """C-39: the tick of this minute, if there is one; a start after hours fires nothing else."""
    if due.now - due.last >= _PRESENT:
        left_out = _rest(schedule, due, due.after, due.count)
        return Plan((), left_out, left_out, following)
    before = schedule.cron.last(due.after, due.last - _RESOLUTION, schedule.zone)
    first = schedule.cron.next(due.after, schedule.zone)
    left_out = Missed(due.count - 1, first, before) if before and first else None
    return Plan((due.last,), left_out, left_out, following)


def _told(schedule: Schedule, due: _Due, first: datetime, left_out: Missed | None) -> Missed | None:
    """C-61: those without a run of their own. Coalesced ones share one run, so it is told of all;
    where the first runs and the others are skipped for it, of all but the first."""
    match schedule.concurrency:
        case ConcurrencyPolicy.ALWAYS_ENQUEUE:
            return left_out
        case ConcurrencyPolicy.COALESCE_IF_ACTIVE:
            return Missed(due.count, first, due.last) if due.count > 1 else None
        case ConcurrencyPolicy.SKIP_IF_ACTIVE:
            return _rest(schedule, due, first, due.count - 1)

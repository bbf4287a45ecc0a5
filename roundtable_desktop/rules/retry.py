"""When what failed is tried again, by which layer, and when no more (C-04, K-34, A-30)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (2, 10, 30, 120))
"""One delay for each of the four retries; the fifth failure escalates (C-05)."""

JITTER = 0.25
TICK_FIRST = timedelta(milliseconds=250)
TICK_LONGEST = timedelta(seconds=30)


class Layer(StrEnum):
    """Who answers a failure: the same wakeup again, a new attempt at the work, or nobody."""

    NONE = "none"
    WAKEUP = "wakeup"
    ATTEMPT = "attempt"
    INCURABLE = "incurable"
    REQUEUE = "requeue"  # nothing ran or it was broken off: at no cost


def wakeup_retry_at(retry_count: int, now: datetime, dice: Callable[[], float]) -> datetime | None:
    """None after the last one; the delay is drawn from the base to a quarter more (C-93)."""
    if retry_count >= len(BACKOFF):
        return None
    return now + BACKOFF[retry_count] * (1 + JITTER * dice())


@dataclass(frozen=True, slots=True)
class Attempt:
    """cost: what this failure takes of the budget; again: whether there is another attempt."""

    cost: int
    again: bool


def attempt_retry(
    *, budget: int, spent: int, signature: str, last_signature: str | None, alike: bool = False
) -> Attempt:
    """The same failure again costs twice as much as a new one (A-08). alike: so does one that is
    known to come again, from its first time on."""
    cost = 2 if alike or signature == last_signature else 1
    return Attempt(cost, again=spent + cost <= budget)


def tick_delay(
    failures: int, dice: Callable[[], float], first: timedelta = TICK_FIRST
) -> timedelta:
    """After the n-th error in a row of our loop: 250 ms, doubled each time, at most 30 s (W-07).
    first: in place of these 250 ms."""
    grown: timedelta = min(first * 2 ** min(failures - 1, 10), TICK_LONGEST)
    return grown * (1 + JITTER * (2 * dice() - 1))

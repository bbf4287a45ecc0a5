"""When a schedule is due, reckoned the slow way: every minute of the clock is looked at."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
MOST = (60, 24, 32, 13, 7)


def numbers(field: str, most: int) -> set[int]:
    """`*`, `*/n`, `n`, `n-m` and lists of them."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        many = range(most) if span == "*" else range(int(first), int(last or first) + 1)
        found |= set(many[:: int(step or 1)])
    return found


def due(cron: str, zone: str, after: datetime, until: datetime) -> Iterator[datetime]:
    """In (after, until]. A time of day that comes twice when the clocks go back counts the first
    time; what recurs within the hour or by the hour goes on by the real clock."""
    words = cron.split()
    minutes, hours, days, months, weekdays = map(numbers, words, MOST)
    daily = not any("*" in field for field in words[:2])
    at = after.replace(second=0, microsecond=0) + MINUTE
    while at <= until:
        wall = at.astimezone(ZoneInfo(zone))
        fits = wall.minute in minutes and wall.hour in hours
        fits = fits and wall.day in days and wall.month in months
        if fits and wall.isoweekday() % 7 in weekdays and not (daily and wall.fold):
            yield at.astimezone(UTC)
        at += MINUTE

"""A second, slow reading of cron: looks at every minute, and shares nothing with the product."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)


def among(field: str, low: int, high: int) -> set[int]:
    """The numbers of a field of digits, `*`, `-`, `/` and `,`."""
    found: set[int] = set()
    for term in field.split(","):
        stretch, _, step = term.partition("/")
        if stretch == "*":
            first, last = low, high
        elif "-" in stretch:
            first, last = map(int, stretch.split("-"))
        else:
            first, last = int(stretch), high if step else int(stretch)
        found |= set(range(first, last + 1, int(step or 1)))
    return found


def shown_by(expression: str) -> Callable[[datetime], bool]:
    """Whether a clock that shows this wall time shows a time of the expression."""
    minute, hour, day, month, weekday = expression.split()
    minutes, hours, months = among(minute, 0, 59), among(hour, 0, 23), among(month, 1, 12)
    days, weekdays = among(day, 1, 31), among(weekday, 0, 7)
    both = day.startswith("*") or weekday.startswith("*")

    def shows(wall: datetime) -> bool:
        if wall.minute not in minutes or wall.hour not in hours or wall.month not in months:
            return False
        fits = (wall.day in days, bool({wall.isoweekday(), wall.isoweekday() % 7} & weekdays))
        return all(fits) if both else any(fits)

    return shows


def fires(expression: str, zone: ZoneInfo, after: datetime, until: datetime) -> list[datetime]:
    """Every instant in (after, until]; both at whole minutes, in UTC."""
    shows = shown_by(expression)
    minute, hour, *_ = expression.split()
    if minute.startswith("*") or hour.startswith("*"):
        real = _minutes(after + MINUTE, until)
        return [at for at in real if shows(at.astimezone(zone).replace(tzinfo=None))]
    # far enough around for the longest gap there ever was, a whole day
    first = after.astimezone(zone).replace(tzinfo=None) - timedelta(days=1)
    last = until.astimezone(zone).replace(tzinfo=None) + timedelta(days=1)
    moved = {_existing(wall, zone) for wall in _minutes(first, last) if shows(wall)}
    return sorted(at for at in moved if after < at <= until)


def _minutes(first: datetime, last: datetime) -> list[datetime]:
    return [first + number * MINUTE for number in range((last - first) // MINUTE + 1)]


def _existing(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant of this wall time, or of the next one that exists."""
    while True:
        at = wall.replace(tzinfo=zone).astimezone(UTC)
        if at.astimezone(zone).replace(tzinfo=None) == wall:
            return at
        wall += MINUTE

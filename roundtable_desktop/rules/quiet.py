"""Quiet hours: whether notifications are held back now, and until when (N-11)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Quiet:
    """weekdays: on which it begins, Monday is 0. An end before the beginning is the next day's."""

    weekdays: frozenset[int]
    begin: time
    end: time


def read(text: str) -> list[Quiet]:
    """As `model.settings` lets it be written; a range of days may go past the end of the week."""
    return [_span(part.strip()) for part in text.split(",") if part.strip()]


def ends_at(text: str, now: datetime) -> datetime | None:
    """When the quiet that lasts now is over, in local time without a zone, as `now` is; None where
    it is not quiet. Spans that touch each other are one."""
    end = None
    while (further := _ends(read(text), end or now)) is not None and further - now < 8 * _DAY:
        end = further
    return end


def _ends(spans: list[Quiet], now: datetime) -> datetime | None:
    found = [end for begin, end in _around(spans, now) if begin <= now < end]
    return max(found, default=None)


def _around(spans: list[Quiet], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Those that began today or yesterday."""
    for day in (now.date(), (now - _DAY).date()):
        for one in spans:
            if day.weekday() in one.weekdays:
                begin, end = datetime.combine(day, one.begin), datetime.combine(day, one.end)
                yield begin, end if end > begin else end + _DAY


def _span(text: str) -> Quiet:
    days, _, hours = text.partition(" ")
    begin, _, end = hours.partition("-")
    return Quiet(_weekdays(days), _time(begin), _time(end))


def _weekdays(text: str) -> frozenset[int]:
    if text == "daily":
        return frozenset(range(7))
    first, _, last = text.partition("-")
    number, length = DAYS.index(first), (DAYS.index(last or first) - DAYS.index(first)) % 7
    return frozenset((number + more) % 7 for more in range(length + 1))


def _time(text: str) -> time:
    """24:00 is the next day's 00:00."""
    hour, minute = map(int, text.split(":"))
    return time(hour % 24, minute)

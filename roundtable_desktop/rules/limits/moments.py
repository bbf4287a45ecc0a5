"""Reads when: a duration, an instant, or a date and a clock time, at one place of a text."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial

from roundtable_desktop.rules.limits.zones import zone_at

JUST_PASSED = timedelta(hours=1)
"""A time that passed less than this ago is meant as it stands, not for tomorrow (C-35)."""

_ANY = re.ASCII | re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Frame:
    """What a time without a date or a zone refers to: now, and the zone of who wrote it."""

    now: datetime
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Found:
    """The instant, and where its words end in the text."""

    at: datetime
    end: int


def when(text: str, start: int, frame: Frame) -> Found | None:
    """What is said at `start`; None when it is no time, or none that could be meant."""
    for read in (_epoch, _span, _calendar):
        found = read(text, start, frame)
        if found is not None:
            return found
    return None


# --- instants and durations --------------------------------------------------------------------

_EPOCH = re.compile(r"(\d{10})(\d{3})?(?:\.\d{1,9})?(?![\w.-])", _ANY)
_PART = re.compile(
    r"(?P<number>\d{1,7}(?:\.\d{1,18})?)\s?(?:"
    r"(?P<milliseconds>ms|milliseconds?)|(?P<seconds>s|secs?|seconds?)|"
    r"(?P<minutes>m|mins?|minutes?)|(?P<hours>h|hrs?|hours?)|"
    r"(?P<days>d|days?)|(?P<weeks>w|wks?|weeks?))(?![a-z])",
    _ANY,
)
_JOIN = re.compile(r"(?:\s?,)?\s*(?:and\s+)?", _ANY)


def _epoch(text: str, start: int, frame: Frame) -> Found | None:
    """Seconds, or milliseconds when it has three digits more."""
    found = _EPOCH.match(text, start)
    if found is None:
        return None
    moment = datetime.fromtimestamp(int(found[1]), UTC)
    return Found(moment + timedelta(milliseconds=int(found[2] or 0)), found.end())


def _span(text: str, start: int, frame: Frame) -> Found | None:
    """`7m12s`, `25h20m26.18s`, `5 days 22 hours 11 minutes`, `2 hours and 5 minutes`."""
    total: timedelta | None = timedelta()
    end = None
    while total is not None and (part := _PART.match(text, start)):
        assert part.lastgroup is not None, "one of the units matched"
        total = _sum(total, part.lastgroup, float(part["number"]))
        end = part.end()
        start = _after(_JOIN, text, end)
    return None if end is None or total is None else later(frame.now, total, end)


def _sum(total: timedelta, unit: str, number: float) -> timedelta | None:
    """None for what no span can hold."""
    try:
        return total + timedelta(**{unit: number})
    except OverflowError:
        return None


def later(now: datetime, span: timedelta, end: int) -> Found | None:
    try:
        return Found(now + span, end)
    except OverflowError:
        return None


# --- dates and clock times ---------------------------------------------------------------------

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_NUMBER = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s(?P<year>\d{4})(?![\d:]))?"


@dataclass(frozen=True, slots=True)
class _DayForm:
    """name: an example. days: those that are meant, seen from today."""

    name: str
    pattern: re.Pattern[str]
    days: Callable[[re.Match[str], date], Iterable[date]]


def _dated(found: re.Match[str], today: date) -> Iterator[date]:
    """Without a year the nearest three; with another year than those none: it cannot be meant."""
    said = found["month"].lower()
    month = _MONTHS.index(said[:3]) + 1 if said.isalpha() else int(said)
    near = (today.year - 1, today.year, today.year + 1)
    year = found.groupdict().get("year")
    wanted = near if year is None else (int(year) + (2000 if len(year) == 2 else 0),)
    for one in wanted:
        if one in near and _exists(one, month, int(found["day"])):
            yield date(one, month, int(found["day"]))


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _weekdays(found: re.Match[str], today: date) -> Iterator[date]:
    wanted = _WEEKDAYS.index(found["weekday"].lower())
    ahead = (wanted - today.weekday()) % 7
    yield from (today + timedelta(days=ahead + days) for days in (-7, 0, 7))


def _named(found: re.Match[str], today: date) -> Iterator[date]:
    yield today + timedelta(days=1 if found[1].lower() == "tomorrow" else 0)


def _form(
    name: str, pattern: str, days: Callable[[re.Match[str], date], Iterable[date]] = _dated
) -> _DayForm:
    return _DayForm(name, re.compile(pattern, _ANY), days)


_DAYS = (
    _form("2026-12-01", r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)"),
    _form("07-27", r"(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])"),
    _form("27/8/2026", r"(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d{1,2})/(?P<year>\d{4})(?!\d)"),
    _form("8.10.2026", r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?!\d)"),
    _form("10/8/2026", r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)(?!\d)"),
    _form("Dec 1st, 2026", rf"{_MONTH}\s{_NUMBER}(?![\d:]){_YEAR}"),
    _form("1 December 2026", rf"{_NUMBER}\s(?:of\s)?{_MONTH}(?![a-z]){_YEAR}"),
    _form("tomorrow", r"(today|tonight|tomorrow)\b", _named),
    _form(
        "Monday",
        rf"(?:next\s)?(?P<weekday>{'|'.join(_WEEKDAYS)})(?:[a-z]{{0,6}}day)?\b",
        _weekdays,
    ),
)
_WEEKDAY_FIRST = re.compile(rf"(?:{'|'.join(_WEEKDAYS)})[a-z]{{0,6}},?\s(?=\w+\s\w)", _ANY)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?::(?P<second>\d\d)(?:\.(?P<part>\d{1,9}))?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?(?![\d:])",
    _ANY,
)
_CLOCK_WORDS = re.compile(r"(midnight|noon)\b", _ANY)
_BETWEEN = re.compile(r"T(?=\d)|[\s,]*(?:(?:at|by|on)\s+|@\s*)?", _ANY)

_Days = Callable[[date], Iterable[date]]


def _calendar(text: str, start: int, frame: Frame) -> Found | None:
    """A day, a clock time and a zone, in any order; at least one of the first two."""
    days, clock, zone, end = _parts(text, start)
    if days is None and clock is None:
        return None
    frame = Frame(frame.now, zone or frame.zone)
    moment = _soonest(days or _around, clock or time(), frame)
    return Found(moment, end) if moment else None


def _parts(text: str, end: int) -> tuple[_Days | None, time | None, tzinfo | None, int]:
    days: _Days | None = None
    clock: time | None = None
    zone: tzinfo | None = None
    while True:
        place = _after(_BETWEEN, text, end)
        if days is None and (day := _days_at(text, place)):
            days, end = day
        elif clock is None and (told := _clock_at(text, place)):
            clock, end = told
        elif zone is None and (days or clock is not None) and (named := zone_at(text, end)):
            zone, end = named
        else:
            return days, clock, zone, end


def _days_at(text: str, start: int) -> tuple[_Days, int] | None:
    for place in (_after(_WEEKDAY_FIRST, text, start), start):
        for form in _DAYS:
            found = form.pattern.match(text, place)
            if found is not None:
                return partial(form.days, found), found.end()
    return None


def _clock_at(text: str, start: int) -> tuple[time, int] | None:
    word = _CLOCK_WORDS.match(text, start)
    if word is not None:
        return time(12 if word[1].lower() == "noon" else 0), word.end()
    found = _CLOCK.match(text, start)
    clock = _clock(found) if found else None
    return (clock, found.end()) if found and clock is not None else None


def _clock(found: re.Match[str]) -> time | None:
    """`4am`, `8:19 PM`, `22:15`; a bare number is no clock time."""
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if not half and found["minute"] is None:
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    part = int((found["part"] or "")[:6].ljust(6, "0"))
    try:
        return time(hour, int(found["minute"] or 0), int(found["second"] or 0), part)
    except ValueError:
        return None


def _soonest(days: _Days, clock: time, frame: Frame) -> datetime | None:
    """Of all that can be meant the first that is not over."""
    today = frame.now.astimezone(frame.zone).date()
    meant = (one for day in days(today) for one in _readings(day, clock, frame.zone))
    return min((one for one in meant if one - frame.now > -JUST_PASSED), default=None)


def _readings(day: date, clock: time, zone: tzinfo) -> Iterator[datetime]:
    """Two where the clocks go back; an hour that they leave out is as long after the change."""
    first, second = (
        datetime.combine(day, clock.replace(fold=fold), zone).astimezone(UTC) for fold in (0, 1)
    )
    yield first
    if second > first:
        yield second


def _around(today: date) -> Iterator[date]:
    """A clock time alone is of yesterday (it has just passed), today or tomorrow."""
    yield from (today + timedelta(days=days) for days in (-1, 0, 1))


def _after(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start

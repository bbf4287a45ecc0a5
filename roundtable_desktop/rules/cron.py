"""When a schedule fires: five-field cron expressions, strictly rising instants, zones and all.

cronsim walks the wall clock and knows no zone here; the instants are ours. Of the times that a
change of the clock takes away or brings twice, an expression with fixed minutes and hours fires
once (moved behind the gap; the first of two), as Debian's cron does; one whose minute or hour
begins with `*` follows real time, so that the clock's change neither adds nor moves anything.
"""

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.rules import zones

LONGEST = 500
"""Characters: every field of an expression may list all that it can hold."""

_SHOWN = 60  # characters of a refused expression that are said again
_SECOND, _MINUTE, _DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
_MIDNIGHT = time()
_NEAR = 2 * _DAY  # longer than any change of a clock reaches
_ORDINAL = re.compile(r"(?<=[2-5])([123])th\b")
_ENDS = {"1": "st", "2": "nd", "3": "rd"}
_ALIASES = {
    "@annually": "0 0 1 1 *",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
    "@midnight": "0 0 * * *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@yearly": "0 0 1 1 *",
}
_FIELDS = ("minute", "hour", "day", "month", "weekday")
_ANEW_AFTER = (60, 24, 31)
"""Minutes, hours, days; that of a month is not always as long."""
_ANY_TIME = datetime(2000, 1, 1)  # a start for a walk that is not made  # noqa: DTZ001
_KINDS_OF_YEAR = {
    (calendar.isleap(year), date(year, 1, 1).weekday()): year for year in range(2000, 2028)
}
"""A year is leap or not and begins on one of seven days: what matches in none never matches."""


@dataclass(frozen=True, slots=True)
class Cron:
    """An expression that fires some day. Made by `parse`; times are aware, answers in UTC."""

    text: str
    fixed: bool

    def fires(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Each instant after `after`, to the end of the calendar."""
        try:
            yield from (self._fixed if self.fixed else self._real)(after.astimezone(UTC), zone)
        except (OverflowError, ValueError):
            return  # there is no year 10000

    def first(self, count: int, after: datetime, zone: ZoneInfo) -> list[datetime]:
        return list(islice(self.fires(after, zone), count))

    def next(self, after: datetime, zone: ZoneInfo) -> datetime | None:
        return next(self.fires(after, zone), None)

    def last(self, after: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
        """The last instant in (after, until], by halving: nothing in between is listed."""
        first = self.next(after, zone)
        if first is None or first > until:
            return None
        low, high = 0, (until - first) // _MINUTE + 1
        while high - low > 1:  # one fires after `first` + low minutes - 1 s; none after high
            middle = (low + high) // 2
            found = self.next(first + middle * _MINUTE - _SECOND, zone)
            low, high = (middle, high) if found is not None and found <= until else (low, middle)
        return self.next(first + low * _MINUTE - _SECOND, zone)

    def count(self, after: datetime, until: datetime, zone: ZoneInfo) -> int:
        """How many instants are in (after, until]; whole days are multiplied, not listed."""
        start, end = _behind(after), _behind(until)
        walk = CronSim(self.text, _ANY_TIME)
        daily = len(walk.minutes) * len(walk.hours)
        total = 0
        while start < end:
            day = zones.wall(start, zone)
            if day.time() == _MIDNIGHT and start + _DAY <= end and _steady(start, zone):
                total += daily * _matches(walk, day)
                start += _DAY
                continue
            stop = min(end, _midnight_behind(start, zone))
            if _any_day(walk, zones.wall(start - _SECOND, zone), zones.wall(stop, zone)):
                total += sum(1 for _ in takewhile(_before(stop), self.fires(start - _SECOND, zone)))
            start = stop
        return total

    def words(self) -> str:
        """In English; by the library that also walks, so that the words mean what it does. It
        writes 21th."""
        said: str = CronSim(self.text, _ANY_TIME).explain()
        return _ORDINAL.sub(lambda found: found[1] + _ENDS[found[1]], said)

    def every_hour(self) -> bool:
        return len(CronSim(self.text, _ANY_TIME).hours) == 24

    def either_day(self) -> bool:
        """Whether a day of the month OR a weekday is enough, as crontabs have it when both are
        named and neither begins with `*`."""
        _, _, day, _, weekday = self.text.split()
        return not (day.startswith("*") or weekday.startswith("*"))

    def uneven(self) -> list[tuple[str, int]]:
        """(field, step) of each `*/step` that begins anew before a whole step is over; of days
        only where no weekday is named, for then nobody takes them for every so many days."""
        parts = self.text.split()
        until = 3 if parts[-1] == "*" else 2
        fields = zip(_FIELDS, parts[:until], _ANEW_AFTER, strict=False)
        parted = [(name, *part.partition("*/"), size) for name, part, size in fields]
        return [
            (name, int(step))
            for name, before, _, step, size in parted
            if not before and step.isdecimal() and size % int(step)
        ]

    def walls(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """What a clock that is never changed would show at its fires in [start, end)."""
        return takewhile(_before(end), self._walk(start - _SECOND))

    def _walk(self, start: datetime) -> Iterator[datetime]:
        return CronSim(self.text, start)

    def _fixed(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Every time on the wall once; what is not later than the last is that one again."""
        for shown in self._walk(zones.wall(after, zone)):
            instant = _instant(shown, zone)
            if instant > after:
                yield instant
                after = instant

    def _real(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Every instant at which the wall shows a time of ours: the walk, shifted by the zone's
        offset, and begun anew wherever that changes."""
        start = zones.wall(after, zone)
        while True:
            ahead = zones.offset(after, zone)
            anew = None
            for shown in self._walk(start):
                instant = shown.replace(tzinfo=UTC) - ahead
                anew = zones.change(after, min(instant, after + _NEAR), zone)
                if anew is None and instant > after + 2 * _NEAR:
                    anew = instant - _NEAR  # on the way there, changes of the clock hit nothing
                if anew is not None:
                    break
                yield instant
                after = instant
            if anew is None:
                return
            after, start = anew, zones.wall(anew, zone) - _SECOND


def parse(text: str, pointer: str = "") -> Cron:
    """Raises Invalid with the reason: not five fields, one that cannot be, or never a fire."""
    if len(text) > LONGEST:
        raise Invalid("cron_too_long", pointer, most=LONGEST)
    given = text.strip()
    if given.startswith("@"):
        if given.lower() not in _ALIASES:
            raise Invalid("cron_no_alias", pointer, given=given[:_SHOWN], known=list(_ALIASES))
        given = _ALIASES[given.lower()]
    parts = given.split()
    if len(parts) != len(_FIELDS):
        raise Invalid("cron_fields", pointer, count=len(parts))
    for place, part in enumerate(parts):
        _check(place, part, pointer)
    joined = " ".join(_plain(place, part.upper()) for place, part in enumerate(parts))
    if not _some_day(joined):
        raise Invalid("cron_never", pointer, given=given[:_SHOWN])
    return Cron(joined, fixed=not (parts[0].startswith("*") or parts[1].startswith("*")))


def _check(place: int, part: str, pointer: str) -> None:
    try:
        if not part.isascii():  # some letters have an ASCII one as their capital
            raise CronSimError
        _alone(place, part)
    except CronSimError:
        raise Invalid(f"cron_bad_{_FIELDS[place]}", pointer, given=part[:_SHOWN]) from None


def _alone(place: int, part: str) -> CronSim:
    """One field among four that let everything pass."""
    fields = ["*"] * len(_FIELDS)
    fields[place] = part
    return CronSim(" ".join(fields), _ANY_TIME)


def _plain(place: int, part: str) -> str:
    """`5-5/2` as `5`, which it means; cronsim takes it for `5/2`, from 5 on."""
    return ",".join(_plain_term(place, term) for term in part.split(","))


def _plain_term(place: int, term: str) -> str:
    stretch, step, _ = term.partition("/")
    if not step or "-" not in stretch:
        return term
    walk = _alone(place, stretch)
    held = (walk.minutes, walk.hours, walk.days, walk.months, walk.weekdays)[place]
    return stretch.partition("-")[0] if len(held) == 1 else term


def _some_day(text: str) -> bool:
    try:
        walk = CronSim(text, _ANY_TIME)
    except CronSimError:
        return False  # each field is good, so it has found by itself that no day matches
    return any(
        walk.match_day(date(year, month, day))
        for year in _KINDS_OF_YEAR.values()
        for month in walk.months
        for day in range(1, calendar.monthrange(year, month)[1] + 1)
    )


def _instant(shown: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the wall shows this; in a gap, the first one behind it."""
    instant = shown.replace(tzinfo=zone).astimezone(UTC)
    if zones.wall(instant, zone) == shown:
        return instant
    before = shown.replace(tzinfo=zone, fold=1).astimezone(UTC)
    behind = zones.change(before, instant, zone)
    assert behind is not None  # a time that does not exist lies in a change
    return behind


def _matches(walk: CronSim, day: date) -> bool:
    return day.month in walk.months and walk.match_day(day)


def _any_day(walk: CronSim, first: datetime, last: datetime) -> bool:
    """Whether any day from `first` to `last` matches; else the next fire may be years away."""
    days = range((last.date() - first.date()).days + 1)
    return any(_matches(walk, first + number * _DAY) for number in days)


def _behind(instant: datetime) -> datetime:
    """The first whole second after it: fires are at whole seconds."""
    return instant.astimezone(UTC).replace(microsecond=0) + _SECOND


def _before(end: datetime) -> Callable[[datetime], bool]:
    return lambda moment: moment < end


def _steady(start: datetime, zone: ZoneInfo) -> bool:
    """Whether the clock goes the same all day, and no gap before it moves a fire into it."""
    return len({zones.offset(at, zone) for at in (start - _SECOND, start, start + _DAY)}) == 1


def _midnight_behind(start: datetime, zone: ZoneInfo) -> datetime:
    """The next midnight that exists."""
    today = zones.wall(start, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    midnights = (_instant(today + days * _DAY, zone) for days in (1, 2, 3))
    return next(at for at in midnights if zones.wall(at, zone).time() == _MIDNIGHT)

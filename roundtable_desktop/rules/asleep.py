"""At which hours this program is usually not awake, as far as it has seen that (N-20)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.agenda import Asleep
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import Cron

DAYS = 14
"""Of that hour that are looked at, the newest."""
FEWEST = 7
"""With fewer of them nothing is said."""
BACK = 28
"""Days among which they are looked for."""

_DAY, HOUR = timedelta(days=1), timedelta(hours=1)
_USUALLY, _RARELY = 2 / 3, 1 / 5


@dataclass(frozen=True, slots=True)
class Seen:
    """awake: the hours of the last BACK days in which it was awake, by their beginnings in UTC.
    first: the first of all that were noted; before it nothing is known."""

    awake: frozenset[datetime]
    first: datetime | None
    now: datetime


def hour_of(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def at_hour(seen: Seen, at: datetime, zone: ZoneInfo, cron: Cron | None = None) -> Asleep | None:
    """Of the last days at the same time on the wall; None where too few were seen. cron: where it
    names days, only those count, if there are enough of them."""
    wall = zones.wall(at, zone)
    if cron is not None and not _every_day(cron):
        found = _counted(seen, wall, zone, lambda day: any(cron.walls(day, day + _DAY)))
        if found is not None:
            return found
    return _counted(seen, wall, zone, lambda day: True)


def _every_day(cron: Cron) -> bool:
    _, _, day, _, weekday = cron.text.split()
    return day == weekday == "*"


def _counted(
    seen: Seen, wall: datetime, zone: ZoneInfo, counts: Callable[[datetime], bool]
) -> Asleep | None:
    today = zones.wall(seen.now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    asleep = of = 0
    for back in range(BACK + 1):
        day = today - back * _DAY
        then = day.replace(hour=wall.hour, minute=wall.minute)
        hour = hour_of(then.replace(tzinfo=zone))
        over = hour + HOUR <= seen.now
        if not over or seen.first is None or hour < seen.first or not counts(day):
            continue
        of += 1
        asleep += hour not in seen.awake
        if of == DAYS:
            break
    return Asleep(asleep, of) if of >= FEWEST else None


def usually(found: Asleep | None) -> bool:
    return found is not None and found.count >= _USUALLY * found.days


def better(seen: Seen, at: datetime, zone: ZoneInfo, cron: Cron) -> datetime | None:
    """The nearest time of the same day at which it is rarely asleep, as the wall shows it."""
    wall = zones.wall(at, zone)
    for away in range(1, 24):
        for other in (wall + away * HOUR, wall - away * HOUR):
            if other.date() != wall.date():
                continue
            found = at_hour(seen, other.replace(tzinfo=zone), zone, cron)
            if found is not None and found.count <= _RARELY * found.days:
                return other
    return None

"""Notes that this program is awake, once in each hour (N-20); reading that is `rules.asleep`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.agenda import Asleep
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.rules import asleep
from roundtable_desktop.rules.asleep import Seen
from roundtable_desktop.rules.cron import Cron
from roundtable_desktop.store import awake
from roundtable_desktop.store.db import Store, Tx, View


class Awake:
    """Asked at each look of the housekeeping; it writes once in an hour."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._noted: datetime | None = None

    def note(self) -> None:
        hour = asleep.hour_of(self._clock.now())
        if hour != self._noted:
            with self._store.transaction() as tx:
                awake.note(tx, hour)
            self._noted = hour


def note_span(tx: Tx, begin: datetime, end: datetime) -> None:
    """Awake all that time, as far back as anybody asks."""
    hour = max(asleep.hour_of(begin), asleep.hour_of(end) - awake.KEPT)
    while hour <= end:
        awake.note(tx, hour)
        hour += asleep.HOUR


@dataclass(frozen=True, slots=True)
class Sleeps:
    """A schedule's next fire comes when this program is usually asleep. better: the nearest time on
    the wall of that day at which it rarely is, if there is one."""

    found: Asleep
    better: str | None

    @property
    def code(self) -> str:
        return "usually_asleep" if self.better else "usually_asleep_any"

    @property
    def values(self) -> dict[str, object]:
        return {"count": self.found.count, "days": self.found.days, "better": self.better}


def sleeps(view: View, now: datetime, cron: Cron, zone: ZoneInfo) -> Sleeps | None:
    """Nothing where too little is known, or it comes in each hour anyway."""
    known, at = seen(view, now), cron.next(now, zone)
    if at is None or known.first is None or cron.every_hour():
        return None
    found = asleep.at_hour(known, at, zone, cron)
    if found is None or not asleep.usually(found):
        return None
    better = asleep.better(known, at, zone, cron)
    return Sleeps(found, f"{better:%H:%M}" if better else None)


def seen(view: View, now: datetime) -> Seen:
    begin = asleep.hour_of(now) - timedelta(days=asleep.BACK + 1)
    return Seen(awake.since(view, begin), awake.first(view), now)

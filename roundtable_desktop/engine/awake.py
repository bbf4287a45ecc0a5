"""Notes that this program is awake, once in each hour (N-20); reading that is `rules.asleep`."""

from datetime import datetime, timedelta

from roundtable_desktop.model.ports import Clock
from roundtable_desktop.rules import asleep
from roundtable_desktop.rules.asleep import Seen
from roundtable_desktop.store import awake
from roundtable_desktop.store.db import Store, View


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


def seen(view: View, now: datetime) -> Seen:
    begin = asleep.hour_of(now) - timedelta(days=asleep.BACK + 1)
    return Seen(awake.since(view, begin), awake.first(view), now)

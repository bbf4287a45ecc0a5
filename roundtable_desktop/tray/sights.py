"""What the watcher sees: the whole of it now, with as little asked of the database as can be."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_tray import ByHand, Hours, Late
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event
from roundtable_desktop.model.states import Health, InboxStatus
from roundtable_desktop.tray import wording
from roundtable_desktop.tray.shown import (
    MOST_ROUTINES,
    MOST_RUNS,
    Crash,
    Next,
    Seen,
    Slept,
    Waiting,
    when,
)

_MOST = 50  # items looked at; of more at once, the older ones are only counted
_MOST_READY = 20

SLEPT = 60.0
"""Seconds that the time of day is ahead of the time that the process was awake: it was asleep."""
_LATE = timedelta(minutes=2)
"""So long after it woke, what fires belongs to the sleep."""


class Nap:
    """One sleep of the machine, and what was late because of it."""

    def __init__(self, begin: datetime, end: datetime) -> None:
        self.begin, self.end = begin, end
        self.late = Late()

    def hear(self, look: Look, happened: Sequence[Event]) -> None:
        more = look.tray.late(happened, self.begin, self.end)
        self.late = Late(self.late.due + more.due, self.late.run + more.run)

    def shown(self) -> Slept | None:
        """Nothing where nothing was late."""
        if not self.late.due:
            return None
        begin, end = when(self.begin, self.end), when(self.end, self.end)
        return Slept(begin, end, self.late.due, self.late.run)


class Sights:
    """clock: one that stands still while the machine sleeps, in seconds."""

    def __init__(self, look: Look, clock: Callable[[], float]) -> None:
        self._look, self._clock = look, clock
        self._at = look.tray.now(), clock()
        self._waiting: Mapping[str, Waiting] = {}
        self._ready: Sequence[Waiting] = ()
        self._by_hand: Sequence[ByHand] = ()
        self._hours = Hours()
        self._crash: Crash | None = None
        self._test = 0
        self._nap: Nap | None = None
        self._moved = {"inbox", "proposal", "routine", "settings"}

    def hear(self, happened: Sequence[Event]) -> None:
        """Only what was touched is looked at again."""
        self._notice_sleep()
        for event in happened:
            about = event.subject_type
            self._moved.add("proposal" if about == "delivery" else about)
            if event.kind == Kind.OWNER_CRASHED and not event.data["given_up"]:
                self._crash = Crash(event.id, str(event.data["error"]))
            if event.kind == Kind.NOTIFICATION_ASKED:
                self._test = event.id
        if self._nap is not None:
            self._nap.hear(self._look, happened)

    def look(self, health: Health) -> Seen:
        self._notice_sleep()
        look, now = self._look, self._look.tray.now()
        moved, self._moved = self._moved, set()
        try:
            self._look_at(moved)
            coming = look.tray.coming()
            return Seen(
                glance=look.glance(health),
                waiting=tuple(self._waiting.values()),
                ready=tuple(self._ready),
                at_work=tuple(look.tray.at_work(MOST_RUNS)),
                coming=None if coming is None else Next(when(coming.at, now), coming.name),
                by_hand=tuple(self._by_hand),
                hours=look.tray.at_this_hour(self._hours),
                slept=self._nap.shown() if self._nap is not None else None,
                crash=self._crash,
                test=self._test,
            )
        except Exception:
            self._moved |= moved
            raise

    def _look_at(self, moved: set[str]) -> None:
        look = self._look
        if "inbox" in moved:
            self._waiting = self._open_items()
        if "proposal" in moved:
            found = look.tray.to_look_at(_MOST_READY)
            self._ready = tuple(wording.of_proposal(one) for one in found)
        if "routine" in moved:
            self._by_hand = tuple(look.tray.by_hand(MOST_ROUTINES))
        if "settings" in moved:
            self._hours = look.tray.hours()

    def _notice_sleep(self) -> None:
        now, awake = self._look.tray.now(), self._clock()
        was, awake_then = self._at
        self._at = now, awake
        gone = (now - was).total_seconds()
        if gone - (awake - awake_then) > SLEPT:
            self._nap = Nap(was, now)
        elif self._nap is not None and now - self._nap.end > _LATE:
            self._nap = None

    def _open_items(self) -> dict[str, Waiting]:
        """The newest; and of those that newer ones pushed out, what still waits."""
        look, known = self._look, self._waiting
        newest = look.inbox(None, _MOST, status=InboxStatus.OPEN)
        found = {one.id: known.get(one.id) or wording.of_item(look, one) for one in newest}
        if len(newest) == _MOST:
            pushed_out = [one for one in known.values() if one.id not in found]
            found |= {one.id: one for one in pushed_out if self._waits(one)}
        return found

    def _waits(self, one: Waiting) -> bool:
        try:
            return self._look.inbox_item(one.id).status is InboxStatus.OPEN
        except Absent:
            return False

"""Decides what is said, and when: an inbox item once, several together, not too often, not in quiet
hours, and the scheduler's own failure at once."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from roundtable_desktop.engine.desk.look_tray import Hours
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.rules.attention import MOST, speak_at
from roundtable_desktop.tray import telling
from roundtable_desktop.tray.menu import INBOX, OVERVIEW
from roundtable_desktop.tray.notify import DEFAULT, LATER, Notice, Notifier
from roundtable_desktop.tray.shown import Crash, Slept, Waiting
from roundtable_desktop.tray.telling import DIGEST, HEALTH, TEST

_LOUD = (Severity.ATTENTION, Severity.CRITICAL)  # C-92
_ANSWERED = ""
"""Instead of the key of a notification: what a press made of it stays."""


class Speaker(QObject):
    """open: the path of a page that a button asked for. pressed: a key and the code of another
    button. clock: one that only rises, in seconds."""

    open = Signal(str)
    pressed = Signal(str, str)

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._hours = Hours()
        self._notifier: Notifier | None = None
        self._counted = 0  # in the notification that tells of several
        self._told: dict[str, str] = {}  # item id → key of the notification that told of it
        self._untold: list[Waiting] = []  # oldest first
        self._early: dict[str, Notice] = {}  # said before there was anybody to say it
        self._held: dict[str, tuple[Notice, str]] = {}  # what is no item, for after quiet hours
        self._health = Health.OK
        self._trouble: str | None = None
        self._slept: Slept | None = None
        self._crash: Crash | None = None
        self._test = 0
        self._said: dict[str, tuple[Notice, str]] = {}
        self._spoken: deque[float] = deque(maxlen=MOST)
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.timeout.connect(self._speak)

    def attach(self, notifier: Notifier) -> None:
        self._notifier = notifier
        notifier.activated.connect(self._activated)
        early, self._early = self._early, {}
        for notice in early.values():
            notifier.notify(notice)
        self._speak()

    # --- what is heard -------------------------------------------------------------------------

    def hear(self, waiting: Sequence[Waiting], hours: Hours) -> None:
        """All open items, newest first: what is new is said, what is gone is taken back. hours:
        with what of them lasts now."""
        self._hours = hours
        loud = {one.id: one for one in reversed(waiting) if one.severity in _LOUD}
        self._untold = [one for one in self._untold if one.id in loud]
        known = self._told.keys() | {one.id for one in self._untold}
        self._untold += [one for one in loud.values() if one.id not in known]
        self._take_back(one for one in list(self._told) if one not in loud)
        self._speak()
        self._recount()

    def hear_health(self, health: Health, trouble: str | None) -> None:
        """It counts as no item, so that neither the gap nor a full hour holds it back."""
        if (health, trouble) == (self._health, self._trouble):
            return
        self._health, self._trouble = health, trouble
        if health is Health.OK:
            self.unsay(HEALTH)
        else:
            self.say(telling.failing(health, trouble), OVERVIEW)

    def hear_past(self, slept: Slept | None, crash: Crash | None) -> None:
        """What nobody has to do anything about; while the scheduler is dead, that is said."""
        if slept is not None and slept != self._slept:
            self._slept = slept
            self._mention(telling.slept(slept))
        if crash is not None and crash != self._crash:
            self._crash = crash
            if self._health is not Health.DEAD:
                self._mention(telling.crashed(crash))

    def hear_test(self, number: int) -> bool:
        """Whether one was asked for just now: it is said at once, for who asked is there."""
        if number <= self._test:
            return False
        self._test = number
        self.say(telling.test(), "")
        return self._notifier is not None

    # --- what is said --------------------------------------------------------------------------

    def say(self, notice: Notice, path: str) -> None:
        """At once. path: what a click on it opens, or nothing."""
        self._said[notice.key] = (notice, path)
        if self._notifier is not None:
            self._notifier.notify(notice)
        else:
            self._early[notice.key] = notice

    def unsay(self, key: str) -> None:
        for kept in (self._said, self._early, self._held):
            kept.pop(key, None)
        if self._notifier is not None:
            self._notifier.close(key)

    def became(self, key: str, title: str, body: str = "") -> None:
        """A press on it led to that: it is said in the same place."""
        if key in self._said:
            notice, path = self._said[key]
            self.say(replace(notice, title=title, body=body or notice.body, actions=()), path)

    def _mention(self, notice: Notice) -> None:
        if self._hours.only_needed:
            return
        self._held[notice.key] = (notice, OVERVIEW)
        self._speak()

    def _speak(self) -> None:
        if self._notifier is None:
            return
        self._say_held()
        passing = [one for one in self._untold if self._may_pass(one.severity)]
        if not passing or self._due.isActive():
            return
        now = self._clock()
        due = speak_at(self._spoken, now)
        if due > now:
            return self._due.start(round((due - now) * 1000) + 1)
        self._spoken.append(now)
        self._untold = [one for one in self._untold if one not in passing]
        self._tell(passing)
        return self._recount()

    def _tell(self, told: Sequence[Waiting]) -> None:
        several = len(told) > 1
        for one in told:
            self._told[one.id] = DIGEST if several else one.id
        if several:
            self._counted = self._in_digest()
            self.say(telling.digest(self._counted), self._place_of_digest())
        else:
            self.say(telling.about(told[0]), told[0].path)

    def _say_held(self) -> None:
        if self._hours.hushed:
            return
        held, self._held = self._held, {}
        for notice, path in held.values():
            self.say(notice, path)

    def _may_pass(self, severity: Severity) -> bool:
        """What is critical may pass in quiet hours, where that is allowed."""
        critical = severity is Severity.CRITICAL and self._hours.critical_passes
        return critical or not self._hours.hushed

    def _in_digest(self) -> int:
        """All that was told and still waits (ruling: the digest's number)."""
        return sum(key != _ANSWERED for key in self._told.values())

    def _place_of_digest(self) -> str:
        """Proposals are on the overview, beside the newest of the inbox."""
        return OVERVIEW if any(telling.is_proposal(one) for one in self._told) else INBOX

    def _recount(self) -> None:
        """A number that is shown stays true; that alone makes no noise."""
        if self._notifier is None or DIGEST not in self._told.values():
            return
        if (count := self._in_digest()) != self._counted:
            self._counted = count
            self._notifier.renew(telling.digest(count))

    def _take_back(self, gone: Iterable[str]) -> None:
        """A notification goes with the last item that it told of."""
        for item in gone:
            key = self._told.pop(item)
            if key != _ANSWERED and key not in self._told.values():
                self.unsay(key)

    def _activated(self, key: str, action: str) -> None:
        """Later only takes the notification away: the item stays in the inbox, and counted. Any
        program on the bus can say that a button was pressed: one that we did not show counts for
        nothing."""
        if self._notifier is None or key not in self._said:
            return
        notice, path = self._said[key]
        if action not in (DEFAULT, *(name for name, _label in notice.actions)):
            return
        if action not in (DEFAULT, LATER) or (key == TEST and notice.actions):
            if key in self._told:
                self._told[key] = _ANSWERED
            self.pressed.emit(key, action)
            return
        if action == DEFAULT and path:
            self.open.emit(path)
        self._notifier.close(key)

"""Decides what is said, and when: an inbox item once, several together, not too often, and the
scheduler's own failure at once."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.phrases import _, n_, sentence
from roundtable_desktop.rules.attention import MOST, speak_at
from roundtable_desktop.tray.menu import INBOX, OVERVIEW
from roundtable_desktop.tray.notify import DEFAULT, Notice, Notifier
from roundtable_desktop.tray.shown import Waiting

LATER = "later"
_DIGEST, _HEALTH = "digest", "health"
_LOUD = (Severity.ATTENTION, Severity.CRITICAL)  # C-92


class Speaker(QObject):
    """open: the path of a page that a button asked for."""

    open = Signal(str)

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._notifier: Notifier | None = None
        self._counted = 0  # in the notification that tells of several
        self._told: dict[str, str] = {}  # item id → key of the notification that told of it
        self._untold: list[Waiting] = []  # oldest first
        self._early: dict[str, Notice] = {}  # said before there was anybody to say it
        self._health = Health.OK
        self._trouble: str | None = None
        self._paths: dict[str, str] = {}
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

    def hear(self, waiting: Sequence[Waiting]) -> None:
        """All open items, newest first: what is new is said, what is gone is taken back."""
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
            self.unsay(_HEALTH)
        else:
            self.say(_failing(health, trouble), OVERVIEW)

    def say(self, notice: Notice, path: str) -> None:
        """At once. path: what a click on it opens, or nothing."""
        self._paths[notice.key] = path
        if self._notifier is not None:
            self._notifier.notify(notice)
        else:
            self._early[notice.key] = notice

    def unsay(self, key: str) -> None:
        self._paths.pop(key, None)
        self._early.pop(key, None)
        if self._notifier is not None:
            self._notifier.close(key)

    def _speak(self) -> None:
        if self._notifier is None or not self._untold or self._due.isActive():
            return None
        now = self._clock()
        due = speak_at(self._spoken, now)
        if due > now:
            return self._due.start(round((due - now) * 1000) + 1)
        self._spoken.append(now)
        told, self._untold = self._untold, []
        several = len(told) > 1
        for one in told:
            self._told[one.id] = _DIGEST if several else one.id
        if several:
            self._counted = len(self._told)
            return self.say(*_digest(self._counted))
        self.say(*_about(told[0]))
        return self._recount()

    def _recount(self) -> None:
        """A number that is shown stays true; that alone makes no noise."""
        if self._notifier is None or _DIGEST not in self._told.values():
            return
        if len(self._told) != self._counted:
            self._counted = len(self._told)
            notice, _path = _digest(self._counted)
            self._notifier.renew(notice)

    def _take_back(self, gone: Iterable[str]) -> None:
        """A notification goes with the last item that it told of."""
        for item in gone:
            key = self._told.pop(item)
            if key not in self._told.values():
                self.unsay(key)

    def _activated(self, key: str, action: str) -> None:
        """Later only takes the notification away: the item stays in the inbox, and counted."""
        if self._notifier is None:
            return
        path = self._paths.get(key, INBOX)
        if action == DEFAULT and path:
            self.open.emit(path)
        self._notifier.close(key)


def _actions() -> Sequence[tuple[str, str]]:
    return ((DEFAULT, _("Open")), (LATER, _("Later")))


def _failing(health: Health, trouble: str | None) -> Notice:
    if health is Health.DEAD:
        title = _("The scheduler has stopped")
        body = _("Nothing is started or finished now. Quit Roundtable and start it again.")
        return Notice(_HEALTH, title, body, _actions(), "critical")
    title = _("Something fails in Roundtable")
    body = _("It is tried again and again. The log in Roundtable's folder says what fails.")
    if trouble is not None:
        body = sentence(f"trouble_{trouble}", {})
    return Notice(_HEALTH, title, body, _actions())


def _about(one: Waiting) -> tuple[Notice, str]:
    urgency = "critical" if one.severity is Severity.CRITICAL else "normal"
    return Notice(one.id, one.title, one.body, _actions(), urgency), one.path


def _digest(count: int) -> tuple[Notice, str]:
    title = n_("{count} item needs you", "{count} items need you", count)
    body = _("They wait in the inbox.")
    return Notice(_DIGEST, title, body, _actions()), INBOX

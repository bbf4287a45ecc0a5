"""The threads beside the GUI: one watches what happens, one does what was asked for; both hand
frozen values to the main thread, which never waits."""

import logging
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import Protocol, TypeVar

from PySide6.QtCore import Qt, QThread, Signal

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.states import Health
from roundtable_desktop.tray.shown import Seen
from roundtable_desktop.tray.sights import Sights

log = logging.getLogger(__name__)

R = TypeVar("R")

LOOK_AGAIN = 15.0
"""Seconds: the scheduler's health is no event, so it is looked at now and then."""
_CALM = 50  # ms from an event to the look, so that a flood of them is one
_AFTER_FAULT = 2000  # ms


class Faces(Protocol):
    """What the owner hands out."""

    @property
    def desk(self) -> Desk: ...
    @property
    def look(self) -> Look: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def health(self) -> Callable[[], Health]: ...
    @property
    def revive(self) -> Callable[[], None]:
        """Has the scheduler begin anew after it was given up."""

    @property
    def doctor(self) -> Doctor: ...


class Watcher(QThread):
    """Waits at the feed; emits a `Seen` whenever it differs from the last one."""

    seen = Signal(object)

    def __init__(self, faces: Faces, clock: Callable[[], float]) -> None:
        super().__init__()
        self._faces = faces
        self._last = 0
        self._said: Seen | None = None
        self._sights = Sights(faces.look, clock)

    def run(self) -> None:
        try:
            self._last = self._faces.feed.last()
        except Exception:  # then from the first event on: it only looks more often
            log.exception("the tray could not look")
        while not self._faces.feed.closed:
            try:
                self._say(self._sights.look(self._faces.health()))
                self._wait()
            except Exception:
                log.exception("the tray could not look")
                self._look_at_health()
                self.msleep(_AFTER_FAULT)

    def stop(self) -> None:
        """It has ended when this returns."""
        self._faces.feed.close()
        self.wait()

    def _wait(self) -> None:
        happened = self._faces.feed.wait(self._last, LOOK_AGAIN)
        if happened:
            self.msleep(_CALM)
            self._last = happened[-1].id
            self._sights.hear(happened)

    def _look_at_health(self) -> None:
        """What cannot be read stays as it was seen last; health is in no database."""
        if self._said is not None:
            health, trouble = self._faces.health(), self._faces.look.trouble()
            glance = replace(self._said.glance, health=health, trouble=trouble)
            self._say(replace(self._said, glance=glance))

    def _say(self, seen: Seen) -> None:
        if seen != self._said:
            self._said = seen
            self.seen.emit(seen)


class Worker(QThread):
    """Does one thing after the other, apart from the main thread."""

    _answered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._answered.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)

    def ask(
        self,
        act: Callable[[], R],
        then: Callable[[R], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """`then` and `failed` are called on the main thread."""

        def work() -> None:
            try:
                result = act()
            except Exception as error:
                self._tell(error, failed)
                return
            if then is not None:
                self._answered.emit(lambda: then(result))

        self._asked.put(work)

    def run(self) -> None:
        while (work := self._asked.get()) is not None:
            work()

    def finish(self) -> None:
        """It has ended when this returns; what was asked for before is done."""
        self._asked.put(None)
        self.wait()

    def _tell(self, error: Exception, failed: Callable[[Exception], None] | None) -> None:
        if isinstance(error, Refused):
            log.warning("refused what=%r", str(error))
        else:
            log.error("the tray could not do what was asked", exc_info=error)
        if failed is not None:
            self._answered.emit(lambda: failed(error))

    def _hand_over(self, call: Callable[[], None]) -> None:
        call()

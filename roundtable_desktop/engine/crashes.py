"""Keeps the scheduler's thread going after a crash, and says so; not for ever (F-09)."""

import logging
import threading
from collections import deque
from collections.abc import Callable

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Subject
from roundtable_desktop.rules import restarts
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Store

log = logging.getLogger(__name__)

REST = 0.5
"""Seconds until it goes on: a thread that breaks off at once must not take the processor."""

_SHOWN = 300


class Crashes:
    """`work()` returns when it is told to stop; whatever it raises is a crash."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._at: deque[float] = deque(maxlen=restarts.MOST + 1)
        self._stopping = threading.Event()
        self.given_up = False

    def live(self, work: Callable[[], None]) -> None:
        """The whole life of the thread."""
        while not self._stopping.is_set():
            try:
                return work()
            except BaseException as error:  # also what ends a thread without a word
                if not self._goes_on(error):
                    return None
        return None

    def stop(self) -> None:
        self._stopping.set()

    def forget(self) -> None:
        """A person has it begin anew."""
        self._at.clear()
        self.given_up = False

    def _goes_on(self, error: BaseException) -> bool:
        now = self._clock.monotonic()
        self._at.append(now)
        self.given_up = not restarts.goes_on(self._at, now)
        log.critical("the scheduler crashed given_up=%s", self.given_up, exc_info=error)
        self._tell(error)
        self._stopping.wait(0 if self.given_up else REST)
        return not self.given_up

    def _tell(self, error: BaseException) -> None:
        """Whoever watches looks at the health at once, whether this can be written or not."""
        data = {"error": f"{type(error).__name__}: {error}"[:_SHOWN], "given_up": self.given_up}
        try:
            with self._store.transaction() as tx:
                about = Subject("owner", "scheduler")
                journal.tell(tx, Kind.OWNER_CRASHED, about, workspace_id=None, data=data)
        except Exception:
            log.exception("crash not told")
        finally:
            self._store.wake("events")

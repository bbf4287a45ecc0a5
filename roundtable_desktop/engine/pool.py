"""The launch pool: a few threads for every outside act, each act tried again when it stumbles."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

from roundtable_desktop.model.ports import Clock, Dice
from roundtable_desktop.rules.retry import tick_delay

log = logging.getLogger(__name__)

THREADS = 4
DEGRADED_AFTER = 5
"""Errors in a row of one act before the health says so (W-07). It is tried on: its run or delivery
would stand still until the next start."""


class Acts(Protocol):
    """Where the scheduler's callbacks hand their work to."""

    failing: set[str]

    def submit(self, key: str, act: Callable[[], None]) -> None: ...


@dataclass(order=True, slots=True)
class _Job:
    due: float
    number: int
    key: str = field(compare=False)
    act: Callable[[], None] = field(compare=False)
    failures: int = field(compare=False, default=0)


class Pool:
    """Acts by key: the same key is never at work twice."""

    def __init__(self, clock: Clock, dice: Dice) -> None:
        self._clock = clock
        self._dice = dice
        self._changed = threading.Condition()
        self._waiting: list[_Job] = []
        self._keys: set[str] = set()
        self._numbers = 0
        self._stopping = False
        self.failing: set[str] = set()
        self._threads = [
            threading.Thread(target=self._work, name=f"act-{number}") for number in range(THREADS)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    @property
    def lives(self) -> bool:
        return all(thread.is_alive() for thread in self._threads)

    def stop(self, seconds: float) -> None:
        """Acts that have not begun are left: their intent is in the database (law 3). Those that
        have begun get so long to end."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        end = self._clock.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - self._clock.monotonic()))

    def join(self) -> None:
        """Returns when the last act has ended."""
        for thread in self._threads:
            thread.join()

    def submit(self, key: str, act: Callable[[], None]) -> None:
        """Returns at once; a key that waits or works already is not taken again."""
        with self._changed:
            if key not in self._keys:
                self._keys.add(key)
                self._numbers += 1
                heappush(self._waiting, _Job(self._clock.monotonic(), self._numbers, key, act))
                self._changed.notify()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                job.act()
            except Exception:
                self._failed(job)
            else:
                self._done(job)

    def _next(self) -> _Job | None:
        with self._changed:
            while not self._stopping:
                wait = None
                if self._waiting:
                    wait = self._waiting[0].due - self._clock.monotonic()
                    if wait <= 0:
                        return heappop(self._waiting)
                self._changed.wait(wait)
        return None

    def _done(self, job: _Job) -> None:
        with self._changed:
            self._keys.discard(job.key)
            self.failing.discard(job.key)

    def _failed(self, job: _Job) -> None:
        if self._stopping:
            log.info("act broken off key=%s", job.key, exc_info=True)
            return
        job.failures += 1
        log.exception("act failed key=%s failures=%d", job.key, job.failures)
        with self._changed:
            if job.failures >= DEGRADED_AFTER:
                self.failing.add(job.key)
            delay = tick_delay(job.failures, self._dice).total_seconds()
            job.due = self._clock.monotonic() + delay
            heappush(self._waiting, job)
            self._changed.notify()

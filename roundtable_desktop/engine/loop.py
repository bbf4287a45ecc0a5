"""The scheduler's thread: does what is due, then waits until something is (laws 4 and 8)."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.model.ports import Clock, Dice
from roundtable_desktop.model.states import Health
from roundtable_desktop.rules.retry import tick_delay
from roundtable_desktop.store import wakeups
from roundtable_desktop.store.db import Store

log = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(seconds=30)
"""One look in 30 s though nothing is due: a nudge is a courtesy, not a promise (C-03)."""

DEGRADED_AFTER = 5
"""Errors of the tick in a row (W-07)."""


class Loop:
    """`submit_deliveries()` is called when the nudge says that there are some."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        dice: Dice,
        submit_deliveries: Callable[[], None],
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._dice = dice
        self._submit_deliveries = submit_deliveries
        self._changed = threading.Condition()
        self._nudged = True
        self._stopping = False
        self._failures = 0
        self._thread = threading.Thread(target=self._work, name="scheduler")
        store.listen(self._hear)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """No claim after this returns."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def health(self) -> Health:
        if not self._thread.is_alive():
            return Health.DEAD
        return Health.DEGRADED if self._failures >= DEGRADED_AFTER else Health.OK

    def _hear(self, topic: str) -> None:
        if topic in ("queue", "deliveries"):
            with self._changed:
                self._nudged = True
                self._changed.notify_all()

    def _work(self) -> None:
        while not self._stopping:
            try:
                due = self.tick()
                self._failures = 0
            except Exception:
                self._failures += 1
                log.exception("tick failed failures=%d", self._failures)
                self._rest(tick_delay(self._failures, self._dice))
            else:
                self._wait(due)

    def _rest(self, delay: timedelta) -> None:
        """After an error no nudge cuts it short: the next one may be our own."""
        until = self._clock.monotonic() + delay.total_seconds()
        with self._changed:
            while not self._stopping and (left := until - self._clock.monotonic()) > 0:
                self._changed.wait(left)

    def tick(self) -> datetime | None:
        """All that is due now; answers when something will be."""
        self._submit_deliveries()
        with self._store.transaction() as tx:
            wakeups.promote_due(tx)
        while not self._stopping and self._dispatcher.step():
            pass
        with self._store.transaction() as tx:
            return wakeups.next_due(tx, tx.now)

    def _wait(self, due: datetime | None) -> None:
        now = self._clock.now()
        longest = now + LONGEST_WAIT
        until = longest if due is None else min(due, longest)
        with self._changed:
            if not self._nudged and not self._stopping and until > now:
                self._changed.wait((until - now).total_seconds())
            self._nudged = False

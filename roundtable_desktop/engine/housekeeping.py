"""What is put in order from time to time: it looks after housekeeping, never after what is due."""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import schedule

from roundtable_desktop.engine.awake import Awake
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.store import browsers, keys, webhooks
from roundtable_desktop.store.db import Store, Tx

log = logging.getLogger(__name__)

PERIOD = 60.0
"""Seconds between two looks."""
HOURS = 1
BATCH = 1000
"""Rows of one transaction: whoever wants to write waits for no more."""
BEGIN = datetime(1970, 1, 1, tzinfo=UTC)

SOON = -1
Errand = Callable[[], int | None]
"""Takes care of its own transactions; may answer how much it did, or that it wants to be asked at
the next look (SOON)."""

Job = Callable[[Tx, int], int]
"""Changes at most so many rows; how many it was."""
JOBS: dict[str, Job] = {
    "wakeup_keys": keys.drop_of_wakeups,
    "request_keys": keys.drop_old,
    "browsers": browsers.drop_old,
    "webhook_deliveries": webhooks.drop_old,
}


class AwakeTime:
    """How long this process was at work: a suspend adds no more than two looks (law 7)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic()
        self._seconds = 0.0

    def now(self) -> datetime:
        passed = self._clock.monotonic() - self._last
        self._last += passed
        self._seconds += min(passed, 2 * PERIOD)
        return BEGIN + timedelta(seconds=self._seconds)


class _AwakeJob(schedule.Job):
    """Due by awake time. By the wall clock `schedule` is silent for an hour each autumn."""

    def __init__(self, hours: int, scheduler: schedule.Scheduler, awake: AwakeTime) -> None:
        super().__init__(hours, scheduler)
        self._awake = awake

    @property
    def should_run(self) -> bool:
        return self.next_run is not None and self._awake.now() >= self.next_run

    def run(self) -> Any:
        answer: Any = super().run()  # type: ignore[no-untyped-call]
        if answer == SOON:
            self.next_run = self._awake.now()
        return answer

    def _schedule_next_run(self) -> None:
        self.next_run = self._awake.now() + timedelta(hours=self.interval)


class Housekeeping:
    """A thread of its own: at the start, then once an hour, and what wants it at each look."""

    def __init__(
        self, store: Store, clock: Clock, errands: Mapping[str, Errand] | None = None
    ) -> None:
        self._store, self._awake = store, Awake(store, clock)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="housekeeping")
        self._scheduler = schedule.Scheduler()
        awake = AwakeTime(clock)
        for name, job in JOBS.items():
            _AwakeJob(HOURS, self._scheduler, awake).do(self._do, name, job)
        for name, errand in (errands or {}).items():
            _AwakeJob(HOURS, self._scheduler, awake).do(self._run, name, errand)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Nothing is begun after this; what has begun ends with its batch."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def begin(self) -> None:
        """Does all of it once."""
        self._run("awake", self._awake.note)
        self._scheduler.run_all()

    def look(self) -> None:
        """Does what is due."""
        self._run("awake", self._awake.note)
        self._scheduler.run_pending()

    def _work(self) -> None:
        self.begin()
        while not self._stopping.wait(PERIOD):
            self.look()

    def _run(self, name: str, errand: Errand) -> int | None:
        try:
            done = None if self._stopping.is_set() else errand()
        except Exception:
            log.exception("housekeeping failed job=%s", name)
            return None
        if done and done != SOON:
            log.info("housekeeping job=%s done=%d", name, done)
        return done

    def _do(self, name: str, job: Job) -> None:
        """A job that fails stops no other one, and is tried again when it is due again."""
        done = 0
        try:
            while not self._stopping.is_set():
                with self._store.transaction() as tx:
                    changed = job(tx, BATCH)
                done += changed
                if changed < BATCH:
                    break
        except Exception:
            log.exception("housekeeping failed job=%s", name)
        if done:
            log.info("housekeeping job=%s rows=%d", name, done)

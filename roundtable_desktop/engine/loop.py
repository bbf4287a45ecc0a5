"""The scheduler's thread: does what is due, then waits until something is (laws 4 and 8)."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from roundtable_desktop.engine import budgets, checkpoints, intake, turns
from roundtable_desktop.engine.crashes import Crashes
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.engine.missions import Missions
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Dice, RowClock
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import Health
from roundtable_desktop.rules.retry import tick_delay
from roundtable_desktop.store import claims, inbox, journal, setbacks, settings
from roundtable_desktop.store.db import LONG, Store, Tx

log = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(seconds=30)
"""One look in 30 s though nothing is due: a nudge is a courtesy, not a promise (C-03)."""

WAIT_ON_BATTERY = 2 * LONGEST_WAIT

DEGRADED_AFTER = 5
"""Errors of the tick in a row (W-07)."""

SHORT_REST = timedelta(seconds=5)
"""The longest rest while the database takes nothing: it goes on soon after it does (F-18, F-22)."""


OVERRUN = timedelta(seconds=5)
"""A part of a tick that takes longer is recorded: something waited where nothing may (W-36)."""

LAST_WORDS = 10.0
"""Seconds that a thread which was given up may take to tell of it."""

STUCK = timedelta(seconds=30)
"""A part of a tick that goes on for longer shows in the health while it does."""


@dataclass(frozen=True, slots=True)
class Looked:
    """due: when something will be, if nothing happens until then."""

    due: datetime | None


class Loop:
    """`submit_deliveries()` is called when the nudge says that there are some, `sweep()` when the
    queue has been drained, `break_off(run_id)` for each run that a leave ends, `ask(run_id)` for
    each that is to say before that where it is, `tie(tied)` at each look with what the person wants
    of agents when the app ends; `sweep_due()` says when a sweep that comes later has something to
    do, and `pass_time(tx)` takes up what budgets held back and ends turns that nobody takes.
    on_battery: whether the machine is; then an idle loop looks half as often."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        recurring: Routines,
        clock: RowClock,
        dice: Dice,
        submit_deliveries: Callable[[], None],
        sweep: Callable[[], object],
        break_off: Callable[[str], None],
        tie: Callable[[bool], None],
        sweep_due: Callable[[], datetime | None] = lambda: None,
        ask: Callable[[str], None] = lambda run_id: None,
        pass_time: Callable[[Tx], None] = lambda tx: None,
        missions: Missions | None = None,
        on_battery: Callable[[], bool | None] = lambda: None,
    ) -> None:
        self._missions, self._on_battery = missions, on_battery
        self._store = store
        self._dispatcher = dispatcher
        self._recurring = recurring
        self._clock = clock
        self._dice = dice
        self._submit_deliveries = submit_deliveries
        self._sweep, self._sweep_due = sweep, sweep_due
        self._pass_time = pass_time
        self._break_off, self._ask, self._tie = break_off, ask, tie
        self._changed = threading.Condition()
        self._nudged = True
        self._stopping = False
        self._failures = 0
        self._began: float | None = None
        self._begun = 0
        self._ended = 0
        self._due: datetime | None = None
        self._crashes = Crashes(store, clock)
        self._stopped_at: datetime | None = None
        self._thread = self._new_thread()
        store.listen(self._hear)

    def start(self) -> None:
        self._thread.start()

    def revive(self) -> None:
        """Has it begin anew after it was given up (F-09); one that lives goes on as it does."""
        if self._crashes.given_up:
            self._thread.join(LAST_WORDS)  # whoever sees that may be faster than its end
        with self._changed:
            if self._stopping or self._thread.is_alive():
                return
            self._crashes.forget()
            self._thread = self._new_thread()
            self._thread.start()

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="scheduler")

    def stop(self) -> None:
        """No claim after this returns."""
        with self._changed:
            self._stopping = True
            self._crashes.stop()
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def health(self) -> Health:
        if self._crashes.given_up or not self._thread.is_alive():
            return Health.DEAD
        failing = self._store.trouble is not None or self._failures >= DEGRADED_AFTER
        return Health.DEGRADED if failing or self._is_stuck() else Health.OK

    def stopped_at(self) -> datetime | None:
        """When its thread ended, however it did; None while it goes on."""
        return self._stopped_at

    def _run(self) -> None:
        self._stopped_at = None
        try:
            self._crashes.live(self._work)
        finally:
            self._stopped_at = self._clock.now()

    def _is_stuck(self) -> bool:
        began = self._began
        return began is not None and self._clock.monotonic() - began > STUCK.total_seconds()

    def look(self, seconds: float) -> Looked | None:
        """Has the thread look at once; None when no look that began after this has ended well
        within `seconds`."""
        with self._changed:
            wanted = self._begun + 1
            self._nudged = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._ended >= wanted or self._stopping, seconds)
            return Looked(self._due) if self._ended >= wanted else None

    def _hear(self, topic: str) -> None:
        if topic in ("queue", "deliveries"):
            with self._changed:
                self._nudged = True
                self._changed.notify_all()

    def _work(self) -> None:
        while not self._stopping:
            with self._changed:
                self._begun += 1
            try:
                due = self.tick()
                self._failures = 0
            except Exception:
                self._failures += 1
                log.exception("tick failed failures=%d", self._failures)
                delay = tick_delay(self._failures, self._dice)
                self._rest(min(delay, SHORT_REST) if self._store.trouble else delay)
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
        while True:
            due, now = self._look_once()
            if due is None or due > now or self._stopping:
                return due
            # It fell due while we looked, perhaps after its turn: no later look is sure to come.

    def _look_once(self) -> tuple[datetime | None, datetime]:
        """(when something is due that this look has not seen, now)."""
        if self._store.fault is not None:
            with self._watched("trial"), self._store.transaction() as tx:
                setbacks.still_alive(tx)
        with self._watched("deliveries"):
            self._submit_deliveries()
        with self._watched("routines"):
            self._recurring.fire_due()
        with self._watched("promotion"), self._store.transaction() as tx:
            to_end, to_ask = intake.pass_time(tx), checkpoints.due(tx)
            inbox.open_due(tx)
            self._pass_time(tx)
            promoted, looked_at = claims.promote_due(tx), tx.now
            tied = settings.of_home(tx).stop_agents_with_app
        self._tie(tied)
        for run_id in to_end:
            self._break_off(run_id)
        for run_id in to_ask:
            self._ask(run_id)
        if self._missions is not None:
            with self._watched("missions"):
                self._missions.look()
        with self._watched("log"):
            self._look_at_log()
            full = self._store.log_full
        while not full and not self._stopping and self._step():
            pass
        with self._watched("sweep"):
            self._sweep()
        swept_again = self._sweep_due()
        with self._watched("next"), self._store.transaction() as tx:
            if promoted >= claims.SOME:
                return tx.now, tx.now
            dues = (
                claims.next_due(tx, looked_at),
                self._recurring.next_due(tx),
                intake.next_due(tx, looked_at),
                inbox.next_due(tx),
                budgets.next_due(tx, tx.now),
                turns.next_due(tx, tx.now),
                self._dispatcher.next_turn,
                swept_again,
                self._missions.next_due(tx, tx.now) if self._missions else None,
            )
            return min((due for due in dues if due is not None), default=None), tx.now

    def _look_at_log(self) -> None:
        """The first time that it is long, the feed is told."""
        was_long = self._store.log_bytes >= LONG
        size = self._store.shorten_log()
        if size >= LONG and not was_long:
            log.warning("the write-ahead log cannot be written back bytes=%d", size)
            with self._store.transaction() as tx:
                subject, data = Subject("owner", "database"), {"bytes": size}
                journal.tell(tx, Kind.OWNER_LOG_LONG, subject, workspace_id=None, data=data)

    def _step(self) -> bool:
        with self._watched("step"):
            return self._dispatcher.step()

    @contextmanager
    def _watched(self, part: str) -> Iterator[None]:
        """A tick waits for no process and no network; where one does, it is told (W-36)."""
        self._began = began = self._clock.monotonic()
        try:
            yield
        finally:
            self._began, took = None, self._clock.monotonic() - began
            if took > OVERRUN.total_seconds():
                self._tell_overrun(part, took)

    def _tell_overrun(self, part: str, seconds: float) -> None:
        """Of use to people only: that it cannot be written stops nothing (W-08)."""
        log.warning("tick overrun part=%s seconds=%.1f", part, seconds)
        try:
            with self._store.transaction() as tx:
                data = {"part": part, "seconds": round(seconds, 1)}
                subject = Subject("owner", "scheduler")
                journal.tell(tx, Kind.OWNER_LATE, subject, workspace_id=None, data=data)
        except Exception:
            log.exception("overrun not told")

    def _rest_of(self, until_due: float | None) -> float:
        """The machine is asked only where the answer matters: what measures it does so from one
        reading to the next."""
        usual = (SHORT_REST if self._store.trouble else LONGEST_WAIT).total_seconds()
        if until_due is not None and until_due <= usual:
            return until_due
        if self._store.trouble or not self._on_battery():
            return usual
        longest = WAIT_ON_BATTERY.total_seconds()
        return longest if until_due is None else min(until_due, longest)

    def _wait(self, due: datetime | None) -> None:
        until_due = None if due is None else self._clock.seconds_until(due)
        seconds = self._rest_of(until_due)
        with self._changed:
            self._ended, self._due = self._begun, due
            self._changed.notify_all()
            if not self._nudged and not self._stopping:
                self._changed.wait(seconds)
            self._nudged = False

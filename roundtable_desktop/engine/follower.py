"""The thread that reads the runners' spools, woken by their control channels (house, Wake)."""

import logging
import threading
from collections.abc import Callable

from roundtable_desktop.engine import spools
from roundtable_desktop.model.ports import Clock, Ids, Launcher, SpoolState
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import LIVE_RUNS, RunStatus
from roundtable_desktop.store import runs
from roundtable_desktop.store.db import Reader, Store

log = logging.getLogger(__name__)

START_ACK = 60.0
"""Seconds that a started runner may take until its spool exists (house, Deadlines)."""

_IDLE = 60.0
"""Seconds after which every live run is looked at: a nudge is a courtesy (law 9)."""

_STARTING = 0.5

_STOOD = 5.0
"""Seconds beyond a wait after which this process was stopped, or the machine slept."""


class Follower:
    """`ended(run_id)` when a runner said its last word, `lost(run_id)` when it vanished without,
    `unborn(run_id, why)` when it never came, `over(run_id)` when a budget wants its end; each
    returns at once."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        launcher: Launcher,
        clock: Clock,
        ids: Ids,
        *,
        ended: Callable[[str], None],
        lost: Callable[[str], None],
        unborn: Callable[[str, str], None],
        over: Callable[[str], None] = lambda run_id: None,
    ) -> None:
        self._store = store
        self._reader = reader
        self._launcher = launcher
        self._clock = clock
        self._ids = ids
        self._ended, self._lost, self._unborn, self._over = ended, lost, unborn, over
        self._lock = threading.Lock()
        self._awaited: dict[str, float] = {}
        self._fresh: set[str] = set()
        self._looked = clock.monotonic()
        self.failures = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="follower")

    def start(self) -> None:
        self._thread.start()

    @property
    def lives(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stopping.set()
        self._launcher.close()
        self._thread.join()

    def follow(self, run_id: str) -> None:
        """From any thread; safe to repeat."""
        with self._lock:
            self._awaited[run_id] = self._clock.monotonic() + START_ACK
            self._fresh.add(run_id)
        self._launcher.attach(run_id)
        self._launcher.nudge()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._look()
                self.failures = 0
            except Exception:
                self.failures += 1
                log.exception("follower stumbled failures=%d", self.failures)
                self._stopping.wait(1.0)

    def _look(self) -> None:
        with self._lock:
            waiting = bool(self._awaited or self._fresh)
        began = self._clock.monotonic()
        told = self._launcher.wait(_STARTING if waiting else _IDLE) | self._all_in_turn()
        if waiting:
            self._grant(self._clock.monotonic() - began - _STARTING)
        with self._lock:
            told |= self._fresh | self._awaited.keys()
            self._fresh.clear()
        for run_id in sorted(told):
            if not self._stopping.is_set():
                self._consume_or_keep(run_id)

    def _grant(self, stood: float) -> None:
        """A runner that stood still with us gets the time that it could not use (B-096)."""
        if stood > _STOOD:
            with self._lock:
                self._awaited = {run: due + stood for run, due in self._awaited.items()}

    def _all_in_turn(self) -> set[str]:
        if self._clock.monotonic() - self._looked < _IDLE:
            return set()
        with self._reader.snapshot() as view:
            live = runs.live(view)
        self._looked = self._clock.monotonic()
        return {run.id for run in live}

    def _consume_or_keep(self, run_id: str) -> None:
        """News are told once; what they could not be used for is looked at again."""
        try:
            self.consume(run_id)
        except Exception:
            log.exception("spool not read run=%s", run_id)
            with self._lock:
                self._fresh.add(run_id)

    def consume(self, run_id: str) -> None:
        """All that is there now. The lock is asked first, then it is read to the end, then
        decided: a free lock after that means that nothing will ever follow."""
        while True:
            state = self._launcher.state(run_id)
            with self._reader.snapshot() as view:
                run = runs.get(view, run_id)
            if run is None or run.status not in LIVE_RUNS:
                self._launcher.detach(run_id)
                return self._forget(run_id)
            if (run.ended or {}).get("end"):
                return self._forget(run_id)
            chunk = self._launcher.read(run_id, run.spool_offset)
            if not chunk:
                return self._decide(run, state)
            with self._store.transaction() as tx:
                applied = spools.apply(tx, run, chunk, self._ids, self._store.here)
            for over in applied.over if applied is not None else ():
                self._over(over)
            if applied is not None and applied.ended:
                self._forget(run_id)
                self._ended(run_id)
                return None

    def _decide(self, run: Run, state: SpoolState) -> None:
        if state is SpoolState.FREE:
            self._forget(run.id)
            self._lost(run.id)
        elif run.status is not RunStatus.STARTING:
            self._forget(run.id)
        elif state is SpoolState.ABSENT and (why := self._why_unborn(run.id)):
            self._forget(run.id)
            self._unborn(run.id, why)

    def _why_unborn(self, run_id: str) -> str | None:
        """Who sees its runner die need not await it."""
        with self._lock:
            due = self._awaited.get(run_id)
        overdue = due is not None and self._clock.monotonic() > due
        return self._launcher.unborn(run_id) or (
            f"no start in {START_ACK:g} s" if overdue else None
        )

    def _forget(self, run_id: str) -> None:
        """Its hello has come, or its end: it is not looked at unless its channel speaks."""
        with self._lock:
            self._awaited.pop(run_id, None)

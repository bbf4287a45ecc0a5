"""Moves a clock that stands, from one due instant to the next (contract, Test clock)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.engine import schedules
from roundtable_desktop.engine.awake import note_span
from roundtable_desktop.engine.desk import Asked, done_before, remember
from roundtable_desktop.engine.loop import Looked
from roundtable_desktop.model.errors import Busy, Conflict, Invalid
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids, MovableClock
from roundtable_desktop.model.records import Actor, Event, Json, Subject
from roundtable_desktop.model.states import RunStatus
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import awake, events, journal, runs, wakeups
from roundtable_desktop.store.db import Reader, Store, Tx, View

PATIENCE = 45.0
"""Seconds of the machine's clock; no answer takes longer."""

EARLIEST, LATEST = (
    datetime.fromisoformat("2000-01-01T00Z"),
    datetime.fromisoformat("2200-01-01T00Z"),
)
"""What a zone's rules are known for, with room on both sides."""


@dataclass(frozen=True, slots=True)
class Moved:
    """settled: all that was due on the way was taken up, and no launch is under way. Where that
    took too long the clock stands where it was waited for."""

    now: datetime
    fired: int
    claimed: int
    settled: bool


def stood_at(view: View) -> datetime | None:
    """Where a standing clock goes on after a restart; None in a home where nothing happened.

    A move that was broken off has told of itself by what it set off only: hence the second part.
    """
    last = events.last_instant(view)
    if last is None:
        return None
    moved = events.newest(view, Kind.CLOCK_MOVED)
    whole = last.replace(microsecond=0)
    return max(_moved(moved.data).now, whole) if moved else whole


class ClockHands:
    """`look` has the scheduler look at what is due (`Scheduler.look`). Moves come one by one."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        ids: Ids,
        clock: MovableClock,
        look: Callable[[float], Looked | None],
    ) -> None:
        self._store, self._reader, self._ids, self._clock = store, reader, ids, clock
        self._look = look
        self._one = threading.Lock()
        self._changed = threading.Condition()
        self._turns = 0
        store.listen(self._hear)

    def put(self, asked: Asked, moment: datetime) -> Moved:
        """Any instant, but only as long as nothing was ever queued: no work goes back in time."""
        _check(moment, "/now")
        with self._alone() as end:
            with self._store.transaction() as tx:
                before = done_before(tx, asked)
                if before is None:
                    if wakeups.any_ever(tx):
                        raise Conflict("clock_has_worked")
                    self._store.begin_at(tx, moment)
                    tx.afterwards.append(lambda: self._clock.move_to(moment))
                    schedules.reckon_anew(tx, moment)
                    awake.forget(tx)
                begun = before or self._begin(tx, asked, moment)
            return self._answer(asked.actor, begun, end, stepwise=False)

    def advance(self, asked: Asked, span: timedelta) -> Moved:
        """From due instant to due instant, as if that time went by."""
        return self._go(asked, span, stepwise=True)

    def sleep(self, asked: Asked, span: timedelta) -> Moved:
        """In one jump, as a machine sleeps: what fell due meanwhile is late."""
        return self._go(asked, span, stepwise=False)

    def _go(self, asked: Asked, span: timedelta, *, stepwise: bool) -> Moved:
        with self._alone() as end:
            with self._store.transaction() as tx:
                begun = done_before(tx, asked)
                if begun is None:
                    until = self._clock.now() + span
                    _check(until, "/advance" if stepwise else "/sleep")
                    begun = self._begin(tx, asked, until)
            return self._answer(asked.actor, begun, end, stepwise=stepwise)

    @contextmanager
    def _alone(self) -> Iterator[float]:
        """The instant of `monotonic` at which the answer is due."""
        end = self._clock.monotonic() + PATIENCE
        if not self._one.acquire(timeout=PATIENCE):
            raise Busy("clock_moves")
        try:
            yield end
        finally:
            self._one.release()

    def _begin(self, tx: Tx, asked: Asked, until: datetime) -> Subject:
        """The intent: asked again with the same key, a move that was broken off goes on."""
        move = Subject("clock", self._ids.new())
        journal.tell(
            tx,
            Kind.CLOCK_MOVING,
            move,
            workspace_id=None,
            actor=asked.actor,
            data={"until": micros(until)},
        )
        remember(tx, asked, move)
        return move

    def _answer(self, actor: Actor, move: Subject, end: float, *, stepwise: bool) -> Moved:
        with self._reader.snapshot() as view:
            begun, *ends = events.of(view, move)
        if ends and ends[-1].data["settled"]:
            return _moved(ends[-1].data)
        aim: Any = begun.data["until"]
        settled = self._walk(instant(aim), end, stepwise=stepwise)
        with self._store.transaction() as tx:
            told = self._told(tx, begun, settled)
            note_span(tx, begun.at if stepwise else tx.now, tx.now)
            journal.tell(tx, Kind.CLOCK_MOVED, move, workspace_id=None, actor=actor, data=told)
        return _moved(told)

    def _told(self, view: View, begun: Event, settled: bool) -> Json:
        return {
            "now": micros(self._clock.now()),
            "fired": events.count(view, begun.id, Kind.ROUTINE_FIRED),
            "claimed": events.count(view, begun.id, Kind.WAKEUP_CLAIMED),
            "settled": settled,
        }

    def _walk(self, until: datetime, end: float, *, stepwise: bool) -> bool:
        if not stepwise:
            self._move_to(until)
        while (looked := self._settle(end)) is not None:
            if self._clock.now() >= until:
                return True
            self._move_to(until if looked.due is None else min(looked.due, until))
        return False

    def _move_to(self, moment: datetime) -> None:
        """Never back: what was due before is taken up now."""
        self._clock.move_to(max(moment, self._clock.now()))

    def _settle(self, end: float) -> Looked | None:
        """The last look, once it left nothing to claim and no launch under way."""
        while (left := end - self._clock.monotonic()) > 0:
            with self._changed:
                turn = self._turns
            looked = self._look(left)
            if looked is None or not self._launches():
                return looked
            with self._changed:
                left = end - self._clock.monotonic()
                if self._turns == turn:
                    self._changed.wait(max(0.0, left))
        return None

    def _launches(self) -> bool:
        with self._reader.snapshot() as view:
            return any(run.status is RunStatus.STARTING for run in runs.live(view))

    def _hear(self, topic: str) -> None:
        if topic == "events":
            with self._changed:
                self._turns += 1
                self._changed.notify_all()


def _check(moment: datetime, pointer: str) -> None:
    if not EARLIEST <= moment <= LATEST:
        raise Invalid("clock_out_of_range", pointer, earliest=EARLIEST.year, latest=LATEST.year)


def _moved(told: Json) -> Moved:
    data: Any = told
    return Moved(**{**data, "now": instant(data["now"])})

"""The clocks: what a standing one says of itself and of the machine, and how the loop is asked."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ground import JOAN, NOW, Ground

from roundtable_desktop.adapters.system import StandingClock, SystemClock, clock_for
from roundtable_desktop.engine.desk import Asked, test_clock
from roundtable_desktop.engine.desk.test_clock import ClockHands
from roundtable_desktop.engine.loop import Looked, Loop
from roundtable_desktop.engine.routines import Routines


@pytest.fixture
def still(tmp_path: Any) -> Iterator[Ground]:
    clock = StandingClock()
    clock.move_to(NOW)
    made = Ground(tmp_path, clock)
    yield made
    made.close()


class Claims:
    """Stands where the dispatcher stands; `broken` as long as it is set."""

    def __init__(self, ground: Ground) -> None:
        self.ground, self.broken = ground, threading.Event()
        self.next_turn = None

    def step(self) -> bool:
        if self.broken.is_set():
            raise OSError("disk I/O error")
        return self.ground.claim() is not None


@pytest.mark.proves("test clock")
def test_only_the_variable_makes_a_clock_stand() -> None:
    assert isinstance(clock_for({"ROUNDTABLE_TEST_CLOCK": "1"}), StandingClock)
    assert isinstance(clock_for({"ROUNDTABLE_TEST_CLOCK": "0"}), SystemClock)
    assert isinstance(clock_for({}), SystemClock)


@pytest.mark.proves("test clock")
def test_a_standing_clock_waits_for_nothing_and_takes_files_for_no_younger_than_now() -> None:
    clock, real = StandingClock(), SystemClock()
    assert clock.now().microsecond == 0
    clock.move_to(NOW)
    assert clock.seconds_until(NOW) == 0.0
    assert clock.seconds_until(NOW + timedelta(seconds=1)) is None
    assert clock.here(datetime.now(UTC)) == NOW
    before = real.now()
    assert before <= clock.outside(NOW + timedelta(days=9999)) <= real.now()
    assert real.seconds_until(before - timedelta(hours=1)) == 0.0
    assert (real.here(NOW), real.outside(NOW)) == (NOW, NOW)


@pytest.mark.proves("test clock")
def test_a_look_takes_up_what_the_move_made_due_and_says_what_is_next(still: Ground) -> None:
    claims = Claims(still)
    recurring = Routines(still.store, still.ids, lambda: 0.5)
    loop = Loop(
        still.store,
        claims,  # type: ignore[arg-type]
        recurring,
        still.clock,
        lambda: 0.5,
        lambda: None,
        lambda: None,
        print,
        print,
    )
    agent = still.agent(still.workspace(), max_concurrent_sessions=9)
    dues = [NOW + timedelta(minutes=minutes) for minutes in (5, 60)]
    first, second = (still.wakeup(agent, scheduled_retry_at=due, held_by="retry") for due in dues)
    loop.start()
    try:
        assert loop.look(10) == Looked(dues[0])
        still.clock.move_to(dues[0])
        assert loop.look(10) == Looked(dues[1])
        assert still.get_wakeup(first.id).status == "claimed"
        assert still.get_wakeup(second.id).status == "queued"
        claims.broken.set()
        assert loop.look(0.3) is None, "a look that failed says nothing"
        claims.broken.clear()
        assert loop.look(10) == Looked(dues[1])
    finally:
        loop.stop()
    assert loop.look(0) is None


@pytest.mark.proves("test clock")
def test_a_clock_that_could_not_be_put_stands_where_it_stood(
    still: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for the stamps of rows: it is put by the commit, or not at all."""
    clock: Any = still.clock
    hands = ClockHands(still.store, still.reader, still.ids, clock, lambda _: Looked(None))
    before, target = still.kinds(), NOW - timedelta(days=400)

    def fail(*_: object) -> None:
        raise OSError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(test_clock, "remember", fail)
        with pytest.raises(OSError, match="disk"):
            hands.put(Asked(JOAN, "put", "print"), target)
    assert (clock.now(), still.kinds()) == (NOW, before)
    with still.store.transaction() as tx:
        assert tx.now >= NOW
    assert hands.put(Asked(JOAN, "put", "print"), target).now == target
    assert clock.now() == target
    assert {event.at.date() for event in still.events()} == {target.date()}
    with still.store.transaction() as tx:
        assert target < tx.now < target + timedelta(seconds=1)

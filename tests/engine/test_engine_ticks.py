"""When a schedule is looked at: each tick in its time, and at once after a sleep."""

import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ground import JOAN, NOW, Ground
from outside_house import until
from routine_stage import Routines

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine import heartbeat
from roundtable_desktop.engine import loop as loops
from roundtable_desktop.engine import routines as firing_due
from roundtable_desktop.store import routines as stored

QUARTER = timedelta(minutes=15)


@pytest.mark.proves("B-022")
def test_the_next_fire_goes_on_after_each_one_and_after_a_gap_of_days(routines: Routines) -> None:
    morning = NOW.replace(hour=10) + timedelta(days=1)
    routines.until(morning + timedelta(minutes=3))
    routine = routines.add("*/15 * * * *")
    while routines.stage.clock.now() < morning + timedelta(minutes=121):
        routines.pass_time(minutes=1)
        routines.work_all()
        due = routines.schedule(routine).next_run_at
        assert due is not None
        now = routines.stage.clock.now()
        assert now < due <= now + QUARTER
    fired = [one.scheduled_at for one in routines.firings(routine)]
    assert fired == [morning + QUARTER * number for number in range(1, 9)]
    routines.stage.clock.forward(days=2, minutes=4)
    routines.stage.restart()
    routines.build()
    routines.due.fire_due()
    assert routines.schedule(routine).next_run_at == morning + timedelta(days=2, minutes=135)


class Asleep:
    """A machine's clocks: the wall goes on while it sleeps, what programs wait by does not."""

    def __init__(self) -> None:
        self.slept = timedelta()
        real = SystemClock()
        self.clock = SystemClock(lambda: (real.now() + self.slept).timestamp())


class Nobody:
    """Stands where the dispatcher stands, and takes nothing up."""

    next_turn: datetime | None = None

    def step(self) -> bool:
        return False


def next_fire(ground: Ground, routine_id: str) -> datetime:
    with ground.reader.snapshot() as view:
        found = stored.triggers_of(view, [routine_id])[routine_id]
    return min(one.next_run_at for one in found if one.next_run_at)


@pytest.mark.proves("B-025")
def test_a_tick_that_was_slept_over_is_taken_up_soon_and_the_next_one_in_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever something is due, nothing is waited for in one go for longer than a minute: then
    the wall is looked at."""
    assert max(loops.LONGEST_WAIT, loops.WAIT_ON_BATTERY).total_seconds() <= 60
    monkeypatch.setattr(loops, "LONGEST_WAIT", timedelta(seconds=0.2))
    machine = Asleep()
    ground, clock = Ground(tmp_path, machine.clock), machine.clock
    ticks = firing_due.Routines(ground.store, ground.ids, lambda: 0.5)
    nobody: Any = Nobody()
    loop = loops.Loop(
        ground.store,
        nobody,
        ticks,
        clock,
        lambda: 0.5,
        lambda: None,
        lambda: None,
        lambda _: None,
        lambda _: None,
    )
    agent = ground.agent(ground.workspace())
    with ground.store.transaction() as tx:
        made = heartbeat.install(tx, ground.ids, JOAN, agent.id)
    loop.start()
    try:
        due = next_fire(ground, made.id)
        machine.slept += timedelta(minutes=12)
        until(lambda: next_fire(ground, made.id) > due, 60)
        late = ground.rows("office_routine_runs")
        assert len(late) >= 2, "each that was slept over"
        assert len({row["wakeup_id"] for row in late if row["status"] == "received"}) == 1
        following = next_fire(ground, made.id)
        assert following - clock.now() <= timedelta(minutes=5)
        machine.slept += following - clock.now() - timedelta(seconds=0.3)
        until(lambda: len(ground.rows("office_routine_runs")) > len(late), 60)
        last = ground.rows("office_routine_runs")[-1]
        assert 0 <= last["started_at"] - last["scheduled_at"] < 2_000_000
    finally:
        loop.stop()
        ground.close()


@pytest.mark.proves("C-03")
@pytest.mark.parametrize(("on_battery", "rest"), [(None, 30), (False, 30), (True, 60)])
def test_an_idle_loop_rests_half_a_minute_and_on_battery_a_whole_one(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, on_battery: bool | None, rest: float
) -> None:
    """Nothing is due: how long it means to wait is what it asks of its condition."""
    asked: list[float | None] = []
    wait = threading.Condition.wait

    def waits(condition: threading.Condition, timeout: float | None = None) -> bool:
        if threading.current_thread().name == "scheduler":
            asked.append(timeout)
        return wait(condition, timeout)

    monkeypatch.setattr(threading.Condition, "wait", waits)
    nobody: Any = Nobody()
    loop = loops.Loop(
        ground.store,
        nobody,
        firing_due.Routines(ground.store, ground.ids, lambda: 0.5),
        ground.clock,
        *(lambda: 0.5, lambda: None, lambda: None, lambda _: None, lambda _: None),
        on_battery=lambda: on_battery,
    )
    loop.start()
    try:
        until(lambda: asked)
    finally:
        loop.stop()
    assert asked[0] == rest


@pytest.mark.proves("C-03", "A-33")
def test_the_machine_is_not_asked_while_something_is_due_soon(
    ground: Ground,
) -> None:
    """What measures its processors does so from one reading to the next."""
    asked: list[bool] = []
    nobody: Any = Nobody()
    loop = loops.Loop(
        ground.store,
        nobody,
        firing_due.Routines(ground.store, ground.ids, lambda: 0.5),
        ground.clock,
        *(lambda: 0.5, lambda: None, lambda: None, lambda _: None, lambda _: None),
        on_battery=lambda: not asked.append(True),
    )
    rests = [loop._rest_of(seconds) for seconds in (0.2, 30.0)]
    assert rests == [0.2, 30.0] and asked == []
    assert [loop._rest_of(seconds) for seconds in (45.0, 90.0, None)] == [45.0, 60.0, 60.0]
    assert len(asked) == 3

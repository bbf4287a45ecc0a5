"""A machine's clock that is set back or forward stalls nothing; no instant comes twice (F-29)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from ground import NOW, Ground

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine.loop import Loop
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.store import agents, journal

STEPS = [timedelta(minutes=-2), timedelta(days=-1), timedelta(days=-3650)]
BOTH_WAYS = [*STEPS, timedelta(hours=1), timedelta(days=3650)]


class Machine:
    """Real seconds pass by `live`; `step` sets the clock of the wall."""

    def __init__(self) -> None:
        self.lived, self.ahead = 0.0, 0.0
        self.clock = self.restarted()

    def restarted(self) -> SystemClock:
        return SystemClock(self.wall, lambda: 50.0 + self.lived)

    def wall(self) -> float:
        return NOW.timestamp() + self.lived + self.ahead

    def live(self, seconds: float) -> None:
        self.lived += seconds

    def step(self, span: timedelta) -> None:
        self.ahead += span.total_seconds()


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def stepped(tmp_path: Path, machine: Machine) -> Iterator[Ground]:
    made = Ground(tmp_path, machine.clock)
    yield made
    made.close()


@pytest.mark.proves("F-29")
@pytest.mark.parametrize("step", BOTH_WAYS, ids=str)
def test_time_rises_strictly_and_never_stands(machine: Machine, step: timedelta) -> None:
    stamps = [machine.clock.now()]
    machine.step(step)
    for _ in range(20):
        machine.live(1)
        stamps.append(machine.clock.now())
    gaps = [later - earlier for earlier, later in pairwise(stamps)]
    assert min(gaps) >= timedelta(seconds=0.49)


@pytest.mark.proves("F-29")
def test_it_agrees_with_the_machine_again_after_twice_the_step(machine: Machine) -> None:
    machine.clock.now()
    machine.step(timedelta(minutes=-2))
    machine.live(239)
    assert machine.clock.now().timestamp() > machine.wall()
    machine.live(2)
    assert machine.clock.now().timestamp() == machine.wall()


@pytest.mark.proves("F-29")
def test_after_a_restart_it_goes_on_too(machine: Machine) -> None:
    last = machine.clock.now()
    machine.step(timedelta(days=-1))
    again = machine.restarted()
    again.start_after(last)
    first = again.now()
    machine.live(60)
    assert first >= last and again.now() - first == timedelta(seconds=30)


class Nobody:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.next_turn = None
        self.claimed: list[str] = []

    def step(self) -> bool:
        wakeup = self.ground.claim()
        self.claimed += [wakeup.id] if wakeup else []
        return wakeup is not None


@pytest.mark.proves("F-29", "C-14")
@pytest.mark.parametrize("wait", ["retry", "cooldown"])
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_what_waits_two_minutes_waits_four_at_most(
    stepped: Ground, machine: Machine, step: timedelta, wait: str
) -> None:
    agent = stepped.agent(stepped.workspace(), cooldown_sec=120 if wait == "cooldown" else 0)
    due: dict[str, Any] = {}
    if wait == "retry":
        due = {"scheduled_retry_at": machine.clock.now() + timedelta(minutes=2), "held_by": "retry"}
    else:
        with stepped.store.transaction() as tx:
            agents.touch_finished(tx, agent.id)
    made = stepped.wakeup(agent, **due)
    steps: Any = Nobody(stepped)
    routines = Routines(stepped.store, stepped.ids, lambda: 0.5)
    loop = Loop(
        stepped.store, steps, routines, machine.clock, lambda: 0.5, print, print, print, print
    )
    machine.step(step)
    loop.tick()
    assert steps.claimed == []
    machine.live(119)
    loop.tick()
    assert steps.claimed == []
    machine.live(122)
    loop.tick()
    assert steps.claimed == [made.id]


@pytest.mark.proves("F-29")
def test_the_stamps_of_rows_rise_across_steps_and_restarts(
    stepped: Ground, machine: Machine
) -> None:
    def stamp() -> datetime:
        with stepped.store.transaction() as tx:
            journal.tell(tx, Kind.TASK_MOVED, Subject("task", "t"), workspace_id=None)
            return tx.now

    stamps = [stamp()]
    for step in BOTH_WAYS:
        machine.step(step)
        machine.live(0.5)
        stamps += [stamp(), stamp()]
    stepped.reopen()
    stamps.append(stamp())
    assert stamps == sorted(set(stamps))

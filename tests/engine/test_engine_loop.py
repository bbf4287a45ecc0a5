"""The scheduler's loop: it wakes when something is due, goes on after errors, and stops."""

import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from ground import NOW, Ground

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine import loop as loops
from roundtable_desktop.engine.loop import DEGRADED_AFTER, LONGEST_WAIT, Loop
from roundtable_desktop.model.states import Health
from roundtable_desktop.store import agents, wakeups


class Steps:
    """Stands where the dispatcher stands: claims and notes."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.claimed: list[str] = []
        self.broken = 0

    def step(self) -> bool:
        if self.broken:
            self.broken -= 1
            raise OSError("disk I/O error")
        wakeup = self.ground.claim()
        if wakeup is not None:
            self.claimed.append(wakeup.id)
        return wakeup is not None


def loop_on(ground: Ground, steps: Any, clock: Any) -> Loop:
    return Loop(ground.store, steps, clock, lambda: 0.5, lambda: None, lambda: None)


@pytest.fixture
def live(tmp_path: Any) -> Iterator[Ground]:
    made = Ground(tmp_path, SystemClock())
    yield made
    made.close()


def until(condition: Any) -> None:
    limit = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def test_a_tick_takes_all_that_is_due_and_says_when_there_is_more(ground: Ground) -> None:
    steps = Steps(ground)
    loop = loop_on(ground, steps, ground.clock)
    workspace = ground.workspace()
    agent = ground.agent(workspace, max_concurrent_sessions=9)
    made = [ground.wakeup(agent).id for _ in range(3)]
    due = NOW + timedelta(minutes=2)
    later = ground.wakeup(agent, scheduled_retry_at=due, held_by="retry")
    assert loop.tick() == due
    assert steps.claimed == made
    ground.clock.forward(minutes=2)
    assert loop.tick() is None
    assert steps.claimed == [*made, later.id]


def test_the_next_due_time_is_the_end_of_a_cooldown(ground: Ground) -> None:
    loop = loop_on(ground, Steps(ground), ground.clock)
    agent = ground.agent(ground.workspace(), cooldown_sec=8)
    with ground.store.transaction() as tx:
        agents.touch_finished(tx, agent.id)
        ended: datetime = tx.now
    assert loop.tick() is None
    ground.wakeup(agent)
    assert loop.tick() == ended + timedelta(seconds=8)


def test_it_wakes_at_once_for_what_is_enqueued(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    loop.start()
    try:
        agent = live.agent(live.workspace(), max_concurrent_sessions=9)
        time.sleep(0.1)
        began = time.monotonic()
        made = live.wakeup(agent)
        until(lambda: steps.claimed)
        assert steps.claimed == [made.id]
        assert time.monotonic() - began < LONGEST_WAIT.total_seconds() / 3
    finally:
        loop.stop()


def test_it_wakes_for_a_retry_when_that_is_due(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    agent = live.agent(live.workspace())
    due = live.clock.now() + timedelta(seconds=0.4)
    live.wakeup(agent, scheduled_retry_at=due, held_by="retry")
    loop.start()
    try:
        until(lambda: steps.claimed)
        assert live.clock.now() >= due
    finally:
        loop.stop()


def test_an_error_is_tried_again_and_five_in_a_row_are_told(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "tick_delay", lambda failures, dice: timedelta(seconds=0.1))
    steps = Steps(live)
    steps.broken = DEGRADED_AFTER
    loop = loop_on(live, steps, live.clock)
    agent = live.agent(live.workspace())
    loop.start()
    try:
        until(lambda: loop.health() is Health.DEGRADED)
        live.wakeup(agent)
        until(lambda: loop.health() is Health.OK)
        until(lambda: steps.claimed)
    finally:
        loop.stop()
    assert loop.health() is Health.DEAD


def test_nothing_is_claimed_after_a_stop(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    loop.start()
    agent = live.agent(live.workspace(), max_concurrent_sessions=999)
    done = threading.Event()

    def feed() -> None:
        while not done.is_set():
            live.wakeup(agent)

    feeder = threading.Thread(target=feed)
    feeder.start()
    until(lambda: len(steps.claimed) > 3)
    loop.stop()
    taken = len(steps.claimed)
    time.sleep(0.1)
    done.set()
    feeder.join()
    assert len(steps.claimed) == taken
    with live.reader.snapshot() as view:
        assert len(wakeups.claimed(view)) == taken

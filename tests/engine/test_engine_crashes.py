"""A crash of the scheduler's thread: it goes on, it is told, and it is given up in the end."""

import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from engine_stage import Stage
from ground import Ground

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine import crashes
from roundtable_desktop.engine.loop import Loop
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.states import Health


class Steps:
    """Stands where the dispatcher stands: ends the thread as often as it is told to."""

    next_turn = None

    def __init__(self) -> None:
        self.crashes, self.steps = 0, 0

    def step(self) -> bool:
        if self.crashes:
            self.crashes -= 1
            raise SystemExit("no word of it would be said")
        self.steps += 1
        return False


@pytest.fixture
def live(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setattr(crashes, "REST", 0.0)
    made = Ground(tmp_path, SystemClock())
    yield made
    made.close()


def loop_on(ground: Ground, steps: Any) -> Loop:
    recurring = Routines(ground.store, ground.ids, lambda: 0.5)
    return Loop(
        ground.store,
        steps,
        recurring,
        ground.clock,
        lambda: 0.5,
        lambda: None,
        lambda: None,
        print,
        print,
    )


def until(condition: Any) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def told(ground: Ground) -> list[bool]:
    """Of each crash that was told: whether it was given up."""
    found = [one for one in ground.events() if one.kind == "owner.crashed"]
    assert all("SystemExit" in json.dumps(dict(one.data)) for one in found)
    return [bool(one.data["given_up"]) for one in found]


@pytest.mark.proves("F-09", "F-52")
def test_a_thread_that_crashes_goes_on_and_tells_of_it(live: Ground) -> None:
    steps = Steps()
    loop = loop_on(live, steps)
    steps.crashes = 3
    loop.start()
    try:
        until(lambda: steps.steps)
        assert loop.health() is Health.OK and told(live) == [False] * 3
        agent = live.agent(live.workspace())
        seen = steps.steps
        live.wakeup(agent)
        until(lambda: steps.steps > seen)
    finally:
        loop.stop()


@pytest.mark.proves("F-09", "F-52", "W-31")
def test_the_fourth_crash_is_the_last_until_a_person_has_it_begin_anew(live: Ground) -> None:
    steps, heard = Steps(), []
    loop = loop_on(live, steps)
    steps.crashes = 5
    live.store.listen(lambda topic: heard.append((topic, loop.health())))
    loop.start()
    try:
        until(lambda: loop.health() is Health.DEAD)
        until(lambda: ("events", Health.DEAD) in heard)  # whoever watches is told at once
        assert told(live) == [False, False, False, True] and not steps.steps
        loop.revive()
        until(lambda: steps.steps)
        assert loop.health() is Health.OK, "it has lived through one more"
        loop.revive()
        assert loop.health() is Health.OK
    finally:
        loop.stop()
    loop.revive()
    assert loop.health() is Health.DEAD, "what was stopped stays so"


@pytest.mark.slow
@pytest.mark.proves("F-09")
def test_a_thread_that_is_still_telling_begins_anew_when_it_is_asked_to(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, whole = Steps(), crashes.journal.tell
    loop = loop_on(live, steps)
    steps.crashes = 4

    def slow(*words: Any, **more: Any) -> None:
        whole(*words, **more)
        time.sleep(0.3)

    monkeypatch.setattr(crashes.journal, "tell", slow)
    loop.start()
    try:
        until(lambda: loop.health() is Health.DEAD)
        loop.revive()
        until(lambda: steps.steps)
        assert loop.health() is Health.OK and told(live) == [False, False, False, True]
    finally:
        loop.stop()


@pytest.mark.proves("F-52")
def test_a_crash_that_cannot_be_written_is_seen_all_the_same(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, heard = Steps(), []
    loop = loop_on(live, steps)
    steps.crashes = 4

    def fails(*_words: object, **_more: object) -> None:
        raise OSError("disk I/O error")

    monkeypatch.setattr(crashes.journal, "tell", fails)
    live.store.listen(lambda topic: heard.append((topic, loop.health())))
    loop.start()
    try:
        until(lambda: ("events", Health.DEAD) in heard)
        assert told(live) == []
    finally:
        loop.stop()


@pytest.mark.proves("F-52")
@pytest.mark.parametrize("part", ["_follower", "_pool"])
def test_another_part_that_is_gone_is_seen_and_is_not_said_to_begin_anew(
    part: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Any = None
    scheduler = Scheduler(
        stage.store,
        stage.ground.reader,
        stage.git,
        stage.launcher,
        nothing,
        stage.ids,
        stage.clock,
        lambda: 0.5,
        copies=nothing,
        environ={},
        equipment=nothing,
        zone="UTC",
    )
    scheduler._loop.start()
    try:
        for name in ("_follower", "_pool"):
            monkeypatch.setattr(scheduler, name, SimpleNamespace(lives=name != part, failures=0))
        assert scheduler.health() is Health.DEAD
        with pytest.raises(Conflict, match="scheduler_in_parts"):
            scheduler.revive()
        monkeypatch.setattr(scheduler, part, SimpleNamespace(lives=True, failures=0))
        assert scheduler.health() is Health.OK
        scheduler.revive()
    finally:
        scheduler._loop.stop()

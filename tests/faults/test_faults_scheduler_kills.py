"""A scheduler killed at every commit and outside act of a task's way, from enqueue to delivery."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import Killing

POINTS = int(os.environ.get("ROUNDTABLE_KILLS", "60"))
FEWEST = 60
"""Places on the way of four tasks; there are more."""


@pytest.fixture
def killing(tmp_path: Path) -> Iterator[Killing]:
    made = Killing(tmp_path)
    yield made
    made.close()


@pytest.mark.faults
@pytest.mark.proves("F-03", "F-04", "F-08")
@pytest.mark.parametrize("point", range(1, POINTS + 1))
def test_a_kill_at_any_place_loses_nothing_and_does_nothing_twice(
    killing: Killing, point: int
) -> None:
    """Every third dies a second time, early in its recovery."""
    assert killing.run(point) or point > FEWEST, "this point was not on the way"
    if point % 3 == 0:
        killing.run(1 + point % 7)
    assert not killing.run()
    killing.check()


WAKE_POINTS = int(os.environ.get("ROUNDTABLE_KILLS", "36"))
FEWEST_OF_WAKES = 36


@pytest.fixture
def waking(tmp_path: Path) -> Iterator[Killing]:
    made = Killing(tmp_path, "wakes")
    yield made
    made.close()


@pytest.mark.faults
@pytest.mark.proves("F-03", "F-08", "K-01")
@pytest.mark.parametrize("point", range(1, WAKE_POINTS + 1))
def test_a_kill_at_any_place_of_a_run_without_a_task_loses_nothing(
    waking: Killing, point: int
) -> None:
    """Every third dies a second time, early in its recovery."""
    assert waking.run(point) or point > FEWEST_OF_WAKES, "this point was not on the way"
    if point % 3 == 0:
        waking.run(1 + point % 7)
    assert not waking.run()
    waking.check()


@pytest.mark.faults
@pytest.mark.proves("F-06")
@pytest.mark.parametrize("victim", ["runner", "agent"])
@pytest.mark.parametrize("point", range(12, 34, 4))
def test_a_run_without_a_task_that_was_killed_is_tried_again(
    waking: Killing, point: int, victim: str
) -> None:
    waking.run(point, victim)
    waking.check(runs_hit=2)


@pytest.mark.faults
@pytest.mark.proves("F-06")
@pytest.mark.parametrize("victim", ["runner", "agent"])
@pytest.mark.parametrize("point", range(12, 56, 4))
def test_a_killed_runner_or_agent_is_settled_and_tried_again(
    killing: Killing, point: int, victim: str
) -> None:
    killing.run(point, victim)
    killing.check(runs_hit=2)


TICK_POINTS = 25
FEWEST_OF_TICKS = 22


@pytest.fixture
def ticking(tmp_path: Path) -> Iterator[Killing]:
    made = Killing(tmp_path, "tick")
    yield made
    made.close()


@pytest.mark.faults
@pytest.mark.proves("B-023")
@pytest.mark.parametrize("point", range(1, TICK_POINTS + 1))
@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_a_tick_that_was_due_has_one_run_whenever_the_scheduler_stopped(
    ticking: Killing, how: str, point: int
) -> None:
    """At no moment it is said that it fired while it has no firing."""
    hit = ticking.run(point) if how == "killed" else ticking.freeze(point)
    assert hit or point > FEWEST_OF_TICKS, "this point was not on the way"
    if hit and how == "killed":
        if point > 3:  # there is no routine before
            ticking.check_fired()
        assert not ticking.run()
    ticking.check()

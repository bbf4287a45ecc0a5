"""The long fault runs: `dev.py faults [--kills N]`. Each prints its table."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from git_on_path import path_with_git
from kills import sweep
from kills.campaign import BRANCH, Plan, Site, run, site
from kills.counting import count
from kills.sequence import Held, in_sequence

pytestmark = pytest.mark.faults
KILLS = int(os.environ.get("ROUNDTABLE_KILLS", "200"))
SECONDS_A_KILL = 5.0
SWEEP_SECONDS = 2400.0
RUNS = 300
Show = Callable[[str], None]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    def shown(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return shown


@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.proves("F-01", "C-58", "F-04", "F-08")
def test_a_campaign_of_kills_leaves_every_counter_at_zero(show: Show) -> None:
    seconds = SECONDS_A_KILL * KILLS
    outcome = run(Plan(kills=KILLS, posts=3 * KILLS, seconds=seconds, hurt=0.1, mixed=0.6))
    show(outcome.table)
    assert (outcome.counters.zero(), outcome.faults) == ({}, [])
    assert outcome.counters.relaunch <= outcome.hurt


@pytest.mark.timeout(60 + 15 * KILLS)
@pytest.mark.proves("F-01", "F-07", "F-08", "R-14", "A-36")
def test_missions_are_killed_in_their_midst(show: Show) -> None:
    """Its owners live longer than those of the others: a wave is at work, and is merged."""
    load = {"posts": 2 * KILLS, "mixed": 0.6, "missions": 0.4}
    outcome = run(Plan(kills=KILLS, seconds=8.0 * KILLS, hurt=0.1, early=0.1, life=2.5, **load))
    show(outcome.table)
    assert (outcome.counters.zero(), outcome.faults) == ({}, [])
    assert outcome.counters.relaunch <= outcome.hurt


@pytest.mark.timeout(300)
@pytest.mark.proves("F-08")
def test_twenty_restarts_that_die_in_their_first_two_seconds(show: Show) -> None:
    outcome = run(Plan(kills=21, posts=40, seconds=120, early=1.0))
    show(outcome.table)
    assert (outcome.counters.zero(), outcome.faults) == ({}, [])
    assert outcome.counters.relaunch == 0


@pytest.mark.timeout(600)
@pytest.mark.proves("C-58")
def test_git_that_outlives_its_owner_costs_no_retry(show: Show) -> None:
    """A checkout of thousands of files takes longer than a restart."""
    plan = Plan(kills=15, posts=8, seconds=120, rate=5.0, backlog=10, files=5000)
    outcome = run(plan)
    show(outcome.table)
    assert (outcome.counters.zero(), outcome.faults, outcome.crashed) == ({}, [], 0)


@pytest.mark.timeout(600)
@pytest.mark.proves("F-07", "F-08", "C-97")
def test_deliveries_that_take_their_time_are_killed_in_their_midst(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their git outlives the owner, and many a task is run again before it is delivered."""
    slow = 'case "$*" in *update-ref*) sleep 1.5;; esac'
    monkeypatch.setenv("PATH", path_with_git(tmp_path / "slow", f"refs/heads/{BRANCH}", slow))
    plan = Plan(kills=25, posts=120, seconds=90, repeats=0.5, auto=1.0)
    outcome = run(plan)
    show(outcome.table)
    assert (outcome.counters.zero(), outcome.faults) == ({}, [])


@pytest.mark.timeout(2700)
@pytest.mark.proves("F-02")
def test_a_kill_at_every_system_call_of_the_owner(show: Show) -> None:
    if sweep.STRACE is None:
        show(sweep.HOW_TO_GET_IT)
        pytest.skip(sweep.HOW_TO_GET_IT)
    swept = sweep.sweep(sweep.every_point(random.Random(KILLS)), SWEEP_SECONDS)
    show(swept.table)
    assert (swept.wrong, swept.done) == ([], swept.points)


@pytest.mark.timeout(2700)
@pytest.mark.proves("F-02", "F-07", "R-14", "A-36")
def test_a_kill_at_every_system_call_of_a_mission(show: Show) -> None:
    if sweep.STRACE is None:
        show(sweep.HOW_TO_GET_IT)
        pytest.skip(sweep.HOW_TO_GET_IT)
    points = sweep.every_point(random.Random(KILLS), sweep.MISSION_CALLS)
    swept = sweep.sweep(points, SWEEP_SECONDS, mission=True)
    show(swept.table)
    assert (swept.wrong, swept.done) == ([], swept.points)


@pytest.mark.timeout(300)
@pytest.mark.proves("F-02", "F-06")
def test_a_kill_at_every_system_call_of_a_runner(show: Show) -> None:
    if sweep.STRACE is None:
        show(sweep.HOW_TO_GET_IT)
        pytest.skip(sweep.HOW_TO_GET_IT)
    swept = sweep.sweep_runners(sweep.runner_points())
    show(swept.table)
    assert not swept.wrong


@pytest.mark.timeout(600)
@pytest.mark.proves("F-38")
def test_three_hundred_runs_leave_nothing_in_the_owner(show: Show) -> None:
    with site() as made:
        before, after = _runs(made)
    show(f"before {before}\nafter  {after}")
    assert after.zombies == 0
    assert abs(after.descriptors - before.descriptors) <= 5
    assert abs(after.threads - before.threads) <= 5


def _runs(made: Site) -> tuple[Held, Held]:
    made.owners.start()
    made.settle_in(commands=4, demos=0)
    held = in_sequence(made, RUNS)
    made.owners.stop()
    counters = count(made.home, made.acks, made.ledger)
    assert counters.zero() == {}, counters.told
    return held

"""The harness of the long fault runs, with few kills."""

import random
from dataclasses import replace

import pytest
from kills import sweep
from kills.campaign import Plan, Site, run
from kills.counting import count
from kills.owners import until


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.proves("F-01", "C-58", "F-04", "F-08")
def test_six_kills_leave_every_counter_at_zero() -> None:
    few = Plan(kills=6, posts=18, seconds=30, early=0.3, hurt=0.2, quiet=2.0, mixed=0.6)
    outcome = run(replace(few, missions=0.0, hurried=True))
    assert (outcome.counters.zero(), outcome.faults) == ({}, []), outcome.table
    assert outcome.counters.relaunch <= outcome.hurt, outcome.table


PLACES = [
    ("dispatcher:Dispatcher._judge", "before"),
    ("launching:Launching._prepare", "after"),
    ("spools:_hello", "after"),
    ("completion:Completion._collect", "after"),
    ("completion:Completion._close", "after"),
    ("delivery:Deliveries._put", "before"),
    ("delivery:Deliveries._put", "after"),
    ("delivery:Deliveries._end", "before"),
]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.proves("F-02")
def test_eight_places_of_one_scenario_leave_every_counter_at_zero(made: Site) -> None:
    """System calls where strace is installed, else the places in the code that they stand for. On
    a machine that is busy with others not all of them are reached, and not all of them tried."""
    if sweep.STRACE is None:
        _at_places(made)
        return
    points = [point for point in sweep.every_point(random.Random(7)) if point.role != "start"]
    swept = sweep.sweep(points[:8], 60, hurried=True)
    assert not swept.wrong, swept.table
    assert swept.killed, swept.table


def _at_places(made: Site) -> None:
    made.owners.stop()
    for number, (place, when) in enumerate(PLACES):
        made.owners.start(f"roundtable_desktop.engine.{place}:{when}:1")
        made.post(f"key-{number}", f"@work 0.05 write key-{number}.txt", delivery="auto")
        assert made.owners.wait_dead(10), f"{place} was not reached"
        made.owners.start()
        assert until(made.at_rest, 15), f"not at rest after {place}"
        made.owners.stop()
    counters = count(made.home, made.acks, made.ledger)
    assert counters.zero() == {}, counters.told

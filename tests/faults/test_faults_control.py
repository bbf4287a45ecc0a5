"""Stops and pauses in numbers: none left behind, none launched."""

import pytest
from outside_house import House
from outside_stops import LADDER, force_stops, pauses

pytestmark = pytest.mark.faults

STOPS, PAUSES = 100, 1000


@pytest.mark.timeout(3600)
@pytest.mark.proves("C-71", "F-34", "F-35", "F-36", "F-54")
def test_a_hundred_force_stops_leave_nothing(running: House) -> None:
    stops = force_stops(running, running.room(), STOPS)
    print(stops.table())
    assert len(stops.rows) == STOPS
    for seconds, ended, named, left in stops.rows:
        assert seconds < LADDER and ended >= 3 and (named, left) == (0, 0), stops.table()


@pytest.mark.timeout(3600)
@pytest.mark.proves("F-54", "W-17")
def test_after_a_thousand_pauses_nothing_was_launched(running: House) -> None:
    print(f"{PAUSES} pauses, {pauses(running, running.room(), PAUSES, 50)} runs")

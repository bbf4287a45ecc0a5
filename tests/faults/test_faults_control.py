"""Stops, pauses and starts in numbers: none left behind, none launched, one winner."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside_house import ROUNDTABLE, House, until
from outside_stops import LADDER, force_stops, pauses

pytestmark = pytest.mark.faults

STOPS, PAUSES, STARTS = 100, 1000, 200


@pytest.fixture
def running(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    house.start()
    yield house
    house.close()


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


@pytest.mark.timeout(900)
@pytest.mark.proves("F-51")
def test_of_two_hundred_starts_at_once_one_wins(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.home.mkdir(mode=0o700)
    words = [ROUNDTABLE, "start", "--port", "0"]
    began = time.monotonic()
    started = [
        subprocess.Popen(words, env=house.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(STARTS)
    ]
    try:
        until(lambda: sum(one.poll() is None for one in started) <= 1, 600, 0.2)
        print(f"{STARTS} starts at once, through after {time.monotonic() - began:.0f} s")
        time.sleep(3)
        codes = Counter(one.poll() for one in started)
        assert codes == {None: 1, 4: STARTS - 1}, codes
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(60)
        house.close()

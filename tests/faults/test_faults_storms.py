"""Storms of forks, stopped again and again: by a force-stop, and after their runner was killed."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from outside_house import House, until
from outside_stops import LADDER, Stops, marked
from storming import storm

from roundtable_desktop.adapters.runners.kernel_groups import RECORD

pytestmark = pytest.mark.faults

TIMES, CHAINS = 20, 120


@pytest.mark.timeout(3600)
@pytest.mark.proves("C-71", "F-34", "F-35", "F-36")
@pytest.mark.parametrize("killed", [False, True])
def test_a_storm_is_stopped_within_the_ladder(running: House, killed: bool) -> None:
    """killed: its runner went first, by a signal that it cannot hear."""
    room = running.room()
    agent = room.agent(sys.executable, "-S", "-c", *storm(45, CHAINS), name="s", cooldown_sec=0)
    room.task("storm", agent)
    stops = Stops()
    for _ in range(TIMES):
        running.post("/control", {"action": "resume"})
        run = until(lambda: _up(running), 90)
        time.sleep(2)
        if killed:
            _kill_runner(running, run)
        began = time.monotonic()
        seen = running.post("/control", {"action": "force-stop"})
        seconds = time.monotonic() - began
        left = marked({run})
        stops.rows.append((seconds, len(seen["killed"]), len(seen["survivors"]), len(left)))
        print(f"{seconds:.1f} s, {stops.rows[-1][1:]}", flush=True)
        until(lambda: running.get("/control")["running"] == 0)
        assert not (running.home / "runs" / run / RECORD).exists()
    print(stops.table())
    for seconds, _, named, left_count in stops.rows:
        assert seconds < LADDER and (named, left_count) == (0, 0), stops.table()


def _up(house: House) -> str | None:
    for run in house.get("/runs", status="running")["items"]:
        if "up" in house.transcript(run["id"]):
            return str(run["id"])
    return None


def _kill_runner(house: House, run: str) -> None:
    folder = os.fsencode(house.home / "runs" / run)
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                if b"runner" in words and folder in words:
                    return os.kill(int(name), signal.SIGKILL)

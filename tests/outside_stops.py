"""Many pauses and many stops of one home, counted by what really ran."""

import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from outside_house import House, Room, until
from storming import STORM

ESCAPES = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3): os.close(number)
        time.sleep(600)
    os._exit(0)
print("up", flush=True)
time.sleep(600)
"""
DEAF = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
os.fork()
print("up", flush=True)
time.sleep(600)
"""
# A chain: each process starts the next one and goes; the first waits in front of it.
CHAIN = """
import os, time
print("up", flush=True)
if os.fork():
    time.sleep(600)
end = time.monotonic() + 60
while time.monotonic() < end:
    if os.fork(): os._exit(0)
    time.sleep(0.002)
"""
# And twenty that live longer each, half of them with a session for each process.
CHAINS = f"import sys\nsys.argv[1:] = ['60', '20', '0.02']\n{STORM}"
KINDS = {"escapes": ESCAPES, "deaf": DEAF, "storm": CHAIN, "chains": CHAINS}
LADDER = 15.0


@dataclass
class Stops:
    """What each stop came to: seconds, how many it ended, what it named as left, what was."""

    rows: list[tuple[float, int, int, int]] = field(default_factory=list)

    def table(self) -> str:
        slowest = max(row[0] for row in self.rows)
        ended = sum(row[1] for row in self.rows)
        named = sum(row[2] for row in self.rows)
        left = sum(row[3] for row in self.rows)
        return (
            f"{len(self.rows)} stops, slowest {slowest:.1f} s, {ended} processes ended, "
            f"{named} named as left, {left} left"
        )


def marked(run_ids: set[str]) -> list[int]:
    """Living processes that carry the mark of one of these runs."""
    found = []
    for one in psutil.process_iter():
        try:
            mark = one.environ().get("ROUNDTABLE_RUN")
            if mark in run_ids and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one.pid)
        except psutil.Error:
            continue
    return found


def force_stops(house: House, room: Room, times: int) -> Stops:
    """Four agents at work each time; their wakeups wait, and go on with the next resume."""
    for name, script in KINDS.items():
        agent = room.agent(sys.executable, "-S", "-c", script, name=name, cooldown_sec=0)
        room.task(name, agent)
    stops = Stops()
    for _ in range(times):
        house.post("/control", {"action": "resume"})
        runs = until(lambda: _all_up(house), 60)
        began = time.monotonic()
        seen = house.post("/control", {"action": "force-stop"})
        seconds = time.monotonic() - began
        left = marked({run["id"] for run in runs})
        stops.rows.append((seconds, len(seen["killed"]), len(seen["survivors"]), len(left)))
        until(lambda: house.get("/control")["running"] == 0)
    return stops


def _all_up(house: House) -> Any:
    runs = house.get("/runs", status="running")["items"]
    if len(runs) < len(KINDS):
        return None
    return runs if all("up" in house.transcript(run["id"]) for run in runs) else None


def pauses(house: House, room: Room, times: int, kill_each: int) -> int:
    """Work waits all the time. After each answered pause no process begins until the resume, also
    when the owner is killed right after the answer. How many runs there were."""
    agents = [room.shell("sleep 0.2", name=f"w{n}", max_concurrent_sessions=4) for n in range(2)]
    number = 0
    for turn in range(times):
        while len(house.get("/wakeups", status="queued", limit=5)["items"]) < 2:
            room.task(f"Go {number}", agents[number % 2])
            number += 1
        house.post("/control", {"action": "resume"})
        time.sleep((turn % 7) * 0.02)
        assert house.post("/control", {"action": "pause"})["intake"] == "paused"
        before = runners(house)
        if turn % kill_each == kill_each - 1:
            house.end(signal.SIGKILL)
            house.start()
            assert house.get("/control")["intake"] == "paused"
        else:
            time.sleep(0.03)
        assert runners(house) <= before, f"turn {turn}"
    assert begun_while_closed(house) == []
    return int(house.query("SELECT count(*) FROM runs")[0][0])


def runners(house: House) -> set[int]:
    """Runner processes of this home."""
    found, folder = set(), f"{house.home}/runs/".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{name}/cmdline").read_bytes()
                if b"--part\0runner" in words and folder in words:
                    found.add(int(name))
    return found


def begun_while_closed(house: House) -> list[Any]:
    """Launches that were decided, or processes that were started, after a pause and before the
    next resume; the feed has the order of the commits."""
    closed, found = False, []
    told = "SELECT id, kind, data FROM events WHERE kind IN ('control.changed', 'run.starting')"
    for _id, kind, data in house.query(f"{told} ORDER BY id"):
        if kind == "control.changed":
            closed = '"open"' not in data
        elif closed:
            found.append((_id, data))
    return found

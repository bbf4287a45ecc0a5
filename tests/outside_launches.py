"""An owner that is killed while it launches, again and again, and the agents that live then."""

import random
import signal
import time
from collections import Counter

import psutil
from outside_house import House, until

WITHIN = 0.5
"""Seconds after the launch was asked for."""
TEN_MINUTES = "exec sleep 600"


def killed_in_launches(house: House, kills: int, seed: int) -> None:
    """Each kill is followed by a start; at no look has a run more than one agent, nor a task."""
    moments = random.Random(seed)
    house.start()
    room = house.room()
    agent = room.shell(TEN_MINUTES, max_concurrent_sessions=kills)
    tasks = []
    for number in range(kills):
        tasks.append(room.task(f"Number {number}", agent))
        time.sleep(moments.uniform(0, WITHIN))  # when the kill falls, which is what is tried
        house.end(signal.SIGKILL)
        one_each(house)
        house.start()
        one_each(house)
    until(lambda: len(agents(house)) == kills)
    one_each(house)
    wanted = sorted(task["id"] for task in tasks)

    def at_work() -> bool:  # an agent is there a moment before its run is said to be running
        running = house.get("/runs", status="running")["items"]
        return sorted(run["task_id"] for run in running) == wanted

    until(at_work)


def one_each(house: House) -> None:
    """Of every task one agent at most, whichever of its runs it is of."""
    found = agents(house)
    tasks = Counter(task for _, task in found)
    runs = Counter(run for run, _ in found)
    assert set(tasks.values()) | set(runs.values()) <= {1}, (tasks, runs)


def agents(house: House) -> list[tuple[str, str]]:
    """(run, task) of each living agent of this home."""
    found = []
    for process in house.processes():
        try:
            environ = process.environ()
            if process.cmdline()[:1] == ["sleep"] and process.status() != psutil.STATUS_ZOMBIE:
                found.append((environ["ROUNDTABLE_RUN"], environ["ROUNDTABLE_TASK"]))
        except (psutil.Error, KeyError):
            continue
    return found

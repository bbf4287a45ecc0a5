"""Many runs in sequence, and what they leave in the owner's process."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kills.campaign import Site
from kills.owners import until

ABREAST = 4
AT_ONCE = 32
"""More requests than the dashboard has threads: each of those opens the database twice, once to
read and once to write, and keeps that."""


@dataclass(frozen=True, slots=True)
class Held:
    """What one process holds of the system."""

    descriptors: int
    threads: int
    zombies: int


def held(pid: int) -> Held:
    return Held(
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        threads=len(os.listdir(f"/proc/{pid}/task")),
        zombies=len(zombies(pid)),
    )


def zombies(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] == b"Z" and int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def in_sequence(made: Site, count: int) -> tuple[Held, Held]:
    """Before and after `count` runs, some of them with an escaped child."""
    pid = made.owners.life.process.pid
    _batch(made, "warm", ABREAST)
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        list(crowd.map(lambda number: _knock(made, number), range(8 * AT_ONCE)))
    before = held(pid)
    for number in range(0, count, ABREAST):
        _batch(made, f"key-{number}", min(ABREAST, count - number))
    # The follower looks for ended children once more when it lets go of the last run.
    until(lambda: not zombies(pid), 5)
    return before, held(pid)


def _knock(made: Site, number: int) -> None:
    made.owners.ask("GET", "/tasks?limit=200")
    made.owners.ask("POST", "/tasks", {"workspace_id": made.workspace, "title": f"idle-{number}"})


def _batch(made: Site, key: str, count: int) -> None:
    for number in range(count):
        told = "@work 0 escape" if number == 0 else "@work 0"
        made.post(f"{key}-{number}", told, number % len(made.agents))
    assert until(made.at_rest, 30), f"not at rest: {key}"

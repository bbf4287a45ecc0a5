"""An agent that takes memory without end, and what it costs the owner."""

import sys
import time
from dataclasses import dataclass
from typing import Any

import psutil
from outside_house import House

HOG = """
import sys, time
kept = []
for _ in range(int(sys.argv[1])):
    kept.append(bytes([1]) * (50 << 20))
print("all of it", flush=True)
time.sleep(60)
"""
MB = 1 << 20


@dataclass(frozen=True)
class Hogged:
    """used, owner: bytes, the latter by how much the owner grew. seconds: from start to end."""

    run: Any
    used: int
    owner: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.used // MB} MB at most after {self.seconds:.1f} s; the owner grew by "
            f"{self.owner / MB:.1f} MB"
        )


def hog(house: House, megabytes: int, limit: int) -> Hogged:
    """One attempt of an agent that wants so much, where it may have `limit`."""
    room, owner = house.room(), psutil.Process(house.facts["pid"])
    agent = room.agent(sys.executable, "-c", HOG, str(megabytes // 50), memory_limit_mb=limit)
    before, began = owner.memory_info().rss, time.monotonic()
    ended = room.ended(room.task("Hog", agent, retry_budget=0))
    grown = owner.memory_info().rss - before
    return Hogged(ended, ended["memory"], grown, time.monotonic() - began)

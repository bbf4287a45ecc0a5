"""Prints every goal that this version can measure, beside what was measured."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import (
    depth,
    lateness,
    memory,
    missions,
    queue,
    serving,
    starting,
    sweeping,
    ticking,
)

GOALS = (
    queue.enqueue,
    queue.claim,
    depth.depth,
    depth.beside,
    sweeping.sweep,
    lateness.lateness,
    ticking.idle_tick,
    missions.planning,
    starting.starting,
    memory.memory,
    memory.tray,
    serving.pages,
    serving.events,
    missions.page,
)

if __name__ == "__main__":
    missed = [goal.__name__ for goal in GOALS if not goal()]
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)

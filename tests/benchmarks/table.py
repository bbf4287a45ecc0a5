"""Rounds, ratios and the table that shows them beside the goals."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 5

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Storage in memory, so that the processor is measured and not the disk; None: there is none."""


@dataclass(frozen=True)
class Goal:
    """A ratio ours / theirs; `least` is a floor, `most` a ceiling, one of the two is set."""

    id: str
    what: str
    ours: str
    theirs: str
    least: float | None = None
    most: float | None = None

    def met(self, ratio: float) -> bool:
        if self.least is not None:
            return ratio >= self.least
        return self.most is not None and ratio <= self.most

    def bound(self) -> str:
        return f">= {self.least}" if self.least is not None else f"<= {self.most}"


def measure(goal: Goal, once: Callable[[], tuple[float, float]]) -> bool:
    """`once` measures (ours, theirs) interleaved; prints one line, answers whether it is met."""
    pairs = [once() for _ in range(ROUNDS)]
    ratios = [ours / theirs for ours, theirs in pairs]
    middle = statistics.median(ratios)
    met = goal.met(middle)
    ours = statistics.median(pair[0] for pair in pairs)
    theirs = statistics.median(pair[1] for pair in pairs)
    print(
        f"{goal.id:4} {goal.what:44} min {min(ratios):6.2f}  median {middle:6.2f}  "
        f"max {max(ratios):6.2f}  goal {goal.bound():8} {'met' if met else 'MISSED'}   "
        f"({goal.ours.format(ours)}, {goal.theirs.format(theirs)})",
        flush=True,
    )
    return met

"""The way of a planner from one phase to another, over those that lie between (A-09)."""

from collections import deque
from functools import cache

from roundtable_desktop.model.missions import PHASE, Phase


@cache
def way(start: Phase, goal: Phase) -> tuple[Phase, ...]:
    """The shortest; of two the one that reads the graph anew comes last. () where it is there."""
    if start is goal:
        return ()
    after = sorted(Phase, key=lambda one: one is Phase.LOADING_GRAPH)
    came_from: dict[Phase, Phase] = {}
    waiting = deque([start])
    while waiting and goal not in came_from:
        here = waiting.popleft()
        for to in after:
            if to is not start and to not in came_from and PHASE.allows(here, to):
                came_from[to] = here
                waiting.append(to)
    found = [goal]
    while came_from[found[-1]] is not start:
        found.append(came_from[found[-1]])
    return tuple(reversed(found))

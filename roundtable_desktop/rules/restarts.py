"""How often the scheduler's thread may break off and go on by itself (F-09)."""

from collections.abc import Sequence

WINDOW = 60.0
MOST = 3
"""Times within a window that it goes on; the next one is the last."""


def goes_on(crashes: Sequence[float], now: float) -> bool:
    """crashes: instants of all of them, this one too, on a clock that only rises, in seconds."""
    return sum(one > now - WINDOW for one in crashes) <= MOST

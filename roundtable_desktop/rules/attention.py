"""How often the person is spoken to: seldom, and of several things at once (N-12)."""

from collections.abc import Sequence

GAP = 20.0
"""Seconds between two notifications."""
WINDOW = 3600.0
MOST = 6
"""Notifications within a window; what comes then waits, and is told of together."""


def speak_at(spoken: Sequence[float], now: float) -> float:
    """When the next notification may come; `now` when at once.

    spoken: instants of earlier ones on a clock that only rises, oldest first, in seconds; the
    last MOST are enough.
    """
    due = now
    if spoken:
        due = max(due, spoken[-1] + GAP)
    if len(spoken) >= MOST:
        due = max(due, spoken[-MOST] + WINDOW)
    return due

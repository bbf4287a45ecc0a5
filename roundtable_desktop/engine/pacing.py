"""After a pause of everything the queue begins step by step, not all in one second (B-076)."""

from datetime import datetime, timedelta

TOGETHER = 2
"""Launches at once after a resume, and then one each GAP until nothing more can start."""

GAP = timedelta(seconds=1)


class Pace:
    """Told by the dispatcher what it sees and does; it keeps no time of its own."""

    def __init__(self) -> None:
        self._closed = False
        self._left: int | None = None
        self._next: datetime | None = None

    @property
    def next_turn(self) -> datetime | None:
        """Before this nothing more starts; None while nothing is held back."""
        return self._next

    def lets_pass(self, now: datetime, *, intake_open: bool) -> bool:
        if not intake_open:
            self._closed, self._left, self._next = True, None, None
            return False
        if self._closed:
            self._closed, self._left = False, TOGETHER
        if self._next is not None and self._next <= now:
            self._left, self._next = 1, None
        return self._next is None

    def launched(self, now: datetime) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self._next = now + GAP

    def drained(self) -> None:
        """Nothing more can start: what comes from now on comes by itself."""
        self._left, self._next = None, None

"""Waiting for events: what streams and the tray stand at, instead of asking again and again."""

import threading

from roundtable_desktop.model.records import Event
from roundtable_desktop.store import events
from roundtable_desktop.store.db import Reader, Store

AT_ONCE = 200


class Feed:
    """Any number of threads may wait. Events are read from the table, so none is missed (law 9).

    It also wakes when a browser was signed out, because who watches must then look whether it
    still may.
    """

    def __init__(self, store: Store, reader: Reader) -> None:
        self._reader = reader
        self._changed = threading.Condition()
        self._version = 0
        self._closed = False
        store.listen(self._hear)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def turn(self) -> int:
        """Another one after each thing that wakes those who wait."""
        with self._changed:
            return self._version

    def last(self) -> int:
        """The id of the newest event; 0 when there is none."""
        with self._reader.snapshot() as view:
            return events.last_id(view)

    def wait(self, after: int, seconds: float, turn: int | None = None) -> list[Event]:
        """Events newer than `after`, oldest first, at most 200; waits for the first of them.

        Empty when none came in time, when all were stirred, or when the feed is closed.
        turn: as it was before the caller looked at what else may end its waiting.
        """
        seen = self.turn if turn is None else turn
        found = self._after(after)
        if not found:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._version != seen, seconds)
            found = self._after(after)
        return [] if self._closed else found

    def stir(self) -> None:
        """Lets all who wait look again, whether they still may and still have somebody to tell."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Nobody waits from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _after(self, after: int) -> list[Event]:
        with self._reader.snapshot() as view:
            return events.after(view, after, AT_ONCE)

    def _hear(self, topic: str) -> None:
        if topic in ("events", "sessions"):
            self.stir()

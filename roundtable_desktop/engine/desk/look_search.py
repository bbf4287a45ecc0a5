"""What the faces may find by its name."""

from roundtable_desktop.model.hits import Hit
from roundtable_desktop.store import searching
from roundtable_desktop.store.db import Reader

MOST = 20


class LookSearch:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def by_name(self, text: str) -> list[Hit]:
        """At most MOST, newest first; without a word the newest of all."""
        with self._reader.snapshot() as view:
            return searching.by_name(view, text, MOST)

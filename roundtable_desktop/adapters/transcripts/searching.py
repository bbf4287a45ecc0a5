"""Finds the lines of a transcript in which something stands, as a reader sees them."""

from dataclasses import dataclass

from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.transcripts import Entry, Found, Hit

LINE = 128 * 1024
"""Characters of a line that are kept while its end is still to come."""
BEFORE, SHOWN = 120, 500
"""Characters of a long line that are shown before what was found, and in all."""


@dataclass(slots=True)
class _Line:
    """A line of one stream that has not ended yet."""

    cursor: str
    at: int
    text: str


class Search:
    """Reads records in order and keeps what it finds. known: how many hits of the first record
    were told before."""

    def __init__(self, words: str, limit: int, known: int) -> None:
        self._words = words.casefold()
        self._limit = limit
        self._known = known
        self._first: str | None = None
        self._here: tuple[str, int] = ("", 0)
        self._open: dict[str, _Line] = {}
        self._hits: list[Hit] = []
        self._on: str | None = None

    def is_over(self, cursor: str) -> bool:
        """Enough is found; `cursor` is where to go on from."""
        if self._on is None and len(self._hits) >= self._limit:
            self._on = cursor
        return self._on is not None

    def take(self, cursor: str, entry: Entry) -> None:
        stream, text, at = entry.get("stream"), entry.get("text"), entry.get("at")
        if not isinstance(text, str) or not isinstance(at, int):
            return
        self._first = self._first or cursor
        self._here = (cursor, 0)
        line = self._open.pop(str(stream), None) or _Line(cursor, at, "")
        whole, newline, rest = (line.text + text).rpartition("\n")
        if newline:
            self._look(line, Hit(cursor, at, str(stream), ""), whole)
            line = _Line(cursor, at, "")
        line.text = rest
        if len(rest) > LINE:
            self._look(line, Hit(cursor, at, str(stream), ""), rest)
        elif rest:
            self._open[str(stream)] = line

    def found(self) -> Found:
        if self._on is None:
            for stream, line in self._open.items():
                self._look(line, Hit(line.cursor, line.at, stream, ""), line.text)
        return Found(self._hits, self._on)

    def _look(self, first: _Line, record: Hit, text: str) -> None:
        """The first line may have begun in an earlier record."""
        seen = printed(text)
        if self._words not in seen.casefold():
            return
        for number, line in enumerate(seen.split("\n")):
            at = line.casefold().find(self._words)
            if at < 0:
                continue
            cursor, count = self._here
            self._here = (cursor, count + 1)
            if cursor == self._first and count < self._known:
                continue
            if len(self._hits) >= self._limit:
                self._on = f"{cursor}.{count}"
                return
            began = first if number == 0 else record
            self._hits.append(Hit(began.cursor, began.at, record.stream, _around(line, at)))


def _around(line: str, at: int) -> str:
    if len(line) <= SHOWN:
        return line
    start = max(0, min(at - BEFORE, len(line) - SHOWN))
    end = start + SHOWN
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"

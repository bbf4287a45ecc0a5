"""Reads the transcripts that runners write, a bounded piece at a time."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from roundtable_desktop.adapters.transcripts.searching import Search
from roundtable_desktop.model.transcripts import Entry, Found, Piece

PIECE = 256 * 1024
LONGEST = 1024 * 1024
"""Bytes; no record is longer: one batch, each character of it escaped."""
DROPPED = 6
"""The segment that says what was left out, once something is."""
_CURSOR = re.compile(r"(\d{6})\.(\d{1,12})(?:\.(\d{1,6}))?")
_SEGMENT = re.compile(r"(\d{6})\.ndjson")
Place = tuple[int, int]
"""A segment's number and an offset in bytes."""


class FileTranscripts:
    """Fulfils `ports.Transcripts`. A cursor is a place, and for a search how many hits of its
    record are known."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs

    def read(self, run: str, after: str | None) -> Piece:
        number, offset, _ = _place(after)
        segments = self._segments(run)
        gone = number > DROPPED and number not in segments
        entries = self._lines(run, DROPPED, 0, PIECE)[0] if gone else []
        for segment in [known for known in segments if known >= number]:
            start = offset if segment == number else 0
            found, end = self._lines(run, segment, start, PIECE)
            if found:
                told = [entry for _, entry in (*entries, *found)]
                return self._piece(run, told, (segment, start), (segment, end))
        here = (number, offset)
        return self._piece(run, [], here, here)

    def before(self, run: str, cursor: str) -> Piece:
        """The last piece that ends there."""
        number, offset, _ = _place(cursor)
        for segment in reversed([known for known in self._segments(run) if known <= number]):
            size = self._size(run, segment)
            end = min(offset, size) if segment == number else size
            begin = self._line_near(run, segment, end)
            found, _ = self._lines(run, segment, begin, end - begin)
            if found:
                told = [entry for _, entry in found]
                return self._piece(run, told, (segment, begin), (segment, end))
        return self._piece(run, [], (0, 0), (0, 0))

    def search(self, run: str, words: str, after: str | None, limit: int) -> Found:
        number, offset, known = _place(after)
        search = Search(words, limit, known)
        for (segment, at), entry in self._records(run, (number, offset)):
            if search.is_over(cursor := _cursor((segment, at))):
                break
            search.take(cursor, entry)
        return search.found()

    def entries(self, run: str) -> Iterator[Entry]:
        return (entry for _, entry in self._records(run, (0, 0)))

    def _records(self, run: str, start: Place) -> Iterator[tuple[Place, Entry]]:
        """All from there on, a piece in memory at a time; the runner may write and drop
        meanwhile."""
        number, offset = start
        for segment in [known for known in self._segments(run) if known >= number]:
            at, end = -1, offset if segment == number else 0
            while end > at:
                at = end
                found, end = self._lines(run, segment, at, PIECE)
                yield from (((segment, place), entry) for place, entry in found)

    def _piece(self, run: str, entries: list[Entry], begins: Place, ends: Place) -> Piece:
        segments = self._segments(run)
        return Piece(
            entries=entries,
            begins=_cursor(begins),
            ends=_cursor(ends),
            earlier=begins[1] > 0 or any(known < begins[0] for known in segments),
            later=any(known > ends[0] for known in segments)
            or (ends[0] in segments and self._size(run, ends[0]) > ends[1]),
        )

    def _segments(self, run: str) -> list[int]:
        """Numbers of those that are there; in the middle of a long one some were dropped."""
        try:
            names = os.listdir(self._runs / run / "out")
        except FileNotFoundError:
            return []
        return sorted(int(known[1]) for name in names if (known := _SEGMENT.fullmatch(name)))

    def _lines(
        self, run: str, segment: int, start: int, size: int
    ) -> tuple[list[tuple[int, Entry]], int]:
        """Records from there on, each with its offset, of about `size` bytes; where they end."""
        raw = self._read(run, segment, start, size)
        if raw and b"\n" not in raw and len(raw) == size:
            raw = self._read(run, segment, start, LONGEST)
            raw = raw[: raw.find(b"\n") + 1]
        found, at = [], start
        for line in raw[: raw.rfind(b"\n") + 1].splitlines(keepends=True):
            entry = _entry(line)
            if entry is not None:
                found.append((at, entry))
            at += len(line)
        return found, at

    def _line_near(self, run: str, segment: int, end: int) -> int:
        """Where a record begins, about a piece before the end of another one."""
        for size in (PIECE, LONGEST):
            start = max(0, end - size)
            if start == 0:
                return 0
            line_end = self._read(run, segment, start, end - start).find(b"\n") + 1
            if 0 < line_end < end - start:
                return start + line_end
        return end

    def _size(self, run: str, segment: int) -> int:
        try:
            return os.lstat(self._path(run, segment)).st_size
        except FileNotFoundError:
            return 0

    def _read(self, run: str, segment: int, start: int, size: int) -> bytes:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path(run, segment), flags)
        except FileNotFoundError:
            return b""
        with open(descriptor, "rb") as file:
            file.seek(start)
            return file.read(max(0, size))

    def _path(self, run: str, segment: int) -> Path:
        return self._runs / run / "out" / f"{segment:06d}.ndjson"


def _entry(line: bytes) -> Entry | None:
    """None: a machine that lost its power left something else there; the rest is shown (W-13)."""
    try:
        read = json.loads(line)
    except ValueError:
        return None
    return read if isinstance(read, dict) and ("text" in read or "dropped" in read) else None


def _place(cursor: str | None) -> tuple[int, int, int]:
    parsed = _CURSOR.fullmatch(cursor or "000000.0")
    return (int(parsed[1]), int(parsed[2]), int(parsed[3] or 0)) if parsed else (0, 0, 0)


def _cursor(place: Place) -> str:
    return f"{place[0]:06d}.{place[1]}"

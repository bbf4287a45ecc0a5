"""Keeps what the agent printed: its first 20 MB, its last 20 MB, and how much went between."""

import json
import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SEGMENT = 4 * 1024 * 1024
HEAD = 5
TAIL = 5
_NEW = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class _Segment:
    number: int
    size: int = 0
    text_bytes: int = 0
    lines: int = 0


class Transcript:
    """`out/000001.ndjson`…: read in the order of their names they are the transcript.

    Once something is dropped, the first name after the head holds the one `dropped` record.
    """

    def __init__(self, folder: Path, *, segment: int = SEGMENT) -> None:
        self._folder = folder
        self._limit = segment
        self._recent: deque[_Segment] = deque()
        self._dropped = _Segment(HEAD + 1)
        folder.mkdir(mode=0o700, exist_ok=True)
        self._segment = _Segment(1)
        self._descriptor = self._open(self._segment.number)

    def write(self, at: int, stream: str, text: str) -> None:
        """One record. A disk that does not take it costs the record, never the run."""
        record = {"at": at, "stream": stream, "text": text}
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        size, lines = len(text.encode("utf-8", "replace")), text.count("\n")
        try:
            self._put(line.encode("utf-8", "replace"))
        except OSError:
            self._dropped.text_bytes += size
            self._dropped.lines += lines
        else:
            self._segment.text_bytes += size
            self._segment.lines += lines

    def close(self) -> None:
        os.close(self._descriptor)

    def _put(self, raw: bytes) -> None:
        if self._segment.size and self._segment.size + len(raw) > self._limit:
            self._turn()
        if os.write(self._descriptor, raw) < len(raw):
            os.ftruncate(self._descriptor, self._segment.size)
            raise OSError("the transcript took only part of a record")
        self._segment.size += len(raw)

    def _turn(self) -> None:
        """The next segment; the oldest behind the head makes room for it."""
        following = _Segment(self._segment.number + 1)
        descriptor = self._open(following.number)
        os.close(self._descriptor)
        self._descriptor = descriptor
        if self._segment.number > HEAD:
            self._recent.append(self._segment)
        self._segment = following
        if len(self._recent) >= TAIL:
            with suppress(OSError):
                self._drop(self._recent.popleft())

    def _drop(self, old: _Segment) -> None:
        """The record first, then the file: a crash between counts a segment that is still there,
        it never loses one that is not counted."""
        self._dropped.text_bytes += old.text_bytes
        self._dropped.lines += old.lines
        record = {"dropped": {"bytes": self._dropped.text_bytes, "lines": self._dropped.lines}}
        private = self._folder / f".dropped.{old.number}"
        with open(os.open(private, _NEW, 0o600), "w") as file:
            file.write(json.dumps(record) + "\n")
        private.replace(self._path(self._dropped.number))
        if old.number != self._dropped.number:
            self._path(old.number).unlink()

    def _open(self, number: int) -> int:
        return os.open(self._path(number), _NEW, 0o600)

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06}.ndjson"

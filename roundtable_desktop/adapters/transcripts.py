"""Reads the transcripts that runners write, a bounded piece at a time."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

PIECE = 256 * 1024
_CURSOR = re.compile(r"(\d{6})\.(\d{1,12})")


class FileTranscripts:
    """Fulfils `ports.Transcripts`. A cursor is the segment's number and an offset in bytes."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs

    def read(self, run: str, after: str | None) -> tuple[list[Mapping[str, object]], str | None]:
        parsed = _CURSOR.fullmatch(after or "000000.0")
        number, offset = (int(parsed[1]), int(parsed[2])) if parsed else (0, 0)
        segments = self._segments(run)
        for segment in [known for known in segments if known >= number]:
            start = offset if segment == number else 0
            entries, end = self._piece(run, segment, start)
            if entries:
                return entries, f"{segment:06d}.{end}"
        return [], None

    def _segments(self, run: str) -> list[int]:
        """Numbers of those that are there; in the middle of a long one some were dropped."""
        try:
            names = os.listdir(self._runs / run / "out")
        except FileNotFoundError:
            return []
        return sorted(int(name[:6]) for name in names if re.fullmatch(r"\d{6}\.ndjson", name))

    def _piece(self, run: str, segment: int, start: int) -> tuple[list[Mapping[str, object]], int]:
        path = self._runs / run / "out" / f"{segment:06d}.ndjson"
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return [], start
        with open(descriptor, "rb") as file:
            file.seek(start)
            whole, _, _ = file.read(PIECE).rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        return [json.loads(line) for line in lines], start + len(whole) + bool(whole)

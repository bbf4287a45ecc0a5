"""What is read of a transcript: a piece of it, and the lines in which something stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Entry = Mapping[str, object]
"""{at, stream, text}, or {dropped: {bytes, lines}} where the middle was left out."""

LAST = "999999.0"
"""A cursor behind whatever a transcript may have."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Oldest first. begins, ends: cursors; earlier, later: whether anything is there now."""

    entries: Sequence[Entry]
    begins: str
    ends: str
    earlier: bool
    later: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A line, or the part of it around what was looked for. cursor: where its entry begins."""

    cursor: str
    at: int
    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """on: where to search on from; None when all of it was read."""

    hits: Sequence[Hit]
    on: str | None

"""Two branches joined in one commit, though they clash: what is not settled in it, path by path."""

from dataclasses import dataclass
from enum import StrEnum


class Clashes(StrEnum):
    """How two sides are at odds about a path; git says more of them than anybody meets."""

    LINES = "lines"
    BOTH_ADDED = "both_added"
    BINARY = "binary"
    DELETED = "deleted"
    RENAMED = "renamed"
    RENAMED_DELETED = "renamed_deleted"
    FOLDER = "folder"
    SUBMODULE = "submodule"
    OTHER = "other"


class Holds(StrEnum):
    """What the commit has at the path. `marks`: both, between git's marks; `ours`: what the branch
    had; `theirs`: what was joined with it; `mixed`: text of both without marks."""

    MARKS = "marks"
    OURS = "ours"
    THEIRS = "theirs"
    MIXED = "mixed"
    FOLDER = "folder"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    path: str
    clash: Clashes
    holds: Holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """new: a commit whose parents are `old`, the branch's head, and what was joined with it; `old`
    itself when the branch has that already."""

    old: str
    new: str
    unsettled: tuple[Unsettled, ...] = ()

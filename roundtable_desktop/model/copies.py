"""A working copy as it lies in a home, and what is to become of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_OF_TASK = re.compile(r"t(\d{1,9})(?:-(\d{1,9}))?")


class CopyState(StrEnum):
    IN_USE = "in_use"
    UNDELIVERED = "undelivered"
    OVER = "over"
    KEPT = "kept"
    UNKNOWN = "unknown"


class WorkspaceStrategy(StrEnum):
    """Where a task's runs work. `worktree`: in a linked working tree of the user's repository, with
    the user's own refs. `main`: in a copy to look at only, whose changes are discarded."""

    ISOLATED_COPY = "isolated_copy"
    WORKTREE = "worktree"
    MAIN = "main"


@dataclass(frozen=True, slots=True)
class Copy:
    """name: of its folder. number, title: of its task; agent: whose own it is, without one.

    free_at: when an `over` one goes, and when a `kept` one is looked at again. holds: what was in
    it and nowhere else. saved: commits that were collected from it. discards: what is changed
    in it is not wanted.
    """

    name: str
    path: str
    state: CopyState
    number: int | None = None
    title: str = ""
    agent: str | None = None
    free_at: datetime | None = None
    holds: Sequence[str] = ()
    saved: Sequence[str] = ()
    discards: bool = False

    def is_due(self, now: datetime) -> bool:
        return self.free_at is not None and self.free_at <= now


def task_of_copy(name: str) -> tuple[int, int] | None:
    """(number of the task, which of its copies) of a folder that bears such a name."""
    found = _OF_TASK.fullmatch(name)
    return (int(found[1]), int(found[2] or 1)) if found else None

"""Where a branch is checked out, and whether git is in the middle of something there."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.adapters.git.room import Room
from roundtable_desktop.adapters.git.special import plain_bytes, refuse_worktrees
from roundtable_desktop.model.ports import Repository

LOCK = "index.lock"
BUSY = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    LOCK,
)
PSEUDO_REFS = ("CHERRY_PICK_HEAD", "REVERT_HEAD")  # no files when refs are a table (reftable)
CLAIMS = ("rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree of the repository with the git directory that is its own."""

    path: str
    git_dir: str
    ref: str | None  # None when its HEAD is detached


def checkouts(room: Room, repository: Repository) -> list[Checkout]:
    """Every working tree that still is there. Raises GitFailed(`special_file`)."""
    refuse_worktrees(repository.git_dir)
    git_dirs = dict(_linked(Path(repository.git_dir)))
    listed = room.tell("worktree", "list", "--porcelain", "-z")
    found = []
    for number, block in enumerate(listed.split(b"\0\0")):
        lines = [line.decode(errors="surrogateescape") for line in block.split(b"\0") if line]
        facts = dict(line.partition(" ")[::2] for line in lines)
        if not lines or "bare" in facts or "prunable" in facts:
            continue
        path = facts["worktree"]
        if number == 0:  # git guesses the main one's path from the git directory's
            path = path if repository.path in git_dirs else repository.path
        git_dir = git_dirs.get(path, repository.git_dir)
        found.append(Checkout(path, git_dir, facts.get("branch")))
    return found


def _linked(common: Path) -> Iterator[tuple[str, str]]:
    """Path of each linked working tree → its git directory."""
    for administration in sorted((common / "worktrees").glob("*/gitdir")):
        named = os.fsdecode((plain_bytes(administration) or b"").strip())
        git_file = os.path.normpath(administration.parent / named)
        yield os.path.dirname(git_file), str(administration.parent)


def busy(room: Room, checkout: Checkout) -> str | None:
    """The file that shows it: the user's own operation goes first."""
    for name in BUSY:
        if os.path.lexists(os.path.join(checkout.git_dir, name)):
            return name
    return next((ref for ref in PSEUDO_REFS if room.commit(ref)), None)


def claimed(checkout: Checkout, ref: str) -> str | None:
    """A detached HEAD that will move the branch when its rebase or bisect ends."""
    for name in CLAIMS:
        if ref in _lines(checkout, name):
            return name
    begun_at = _lines(checkout, "BISECT_START")
    return "BISECT_START" if ref.removeprefix("refs/heads/") in begun_at else None


def _lines(checkout: Checkout, name: str) -> list[str]:
    """None of what is no plain file: an agent's pipe there would never be read to its end."""
    return os.fsdecode(plain_bytes(Path(checkout.git_dir, name)) or b"").splitlines()

"""A user's repository, and the port for agents' working copies of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from roundtable_desktop.model.joined import Joined
from roundtable_desktop.model.moved import Moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A user's repository as every git call of ours needs it."""

    path: str
    git_dir: str
    author_name: str
    author_email: str
    settings: Mapping[str, str]


class Branches(Protocol):
    """A part of the port `Git`."""

    def begin_branch(self, repository: Repository, branch: str, commit: str) -> str:
        """Makes a branch of ours there; one that is there already is left as it is. The commit
        that it has then."""

    def join(
        self, repository: Repository, branch: str, other: str, *, message: str, at: datetime
    ) -> Joined:
        """A commit that has both the branch and the commit `other` behind it, made without any
        checkout, with what clashes left in it; the branch is not moved. The same input gives the
        same commit."""

    def marks_in(self, repository: Repository, base: str, head: str) -> tuple[str, ...]:
        """Paths that have got lines between the two with which git begins or ends a conflict."""


class Copies(Protocol):
    """A part of the port `Git`."""

    def make_copy(
        self,
        repository: Repository,
        folder: str,
        commit: str,
        refs: Mapping[str, str],
        *,
        linked: bool = False,
    ) -> None:
        """A shared clone at a detached HEAD (C-100) that shows `refs` as its origin's; linked: a
        linked working tree instead. An existing complete one is kept as it is.
        Raises Invalid (`bad_folder`, `folder_exists`, `folder_symlinked`, …), pointer /folder."""

    def take_along(self, repository: Repository, was: str, folder: str, *, moved: bool) -> None:
        """A copy that lay at `was` is known by where it lies now. moved: and there no more; else
        the home was copied. Raises GitFailed."""

    def began_at(self, repository: Repository, folder: str) -> str | None:
        """The commit that a copy of ours began with, or was last brought to."""

    def move_copy(
        self, repository: Repository, folder: str, commit: str, refs: Mapping[str, str]
    ) -> None:
        """An agent's own copy begins anew at `commit`: its files, HEAD and origin; made if it is
        not there. What git passes over in it stays. The caller has collected the rest, and may
        repeat this after a crash. Raises GitFailed when the copy cannot be moved."""

    def rework_copy(
        self,
        repository: Repository,
        folder: str,
        *,
        base: str,
        head: str,
        onto: str,
        at: datetime,
        refs: Mapping[str, str],
        linked: bool = False,
    ) -> None:
        """Moves a copy that holds `head` to `onto` with base…head on top, not committed; where
        both changed the same lines, the files have git's marks."""

    def size(self, folder: str) -> int:
        """Bytes that a copy takes on the disk."""

    def unsaved(self, repository: Repository, folder: str, saved: Sequence[str]) -> tuple[str, ...]:
        """Files and branches of a copy that none of these commits has, nor the user."""

    def drop_copy(
        self, repository: Repository, folder: str, still: Callable[[], bool] = ...
    ) -> bool:
        """Removes a copy that `make_copy` made if that still is to be, asked when nothing else is
        at work in it. Raises GitFailed."""

    def note(self, repository: Repository, folder: str, run: str) -> None:
        """Writes down, once for each run, how refs, HEADs, configuration and hooks of the
        repository are before an agent works in a linked working tree. Raises GitFailed."""

    def moved(self, repository: Repository, folder: str, run: str) -> Sequence[Moved] | None:
        """What is not as it was noted, but for what somebody else is known to have moved; None
        when nothing was noted. Raises a GitFailed that is `broken_off`."""

    def forget_note(self, folder: str, run: str) -> None:
        """Nothing of it is needed any more."""

    def notes_left(self, above: str) -> Sequence[tuple[str, str]]:
        """(folder, run) of each note below `above` whose copy is gone."""

"""git, hardened: every call treats repositories as hostile input (law 13)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from roundtable_desktop.adapters.git import (
    branching,
    collection,
    comparing,
    contents,
    copies,
    delivery,
    freeing,
    history,
    joining,
    merging,
    moving,
    noted,
    patching,
    recovery,
    registration,
    reworking,
    sample,
)
from roundtable_desktop.adapters.git.alone import Alone
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.folders import Folders
from roundtable_desktop.adapters.git.names import check_branch
from roundtable_desktop.model.contents import Content, Line, Patched
from roundtable_desktop.model.joined import Joined
from roundtable_desktop.model.moved import Moved
from roundtable_desktop.model.ports import (
    Change,
    Collected,
    Delivered,
    GitFailed,
    Prepared,
    Repository,
    RepositoryFacts,
)

__all__ = ["Alone", "HardenedGit", "check_branch"]


class HardenedGit:
    """The port `Git`.

    home: an empty folder that exists; git sees no other home. user_home: read by `inspect` alone.
    alone: of the owner of a home, so that nothing of the life before is at work beside it.
    """

    def __init__(
        self, home: Path, user_home: Path, umask: int = -1, alone: Alone | None = None
    ) -> None:
        self._runner = Runner(home, umask, alone)
        self._user_home = user_home
        self._folders = Folders()

    def stop(self) -> None:
        self._runner.stop()

    def make_sample(self, folder: Path, files: Mapping[str, str]) -> None:
        """A repository for practice mode, with one commit on `main`."""
        sample.make_sample(self._runner, folder, files)

    def messages(self, folder: Path, branch: str) -> list[str]:
        """Of the commits of a branch of it, newest first."""
        return sample.messages(self._runner, folder, branch)

    def text_of(self, folder: Path, branch: str, path: str) -> str | None:
        """A file of it as a branch has it."""
        return sample.text_of(self._runner, folder, branch, path)

    def changed(self, folder: Path) -> list[str]:
        """What is changed in its working tree and not committed, in git's words."""
        return sample.changed(self._runner, folder)

    def inspect(self, path: str) -> RepositoryFacts:
        return registration.inspect(self._runner, self._user_home, path)

    def commit_of(self, repository: Repository, branch: str) -> str | None:
        return history.commit_of(self._runner, repository, branch)

    def refs(self, repository: Repository) -> dict[str, str]:
        return history.refs(self._runner, repository)

    def make_copy(
        self,
        repository: Repository,
        folder: str,
        commit: str,
        refs: Mapping[str, str],
        *,
        linked: bool = False,
    ) -> None:
        with self._folders.held(folder):
            copies.make_copy(self._runner, repository, folder, commit, refs, linked=linked)

    def note(self, repository: Repository, folder: str, run: str) -> None:
        noted.note(self._runner, repository, folder, run, self._user_home)

    def moved(self, repository: Repository, folder: str, run: str) -> tuple[Moved, ...] | None:
        return comparing.compare(self._runner, repository, folder, run, self._user_home)

    def forget_note(self, folder: str, run: str) -> None:
        noted.forget_note(folder, run)

    def notes_left(self, above: str) -> Sequence[tuple[str, str]]:
        return noted.left_in(above)

    def take_along(self, repository: Repository, was: str, folder: str, *, moved: bool) -> None:
        copies.take_along(self._runner, repository, was, folder, moved=moved)

    def began_at(self, repository: Repository, folder: str) -> str | None:
        return copies.began_at(self._runner, repository, folder)

    def move_copy(
        self, repository: Repository, folder: str, commit: str, refs: Mapping[str, str]
    ) -> None:
        with self._folders.held(folder):
            moving.move_copy(self._runner, repository, folder, commit, refs)

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
        with self._folders.held(folder):
            reworking.rework_copy(
                self._runner,
                repository,
                folder,
                base=base,
                head=head,
                onto=onto,
                at=at,
                refs=refs,
                linked=linked,
            )

    def size(self, folder: str) -> int:
        return copies.size(folder)

    def unsaved(self, repository: Repository, folder: str, saved: Sequence[str]) -> tuple[str, ...]:
        return freeing.unsaved(self._runner, repository, folder, saved)

    def drop_copy(
        self, repository: Repository, folder: str, still: Callable[[], bool] = lambda: True
    ) -> bool:
        """Removes a copy that `make_copy` made, and the ref that kept its base alive."""
        with self._folders.held(folder):
            if not still():
                return False
            copies.drop_copy(self._runner, repository, folder)
            return True

    def collect(
        self,
        repository: Repository,
        folder: str,
        *,
        base: str,
        ref: str,
        message: str,
        at: datetime,
    ) -> Collected:
        try:
            return collection.collect(
                self._runner, repository, folder, base=base, ref=ref, message=message, at=at
            )
        except PermissionError as closed:  # waiting opens no folder that an agent has closed
            raise GitFailed("unreadable", str(closed.filename)) from closed

    def keep_ref(self, repository: Repository, ref: str, commit: str) -> None:
        history.keep_ref(self._runner, repository, ref, commit)

    def begin_branch(self, repository: Repository, branch: str, commit: str) -> str:
        return branching.begin_branch(self._runner, repository, branch, commit)

    def join(
        self, repository: Repository, branch: str, other: str, *, message: str, at: datetime
    ) -> Joined:
        return joining.join(self._runner, repository, branch, other, message=message, at=at)

    def marks_in(self, repository: Repository, base: str, head: str) -> tuple[str, ...]:
        return joining.marks_in(self._runner, repository, base, head)

    def drop_ref(self, repository: Repository, ref: str) -> None:
        history.drop_ref(self._runner, repository, ref)

    def changes(self, repository: Repository, base: str, head: str) -> tuple[Change, ...]:
        return history.changes(self._runner, repository, base, head)

    def diff(self, repository: Repository, base: str, head: str, limit: int) -> tuple[str, bool]:
        return history.diff(self._runner, repository, base, head, limit)

    def content(
        self, repository: Repository, commit: str, path: str, *, offset: int, limit: int
    ) -> Content | None:
        return contents.content(self._runner, repository, commit, path, offset=offset, limit=limit)

    def search(
        self,
        repository: Repository,
        commit: str,
        words: str,
        path: str,
        *,
        any_case: bool,
        limit: int,
    ) -> tuple[list[Line], bool]:
        return contents.search(
            self._runner, repository, commit, words, path, any_case=any_case, limit=limit
        )

    def patch(
        self,
        repository: Repository,
        patch: bytes,
        *,
        base: str,
        ref: str,
        message: str,
        at: datetime,
    ) -> Patched:
        return patching.patch(
            self._runner, repository, patch, base=base, ref=ref, message=message, at=at
        )

    def prepare(
        self,
        repository: Repository,
        branch: str,
        *,
        base: str,
        head: str,
        message: str,
        at: datetime,
        joins: bool = False,
    ) -> Prepared:
        return merging.prepare(
            self._runner,
            repository,
            branch,
            base=base,
            head=head,
            message=message,
            at=at,
            joins=joins,
        )

    def deliver(
        self,
        repository: Repository,
        branch: str,
        *,
        old: str,
        new: str,
        into_checkout: bool,
    ) -> Delivered:
        return delivery.deliver(
            self._runner, repository, branch, old=old, new=new, into_checkout=into_checkout
        )

    def finish(
        self, repository: Repository, branch: str, *, old: str, new: str, intended_at: datetime
    ) -> Delivered | None:
        return recovery.finish(
            self._runner, repository, branch, old=old, new=new, intended_at=intended_at
        )

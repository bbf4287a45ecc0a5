"""A proposal brought onto a branch that has moved on, without any checkout (law 13)."""

from datetime import datetime

from roundtable_desktop.adapters.git.checkouts import checkouts
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import commit_of, write_commit
from roundtable_desktop.adapters.git.names import HEADS, by_hand, check_commit, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import LONG, Room, users_room
from roundtable_desktop.model.ports import GitFailed, Prepared, Repository

NAMES_THE_BASE = (2, 40)  # git merge-tree --merge-base


def prepare(
    runner: Runner,
    repository: Repository,
    branch: str,
    *,
    base: str,
    head: str,
    message: str,
    at: datetime,
    joins: bool = False,
) -> Prepared:
    """
    1. The branch is where the proposal began: the proposal itself, unless it is to be joined.
    2. Both sides are commits (merge-tree answers 1 for a bad name as for a conflict).
    3. Merge their trees, with no driver: none is configured in a room of our own.
    4. Nothing is left to bring: the branch as it is.

    joins: a commit of its own, with the history of `head` behind it, in any case; what they have in
    common is what git finds in both histories then, also where `head` took the branch in.
    """
    old = commit_of(runner, repository, branch)
    if old is None:
        raise GitFailed("branch_missing", branch)
    if old == check_commit(base) and not joins:
        return Prepared(old=old, new=check_commit(head))
    with private_room(runner, repository, commit=base, keeps_objects=True) as room:
        for side in (base, head, old):
            if room.commit(check_commit(side)) is None:
                raise GitFailed("commit_missing", side)
        related = joins and room.ask("merge-base", old, head).code == 0
        tree, conflicts = _merge(room, None if related else base, old, head)
        if tree is None:
            command = _by_hand(runner, repository, branch, head)
            return Prepared(old=old, new=None, conflicts=conflicts, command=command)
        if tree == room.word("rev-parse", "--verify", f"{old}^{{tree}}"):
            return Prepared(old=old, new=old)
        joined = head if joins else None
        new = write_commit(room, tree, old, message, at, joins=joined)
        return Prepared(old=old, new=new)


def _by_hand(runner: Runner, repository: Repository, branch: str, head: str) -> str:
    """Where the branch is checked out; else it is checked out first."""
    places = checkouts(users_room(runner, repository), repository)
    here = [place.path for place in places if place.ref == HEADS + branch]
    if here:
        return by_hand("-C", here[0], "merge", head)
    switch = by_hand("-C", repository.path, "switch", branch)
    return f"{switch} && {by_hand('-C', repository.path, 'merge', head)}"


def merged_tree(room: Room, base: str, onto: str, head: str) -> str:
    """Also of a conflict: then with git's marks in the files."""
    return _merged(room, base, onto, head)[0]


def _merge(room: Room, base: str | None, old: str, head: str) -> tuple[str | None, tuple[str, ...]]:
    tree, paths, clean = _merged(room, base, old, head)
    return (tree, ()) if clean else (None, paths)


def _merged(room: Room, base: str | None, old: str, head: str) -> tuple[str, tuple[str, ...], bool]:
    """base: None, and git finds what their histories have in common."""
    names = base is not None and room.runner.version() >= NAMES_THE_BASE
    named = [f"--merge-base={base}"] if names else []
    answer = room.ask(
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", *named, old, head,
        seconds=LONG,
    )  # fmt: skip
    tree, *paths = answer.out.split(b"\0")
    if answer.code not in (0, 1):
        raise answer.failure()
    return tree.decode(), tuple(shown(path) for path in paths if path), answer.code == 0

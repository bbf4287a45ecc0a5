"""Whether a copy holds anything that is nowhere else, before it is taken away (B-115, B-184)."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from roundtable_desktop.adapters.git.collection import index_files
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.copies import ORIGIN, base_ref
from roundtable_desktop.adapters.git.linked import is_linked, left_behind, room_of, tracked_in
from roundtable_desktop.adapters.git.names import COMMIT, check_commit, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import Room, users_room
from roundtable_desktop.adapters.git.special import plain_bytes, refuse_traps
from roundtable_desktop.adapters.git.traces import reader
from roundtable_desktop.model.ports import GitFailed, Repository

NAMED = 20
"""Names that are told of; more are counted by nobody, since one is enough to keep the copy."""

STASH = "refs/stash"


def unsaved(
    runner: Runner, repository: Repository, folder: str, saved: Sequence[str]
) -> tuple[str, ...]:
    """Files and branches of a copy whose content none of the commits `saved`, nor the one that it
    began at, has; ignored files do not count. Raises GitFailed(`copy_missing`).

    1. The files as `collect` would take them: their tree is one of those commits' trees.
    2. So is what each branch and HEAD of the copy ends with, or the user has that commit.
    3. Nothing was stashed: a stash has files in more commits than the one it is known by.

    Of a linked working tree branches and stashes are the user's own, and only its HEAD counts.
    """
    copy, users = Path(folder), users_room(runner, repository)
    base = users.commit(base_ref(folder))
    if base is None or copy.is_symlink() or not copy.is_dir():
        raise GitFailed("copy_missing", folder)
    refuse_traps(copy)
    with private_room(runner, repository, commit=base, keeps_objects=False) as outside:
        known = [commit for commit in (base, *saved) if outside.commit(check_commit(commit))]
        trees = {tree: commit for commit in known if (tree := _tree(outside, commit))}
        room = outside.with_index(str(Path(outside.git_dir, "index"))).with_tree(folder)
        tracked = tracked_in(runner, repository, outside, folder)
        left = [str(one.get("path", "")) for one in index_files(room, copy, base, tracked)]
        tree = room.word("write-tree")
        if tree not in trees:
            left += _differing(room, known[-1], tree)
        if is_linked(repository, folder):
            left += _head(runner, repository, outside, folder, set(trees))
        else:
            left += _branches(outside, users, copy / ".git", set(trees))
    return tuple(left[:NAMED])


def _tree(room: Room, commit: str) -> str | None:
    answer = room.ask("rev-parse", "-q", "--verify", "--end-of-options", f"{commit}^{{tree}}")
    return answer.out.decode().strip() if answer.code == 0 else None


def _differing(room: Room, commit: str, tree: str) -> list[str]:
    listed = room.tell("diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, tree)
    return [shown(path) for path in listed.split(b"\0") if path]


def _head(
    runner: Runner, repository: Repository, outside: Room, folder: str, trees: set[str]
) -> Iterator[str]:
    """Its branches and stashes are the user's, and stay."""
    if room_of(runner, repository, folder) is None:
        yield ".git"
    elif (head := left_behind(runner, repository, folder)) and _tree(outside, head) not in trees:
        yield "HEAD"


def _branches(outside: Room, users: Room, git_dir: Path, trees: set[str]) -> Iterator[str]:
    lent = reader(outside, git_dir)
    if lent is None:
        yield ".git"
        return
    tips = _tips(git_dir)
    if STASH in tips or any(os.path.lexists(git_dir / at / STASH) for at in ("", "logs")):
        yield STASH
    for ref, commit in sorted(tips.items()):
        if ref != STASH and users.commit(commit) is None and _tree(lent, commit) not in trees:
            yield ref


def _tips(git_dir: Path) -> dict[str, str]:
    """What the agent's own refs name, as files say it."""
    found = {}
    for line in os.fsdecode(plain_bytes(git_dir / "packed-refs") or b"").splitlines():
        commit, _, ref = line.partition(" ")
        if COMMIT.fullmatch(commit):
            found[ref] = commit
    for where, _, names in os.walk(git_dir / "refs"):
        for name in names:
            word = os.fsdecode(plain_bytes(Path(where, name)) or b"").strip()
            if COMMIT.fullmatch(word):
                found[os.path.relpath(os.path.join(where, name), git_dir)] = word
    head = os.fsdecode(plain_bytes(git_dir / "HEAD") or b"").strip()
    if COMMIT.fullmatch(head):
        found["HEAD"] = head
    return {ref: commit for ref, commit in found.items() if not ref.startswith(ORIGIN)}

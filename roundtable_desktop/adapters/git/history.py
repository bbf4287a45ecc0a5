"""Commits of the user's repository: read, compared and made, without its configuration."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.names import (
    HEADS,
    TAGS,
    check_branch,
    check_commit,
    check_ref,
    shown,
)
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import Room, users_room
from roundtable_desktop.model.ports import Change, GitFailed, Repository

NOTHING = "000000"
GITLINK = "160000"
SYMLINK = "120000"


def commit_of(runner: Runner, repository: Repository, branch: str) -> str | None:
    return users_room(runner, repository).commit(check_branch(branch))


def refs(runner: Runner, repository: Repository) -> dict[str, str]:
    """Branches and tags, as full refs."""
    form = "--format=%(objectname) %(refname)"
    listed = users_room(runner, repository).word("for-each-ref", form, HEADS, TAGS)
    pairs = (line.split(" ", 1) for line in listed.split("\n") if line)
    return {ref: name for name, ref in pairs}


def drop_ref(runner: Runner, repository: Repository, ref: str) -> None:
    """No error when there is none."""
    users_room(runner, repository).tell("update-ref", "--no-deref", "-d", check_ref(ref))


def keep_ref(runner: Runner, repository: Repository, ref: str, commit: str) -> None:
    keep(users_room(runner, repository), ref, check_commit(commit))


def keep(room: Room, ref: str, commit: str) -> None:
    """Nobody else writes refs of ours, and each of them is written by one act at a time: a lock
    that is found there was left by a git that was killed."""
    words = ("update-ref", "--no-deref", "-m", "roundtable", check_ref(ref), commit)
    left = Path(room.git_dir, f"{ref}.lock")
    if room.ask(*words).code:
        left.unlink(missing_ok=True)
        room.tell(*words)


def changes(runner: Runner, repository: Repository, base: str, head: str) -> tuple[Change, ...]:
    with private_room(runner, repository, commit=base, keeps_objects=True) as room:
        return tuple(change for _, change in compare(room, base, head))


def compare(room: Room, base: str, head: str) -> list[tuple[bytes, Change]]:
    """Every changed path as its bytes, with the change; a rename is a D and an A."""
    listed = room.tell(
        "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff",
        "--no-textconv", "--end-of-options", check_commit(base), check_commit(head), "--",
    )  # fmt: skip
    words = iter(listed.split(b"\0")[:-1])
    raw, counts = [], {}
    for word in words:
        if word.startswith(b":"):
            raw.append((word[1:].split(b" "), next(words)))
        else:
            added, removed, path = word.split(b"\t", 2)
            counts[path] = (_lines(added), _lines(removed))
    return [(path, _change(header, path, counts.get(path, (None, None)))) for header, path in raw]


def _lines(count: bytes) -> int | None:
    return None if count == b"-" else int(count)


def _change(header: list[bytes], path: bytes, counts: tuple[int | None, int | None]) -> Change:
    old_mode, new_mode, _, _, status = (word.decode() for word in header)
    added, removed = counts
    return Change(
        path=shown(path),
        status=status,
        old_mode=old_mode,
        new_mode=new_mode,
        added=added,
        removed=removed,
    )


def diff(
    runner: Runner, repository: Repository, base: str, head: str, limit: int
) -> tuple[str, bool]:
    """Attributes of the repository do not count here: no path can hide itself as binary."""
    with private_room(runner, repository, commit=base, keeps_objects=True) as room:
        answer = room.ask(
            "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv",
            "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options",
            check_commit(base), check_commit(head), "--",
            limit=limit,
        )  # fmt: skip
    if answer.whole and answer.code:
        raise answer.failure()
    return answer.out.decode(errors="replace"), answer.whole


def write_commit(
    room: Room, tree: str, parent: str, message: str, at: datetime, *, joins: str | None = None
) -> str:
    """joins: a second parent. Raises GitFailed(`no_identity`): none is invented (C-108)."""
    if not room.identity:
        raise GitFailed("no_identity")
    feed = message.encode(errors="replace")
    parents = ("-p", parent, *(("-p", joins) if joins else ()))
    return room.at(at).word("commit-tree", tree, *parents, "-F", "-", feed=feed)


def filtered(room: Room, paths: list[bytes], *options: str) -> Iterator[tuple[bytes, str]]:
    """The paths whose bytes a program of the user would have to make, with the filter's name."""
    feed = b"".join(path + b"\0" for path in paths)
    answer = room.tell("check-attr", *options, "-z", "--stdin", "filter", feed=feed)
    words = answer.split(b"\0")
    for path, name in zip(words[::3], words[2::3], strict=False):
        if name not in (b"unspecified", b"unset"):
            yield path, shown(name)

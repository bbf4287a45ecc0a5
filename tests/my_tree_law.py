"""What an act of ours may change of the user's: a branch from old to new, with what that touches.

An act is cut into stretches where the user did something in its midst; within one nothing but the
product is at work.
"""

import os
import stat
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePath

from my_tree_seen import MAIN, File, Seen, Tree

NOTHING = "000000"
Plain = Callable[[bytes], bytes]
"""Bytes without what does not count."""


@dataclass(frozen=True)
class Side:
    """What one commit has under a path: its index entry begins with mode and blob."""

    mode: str
    blob: str
    content: bytes

    def is_at(self, have: File | None, plain: Plain) -> bool:
        if have is None or self.mode == NOTHING:
            return have is None and self.mode == NOTHING
        return have.kind == self.mode and plain(have.content) == plain(self.content)

    def is_entry(self, entry: str | None) -> bool:
        if entry is None or self.mode == NOTHING:
            return entry is None and self.mode == NOTHING
        return entry[2:].startswith(f"{self.mode} {self.blob} 0")


@dataclass(frozen=True)
class Aim:
    """A delivery that was tried: from this commit to that, with both sides of each path."""

    old: str
    new: str
    paths: Mapping[str, tuple[Side, Side]]


@dataclass(frozen=True)
class Stretch:
    """From one moment to another with nobody at work but us. first: nothing of ours had begun
    before it; last: nothing goes on after it. edited: by the user in the act's midst, with tree."""

    start: Seen
    end: Seen
    first: bool
    last: bool
    edited: Set[tuple[str, str]] = frozenset()


def aim_at(repo: Path, old: str, new: str) -> Aim:
    raw = _git(repo, b"", "diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", old, new)
    words = raw.split(b"\0")[:-1]
    headers = [word.decode().lstrip(":").split(" ") for word in words[::2]]
    blobs = _blobs(repo, {blob for header in headers for blob in header[2:4]})
    paths = {}
    for header, path in zip(headers, words[1::2], strict=True):
        was, will_be, before, after, _ = header
        sides = Side(was, before, blobs[before]), Side(will_be, after, blobs[after])
        paths[os.fsdecode(path)] = sides
    return Aim(old, new, paths)


def _blobs(repo: Path, names: Iterable[str]) -> dict[str, bytes]:
    asked = sorted(names)
    said = _git(repo, "\n".join(asked).encode() + b"\n", "cat-file", "--batch")
    found = {}
    for name in asked:
        header, _, said = said.partition(b"\n")
        size = 0 if header.endswith(b"missing") else int(header.split(b" ")[2])
        found[name] = said[:size]
        said = said[size + 1 :] if not header.endswith(b"missing") else said
    return found


def _git(repo: Path, feed: bytes, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=repo, input=feed, capture_output=True).stdout


class Law:
    """Of one act. aims: what it tried to deliver. mask: the user's, which decides about the modes
    of new files."""

    def __init__(self, aims: Sequence[Aim], plain: Plain, mask: int) -> None:
        self._aims, self._plain = aims, plain
        self._sides: dict[str, list[tuple[Side, Side]]] = {}
        for aim in aims:
            for path, sides in aim.paths.items():
                self._sides.setdefault(path, []).append(sides)
        self._modes = {
            "100644": 0o100666 & ~mask,
            "100755": 0o100777 & ~mask,
            "120000": 0o120777,
        }

    def check(self, stretch: Stretch) -> None:
        start, end = stretch.start, stretch.end
        arrived = self._check_refs(start, end)
        assert start.objects <= end.objects, "no object of the user's goes"
        self._check_own(stretch)
        assert start.trees.keys() == end.trees.keys()
        many = [one.head for one in end.trees.values()].count(MAIN) > 1
        for name, after in end.trees.items():
            before = start.trees[name]
            assert before.head == after.head, "HEAD stays on its branch"
            came = arrived if after.head == MAIN else None
            if many and before.files == after.files:
                came = None  # the user took the branch into a second tree in the midst: it stays
            self._check_files(name, stretch, before, after, came)
            self._check_index(stretch, before, after, came)
            self._check_folders(before, after)
            assert not (stretch.last and came and after.begun), "its sign goes with it"
        self._check_logs(start, end)

    def _check_refs(self, start: Seen, end: Seen) -> Aim | None:
        was, now = dict(start.refs), dict(end.refs)
        old, new = was.pop(MAIN, None), now.pop(MAIN, None)
        assert was == now, "no other ref moves"
        if old == new:
            return None
        made = [aim for aim in self._aims if (aim.old, aim.new) == (old, new)]
        assert made, f"old or new: {old} became {new}"
        return made[0]

    def _check_own(self, stretch: Stretch) -> None:
        """Locks are ours while an act has not come to its end, and go with it; one that the user
        made after it had begun cannot be told from them. That of packed-refs stays where the git
        that deleted one of our refs was killed, as with any git: no byte is in it."""
        was = {name: one.plain for name, one in stretch.start.own.items()}
        now = {name: one.plain for name, one in stretch.end.own.items()}
        for name in was.keys() | now.keys():
            if name in ("packed-refs.lock", "packed-refs.new"):
                continue
            lock = name.endswith(".lock")
            if lock and not (stretch.first if name in was else stretch.last):
                continue
            assert was.get(name) == now.get(name), f".git/{name} is as it was"

    def _check_logs(self, start: Seen, end: Seen) -> None:
        """A move is told of once or, where it was finished by a later life, twice."""
        moves = {f"{aim.old} {aim.new}".encode() for aim in self._aims}
        for name in start.logs.keys() | end.logs.keys():
            was, now = start.logs.get(name, b""), end.logs.get(name, b"")
            assert now.startswith(was), f"what logs/{name} told stays"
            for line in now[len(was) :].splitlines():
                assert line[:81] in moves, f"logs/{name}: {line!r}"
                assert name.endswith(("logs/HEAD", MAIN)), name

    # --- a working tree ------------------------------------------------------------------------

    def _check_files(
        self, tree: str, stretch: Stretch, before: Tree, after: Tree, came: Aim | None
    ) -> None:
        for name in {*before.files, *after.files, *self._sides}:
            was, now = before.files.get(name), after.files.get(name)
            elsewhere = stretch.first and before.head != MAIN
            if name not in self._sides or elsewhere:
                assert was == now, f"{name} is as it was, and not written anew"
                continue
            if not _same_file(was, now):
                self._check_changed(stretch, name, was, now)
            theirs = (tree, name) in stretch.edited and _same_file(was, now)
            if not stretch.last or after.begun or theirs:
                continue
            if came and name in came.paths and not _left_out(after.index.get(name)):
                _, new = came.paths[name]
                assert new.is_at(now, self._plain), f"{name} is the new one"
                assert now is None or now.mode == self._modes[now.kind], f"{name}: {now.mode:o}"
            elif stretch.first and not came:
                assert _same_file(was, now) or _written_back(was, now), f"{name} is the old one"

    def _check_changed(
        self, stretch: Stretch, name: str, was: File | None, now: File | None
    ) -> None:
        sides = self._sides[name]
        if stretch.first:
            clean = any(old.is_at(was, self._plain) for old, _ in sides)
            assert clean, f"{name} had been edited by the user"
        else:
            assert self._is_half(name, was), f"{name} has been edited by the user since"
        whole = any(side.is_at(now, self._plain) for pair in sides for side in pair)
        open_end = not stretch.last or any(tree.begun for tree in stretch.end.trees.values())
        assert whole or (open_end and self._is_half(name, now)), f"{name} is whole, or begun"

    def _is_half(self, name: str, have: File | None) -> bool:
        """What git may have left, or put back; what the user emptied or took away in the midst of
        it looks the same."""
        if have is None:
            return True
        sides = [side for pair in self._sides[name] for side in pair if side.mode != NOTHING]
        if not stat.S_ISREG(have.mode) or any(side.is_at(have, self._plain) for side in sides):
            return any(side.is_at(have, self._plain) for side in sides)
        begun = self._plain(have.content).removesuffix(b"\r")
        return any(self._plain(side.content).startswith(begun) for side in sides)

    def _check_index(self, stretch: Stretch, before: Tree, after: Tree, came: Aim | None) -> None:
        for name in {*before.index, *after.index}:
            was, now = before.index.get(name), after.index.get(name)
            if name not in self._sides:
                assert was == now, f"{name} in the index"
            elif was != now:
                begun = self._sides[name]
                froms = [
                    side for old, new in begun for side in ((old,) if stretch.first else (old, new))
                ]
                assert any(side.is_entry(was) for side in froms), f"{name} was staged: {was}"
                tos = [side for pair in begun for side in pair]
                assert any(side.is_entry(now) for side in tos), f"{name} in the index: {now}"
        for name, (_, new) in came.paths.items() if came else ():
            assert new.is_entry(after.index.get(name)), f"{name} is the new one in the index"

    def _check_folders(self, before: Tree, after: Tree) -> None:
        """One that is empty goes or comes with the files that a delivery has there."""
        touched = {PurePath(name) for name in self._sides}
        above = {folder for name in touched for folder in name.parents}
        for folder in map(PurePath, before.folders ^ after.folders):
            inside = touched.intersection((folder, *folder.parents))
            assert folder in above or inside, f"the folder {folder} is as it was"


def _same_file(one: File | None, other: File | None) -> bool:
    return (one and one.plain) == (other and other.plain)


def _written_back(one: File | None, other: File | None) -> bool:
    """git knows of a mode only whether it is a program's."""
    return (one and (one.kind, one.content)) == (other and (other.kind, other.content))


def _left_out(entry: str | None) -> bool:
    """By the user's sparse checkout."""
    return entry is not None and entry.startswith("S")


def without_line_ends(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")

"""Another branch's commit joined with a branch in one commit, without any checkout (law 13)."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from roundtable_desktop.adapters.git.collection import marked
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import commit_of, write_commit
from roundtable_desktop.adapters.git.names import check_commit, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import LONG, Room
from roundtable_desktop.model.joined import Clashes, Holds, Joined, Unsettled
from roundtable_desktop.model.ports import GitFailed, Repository

AT_ONCE = 200
"""Paths that one git is asked about."""
_SAYS: Mapping[bytes, Clashes] = {
    b"CONFLICT (contents)": Clashes.LINES,
    b"CONFLICT (binary)": Clashes.BINARY,
    b"CONFLICT (modify/delete)": Clashes.DELETED,
    b"CONFLICT (rename/rename)": Clashes.RENAMED,
    b"CONFLICT (rename/delete)": Clashes.RENAMED_DELETED,
    b"CONFLICT (file/directory)": Clashes.FOLDER,
}
_BASE, _OURS, _THEIRS = b"1", b"2", b"3"


def join(
    runner: Runner, repository: Repository, branch: str, other: str, *, message: str, at: datetime
) -> Joined:
    """
    1. The branch has it already: nothing is to be joined.
    2. Both sides are commits (merge-tree answers 1 for a bad name as for a conflict).
    3. Merge their trees, with no driver, from where their histories part; what clashes stays in the
       tree as git leaves it there, with its marks in files of lines.
    4. One commit of both. No branch is moved here.
    """
    old = commit_of(runner, repository, branch)
    if old is None:
        raise GitFailed("branch_missing", branch)
    with private_room(runner, repository, commit=old, keeps_objects=True) as room:
        for side in (old, other):
            if room.commit(check_commit(side)) is None:
                raise GitFailed("commit_missing", side)
        if room.ask("merge-base", "--is-ancestor", other, old).code == 0:
            return Joined(old=old, new=old)
        answer = room.ask("merge-tree", "--write-tree", "-z", old, other, seconds=LONG)
        if answer.code not in (0, 1):
            raise answer.failure()
        if not answer.whole:
            raise GitFailed("output_too_large")
        tree, *said = answer.out.split(b"\0")
        new = write_commit(room, tree.decode(), old, message, at, joins=other)
        clashing = _clashing(said) if answer.code else {}
        return Joined(old=old, new=new, unsettled=tuple(_unsettled(room, old, new, clashing)))


def marks_in(runner: Runner, repository: Repository, base: str, head: str) -> tuple[str, ...]:
    """Paths that have got lines between the two with which git begins or ends a conflict."""
    with private_room(runner, repository, commit=base, keeps_objects=True) as room:
        return tuple(marked(room, check_commit(base), check_commit(head)))


@dataclass(slots=True)
class _Clashing:
    """Of one path: the objects of its sides, by the number of their stage, and what git says."""

    sides: dict[bytes, bytes] = field(default_factory=dict)
    says: list[bytes] = field(default_factory=list)

    @property
    def clash(self) -> Clashes:
        """The most special of what is said; that contents differ is said of binary files too."""
        kinds = [_SAYS.get(one) or _other(one) for one in self.says]
        found = next((one for one in kinds if one is not Clashes.LINES), Clashes.LINES)
        both_new = _BASE not in self.sides and {_OURS, _THEIRS} <= self.sides.keys()
        return Clashes.BOTH_ADDED if found is Clashes.LINES and both_new else found


def _other(says: bytes) -> Clashes:
    submodule = says.startswith(b"CONFLICT (submodule")
    return Clashes.SUBMODULE if submodule else Clashes.OTHER


def _clashing(said: list[bytes]) -> dict[bytes, _Clashing]:
    """Of `MODE OBJECT STAGE<tab>PATH`…, an empty word, then `COUNT`, `PATH`…, a kind, a text…"""
    end = said.index(b"") if b"" in said else len(said)
    found: dict[bytes, _Clashing] = {}
    for word in said[:end]:
        facts, _, path = word.partition(b"\t")
        _mode, name, stage = facts.split(b" ")
        found.setdefault(path, _Clashing()).sides[stage] = name
    words = iter(said[end + 1 :])
    for count in words:
        if not count:
            break
        paths = [next(words) for _ in range(int(count))]
        kind, _text = next(words), next(words)
        for path in paths if kind.startswith(b"CONFLICT") else ():
            found.setdefault(path, _Clashing()).says.append(kind)
    return found


def _unsettled(
    room: Room, old: str, new: str, clashing: Mapping[bytes, _Clashing]
) -> Iterator[Unsettled]:
    if not clashing:
        return
    there, marks = _entries(room, new, list(clashing)), set(marked(room, old, new))
    for path, one in clashing.items():
        holds = _holds(there.get(path), one, shown(path) in marks)
        yield Unsettled(path=shown(path), clash=one.clash, holds=holds)


def _holds(entry: tuple[bytes, bytes] | None, one: _Clashing, has_marks: bool) -> Holds:
    if entry is None:
        return Holds.NOTHING
    kind, name = entry
    if kind == b"tree":
        return Holds.FOLDER
    if name == one.sides.get(_OURS):
        return Holds.OURS
    if name == one.sides.get(_THEIRS):
        return Holds.THEIRS
    return Holds.MARKS if has_marks else Holds.MIXED


def _entries(room: Room, commit: str, paths: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
    """(kind, object) of each path that the commit has; none is taken for a word of git's."""
    found = {}
    for first in range(0, len(paths), AT_ONCE):
        names = [f"./{os.fsdecode(path)}" for path in paths[first : first + AT_ONCE]]
        listed = room.tell("ls-tree", "-z", "--full-tree", commit, "--", *names)
        for word in listed.split(b"\0")[:-1]:
            facts, _, path = word.partition(b"\t")
            _mode, kind, name = facts.split(b" ")
            found[path] = (kind, name)
    return found

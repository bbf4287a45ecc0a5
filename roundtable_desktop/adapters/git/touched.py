"""Whether the paths of a delivery are, in a checkout, exactly as the old commit has them."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from roundtable_desktop.adapters.git.checkouts import LOCK, Checkout, busy
from roundtable_desktop.adapters.git.history import GITLINK, NOTHING, filtered
from roundtable_desktop.adapters.git.names import shown
from roundtable_desktop.adapters.git.room import LONG, Room

Reason = dict[str, object]
NAMED = 20
"""Paths that a reason names; it counts the others."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one commit has under a path."""

    mode: str
    blob: str

    @property
    def exists(self) -> bool:
        return self.mode != NOTHING


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that the delivery changes."""

    path: bytes
    old: Side
    new: Side

    def shown(self) -> str:
        return shown(self.path)


def touched_by(room: Room, old: str, new: str) -> list[Touched]:
    listed = room.tell("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
    words = listed.split(b"\0")[:-1]
    return [
        _touched(header.decode(), path)
        for header, path in zip(words[::2], words[1::2], strict=True)
    ]


def _touched(header: str, path: bytes) -> Touched:
    old_mode, new_mode, old_blob, new_blob, _ = header.removeprefix(":").split(" ")
    return Touched(path, Side(old_mode, old_blob), Side(new_mode, new_blob))


def reason_to_hold(
    room: Room, checkout: Checkout, old: str, new: str, paths: list[Touched]
) -> Reason | None:
    """The first thing that makes a merge there anything but a plain replacement (C-107).

    room: of that checkout, with the user's own index.
    """
    if name := busy(room, checkout):
        code = "git_locked" if name == LOCK else "git_busy"
        return {"code": code, "file": os.path.join(checkout.git_dir, name)}
    checks = (_submodule, _symlinked, _filter, _marked, _staged, _in_the_way, _edited)
    reasons = (check(room, old, new, paths) for check in checks)
    return next((reason for reason in reasons if reason), None)


def _submodule(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    for one in paths:
        if GITLINK in (one.old.mode, one.new.mode):
            return {"code": "submodule", "path": one.shown()}
    return None


def _symlinked(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    return symlinked_folder(room, paths)


def symlinked_folder(room: Room, paths: list[Touched]) -> Reason | None:
    """A link on the way to a path; one that the delivery itself takes away is none."""
    going = {one.path for one in paths if one.old.exists}
    for folder in _folders(paths):
        if folder not in going and os.path.islink(_place(room, folder)):
            return {"code": "symlinked_folder", "path": shown(folder)}
    return None


def _folders(paths: list[Touched]) -> list[bytes]:
    found: set[bytes] = set()
    for one in paths:
        folder = os.path.dirname(one.path)
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found)


def _filter(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    """By the attributes that are there, and by those that the new commit brings."""
    names = [one.path for one in paths]
    with scratch_index(room) as scratch:
        scratch.tell("read-tree", new, seconds=LONG)
        found = [*filtered(room, names), *filtered(scratch, names, "--cached")]
    if not found:
        return None
    path, name = found[0]
    return {"code": "filter", "filter": name, "path": shown(path)}


def _marked(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    """git believes these marks and would not look at the file."""
    names = {one.path for one in paths}
    for line in room.tell("ls-files", "-z", "-v").split(b"\0"):
        tag, path = line[:1], line[2:]
        if path in names and (tag.islower() or tag == b"S"):
            return {"code": "path_marked", "path": shown(path)}
    return None


def _staged(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    return _changed(staged_otherwise(room, old, paths))


def staged_otherwise(room: Room, commit: str, paths: list[Touched]) -> list[bytes]:
    """Touched paths whose index entry is not the commit's."""
    names = {one.path for one in paths}
    listed = room.tell("diff-index", "--cached", "-z", "--name-only", "--no-renames", commit, "--")
    return [path for path in listed.split(b"\0") if path in names]


def _edited(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    return _changed(sorted(edited(room, [(one.path, one.old) for one in paths])))


def _changed(paths: list[bytes]) -> Reason | None:
    return _named("changed", paths)


def _named(what: str, paths: list[bytes]) -> Reason | None:
    """One path, or several of which the first are named."""
    if len(paths) < 2:
        return {"code": f"path_{what}", "path": shown(paths[0])} if paths else None
    more = [f"… (+{len(paths) - NAMED})"] if len(paths) > NAMED else []
    return {"code": f"paths_{what}", "paths": [*map(shown, paths[:NAMED]), *more]}


def edited(room: Room, wanted: Iterable[tuple[bytes, Side]]) -> set[bytes]:
    """Paths whose file is not, byte for byte, what that side has; by an index that has no stat
    data yet, so that git cannot but read the file."""
    with scratch_index(room) as scratch:
        load(scratch, wanted)
        scratch.ask("update-index", "-q", "--refresh", seconds=LONG)
        listed = scratch.tell("diff-files", "-z", "--name-only", "--no-ext-diff", "--")
    return {path for path in listed.split(b"\0") if path}


def load(scratch: Room, wanted: Iterable[tuple[bytes, Side]]) -> None:
    lines = (f"{s.mode} {s.blob}\t".encode() + path + b"\0" for path, s in wanted if s.exists)
    scratch.tell("update-index", "-z", "--index-info", feed=b"".join(lines), seconds=LONG)


@contextmanager
def scratch_index(room: Room) -> Iterator[Room]:
    """An empty index of ours beside the user's."""
    with tempfile.TemporaryDirectory(prefix="roundtable-index-") as folder:
        yield room.with_index(os.path.join(folder, "index"))


def _in_the_way(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    """What is added must not exist, not even ignored, as a file, a folder or above it."""
    going = {one.path for one in paths if one.old.exists}
    found = (_obstacle(room, one.path, going) for one in paths if not one.old.exists)
    return _named("in_the_way", list(dict.fromkeys(hit for hit in found if hit)))


def _obstacle(room: Room, path: bytes, going: set[bytes]) -> bytes | None:
    place = _place(room, path)
    if os.path.isdir(place) and not os.path.islink(place):
        return next((hit for hit in files_below(room, path) if hit not in going), None)
    if os.path.lexists(place):
        return path
    above = os.path.dirname(path)
    while above and above not in going:
        if os.path.lexists(_place(room, above)) and not os.path.isdir(_place(room, above)):
            return above
        above = os.path.dirname(above)
    return None


def files_below(room: Room, folder: bytes) -> Iterator[bytes]:
    """Files below a folder, by their paths in the tree."""
    root = _place(room, b"")
    for where, folders, files in os.walk(_place(room, folder)):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        for name in [*files, *links]:
            yield os.path.relpath(os.path.join(where, name), root)


def _place(room: Room, path: bytes) -> bytes:
    return os.path.join(os.fsencode(room.work_tree or ""), path)

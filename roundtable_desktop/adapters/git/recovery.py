"""What a killed delivery left: completed, or taken back to the old commit (F-07)."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from roundtable_desktop.adapters.git.checkouts import checkouts
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import SYMLINK
from roundtable_desktop.adapters.git.names import by_hand, check_branch, check_commit, shown
from roundtable_desktop.adapters.git.room import LONG, Room, users_room
from roundtable_desktop.adapters.git.touched import (
    Reason,
    Side,
    Touched,
    edited,
    files_below,
    load,
    scratch_index,
    staged_otherwise,
    symlinked_folder,
    touched_by,
)
from roundtable_desktop.model.ports import Delivered, Repository
from roundtable_desktop.model.times import EPOCH

TICK = timedelta(milliseconds=20)  # a file's time comes from the kernel's last tick


def finish(
    runner: Runner,
    repository: Repository,
    branch: str,
    *,
    old: str,
    new: str,
    intended_at: datetime,
) -> Delivered | None:
    """No git of ours is at work there: the owner delivers one thing at a time, and `Alone` has
    waited for what the life before had begun.

    1. Locks that are younger than the intent are ours, and go; an older one is the user's.
    2. The branch is elsewhere: delivered when it holds `new`, else moved.
    3. Checked out nowhere: the ref says it all.
    4. The index is `new`'s already: only the ref was missing.
    5. Take back what was written, else hold; then it is as if it had not begun.
    """
    ref, room = check_branch(branch), users_room(runner, repository)
    here = [place for place in checkouts(room, repository) if place.ref == ref]
    git_dirs = [place.git_dir for place in here]
    locks = _locks(repository, ref, git_dirs)
    ours = [lock for lock in locks if _is_younger(lock, intended_at)]
    head = room.commit(ref)
    if head != check_commit(old) or len(here) != 1:
        _unlock(ours)
    if head is None:
        return Delivered(held={"code": "branch_missing"})
    if head != old:
        has_new = room.ask("merge-base", "--is-ancestor", check_commit(new), head).code == 0
        return Delivered(moved=not has_new)
    if len(here) != 1:
        return None
    checkout = here[0]
    command = by_hand("-C", checkout.path, "merge", "--ff-only", "--no-overwrite-ignore", new)
    if foreign := next((lock for lock in locks if lock not in ours), None):
        _unlock(ours)
        return Delivered(held={"code": "git_busy", "file": foreign.name, "command": command})
    inside = users_room(runner, repository, git_dir=checkout.git_dir, work_tree=checkout.path)
    return _settle(inside, ref, old, new, command, ours)


def _settle(
    room: Room, ref: str, old: str, new: str, command: str, locks: list[Path]
) -> Delivered | None:
    paths = touched_by(room, old, new)
    if not staged_otherwise(room, new, paths):
        _unlock(locks)
        answer = room.ask("update-ref", "-m", "roundtable: deliver", ref, new, old)
        if answer.code == 0:
            return Delivered()
        if room.commit(ref) != old:
            return Delivered(moved=True)
        held = {"code": "git_failed", "text": answer.error, "command": command}
        return Delivered(held=held)
    begun = any(lock.name == "index.lock" for lock in locks)
    if reason := take_back(room, old, new, paths, begun=begun, locks=locks):
        return Delivered(held={**reason, "command": command})
    return None


def _locks(repository: Repository, ref: str, git_dirs: list[str]) -> list[Path]:
    """Every lock that a merge or an `update-ref` of ours takes, as far as it is there."""
    names = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")
    places = [Path(git_dir, name) for git_dir in git_dirs for name in names]
    places.append(Path(repository.git_dir, ref + ".lock"))
    return [place for place in places if place.is_file() and not place.is_symlink()]


def _is_younger(lock: Path, moment: datetime) -> bool:
    try:
        written = EPOCH + timedelta(microseconds=lock.stat().st_mtime_ns // 1000)
    except FileNotFoundError:
        return True
    return written >= moment - TICK


def _unlock(locks: list[Path]) -> None:
    for lock in locks:
        lock.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Left:
    """What differs from the old commit: the paths, those with a file, those in the index."""

    suspects: list[Touched]
    written: list[Touched]
    staged: set[bytes]


def take_back(
    room: Room,
    old: str,
    new: str,
    paths: list[Touched],
    *,
    begun: bool,
    locks: list[Path],
) -> Reason | None:
    """Every touched path that holds the new bytes, or a beginning of them, gets the old ones.

    A reason when some path holds anything else; then nothing is written. begun: git is known to
    have started, so that a missing or shortened file is its doing; else only new bytes show it.
    The locks go last but for the index: as long as they are there, a taking back that was killed
    itself is seen to have begun.
    """
    left = _left_behind(room, old, paths)
    if not begun and not left.written:
        _unlock(locks)
        return None
    reason = _doubt(room, new, paths, left, begun)
    if reason is None:
        _restore_files(room, paths, left)
    _unlock(locks)
    if reason is None:
        _restore_index(room, left)
    return reason


def _left_behind(room: Room, old: str, paths: list[Touched]) -> _Left:
    staged = set(staged_otherwise(room, old, paths))
    dirty = edited(room, [(one.path, one.old) for one in paths])
    suspects = [one for one in paths if one.path in dirty | staged or _extra(room, one)]
    written = [one for one in suspects if os.path.lexists(_place(room, one))]
    return _Left(suspects, written, staged)


def _doubt(room: Room, new: str, paths: list[Touched], left: _Left, begun: bool) -> Reason | None:
    names = {one.path for one in left.suspects}
    for one in left.written:
        if not _is_ours(room, one, names, begun):
            return {"code": "path_changed", "path": one.shown()}
    if users_own := left.staged.intersection(staged_otherwise(room, new, paths)):
        return {"code": "path_changed", "path": shown(min(users_own))}
    return symlinked_folder(room, left.suspects)


def _extra(room: Room, one: Touched) -> bool:
    return not one.old.exists and os.path.lexists(_place(room, one))


def _place(room: Room, one: Touched) -> bytes:
    return os.path.join(os.fsencode(room.work_tree or ""), one.path)


def _is_ours(room: Room, one: Touched, suspects: set[bytes], begun: bool) -> bool:
    """Bytes that git wrote, or began to: of the new commit, or of the old one when it was being
    taken back; in a file of the right kind."""
    place = _place(room, one)
    mode = os.lstat(place).st_mode
    if stat.S_ISDIR(mode):  # made for other paths of the delivery, which are judged themselves
        return all(path in suspects for path in files_below(room, one.path))
    if stat.S_ISLNK(mode):
        return _target(room, one, os.readlink(place))
    if not stat.S_ISREG(mode):
        return False
    have = Path(os.fsdecode(place)).read_bytes()
    was, will_be = _bytes(room, one, one.old), _bytes(room, one, one.new)
    begins_new = will_be is not None and will_be.startswith(have)
    begins_old = (was or b"").startswith(have)
    if begun:
        return begins_new or begins_old
    return have == was or (begins_new and not begins_old)


def _target(room: Room, one: Touched, target: bytes) -> bool:
    sides = (one.old, one.new)
    return any(s.mode == SYMLINK and room.tell("cat-file", "blob", s.blob) == target for s in sides)


def _bytes(room: Room, one: Touched, side: Side) -> bytes | None:
    """As git writes them there: line ends by the user's settings and attributes."""
    if not side.exists or side.mode == SYMLINK:
        return None
    path = os.fsdecode(one.path)
    return room.tell("cat-file", "--filters", f"--path={path}", side.blob, seconds=LONG)


def _restore_files(room: Room, paths: list[Touched], left: _Left) -> None:
    """New files go first, with the folders that they leave empty; then the old ones come back."""
    for one in paths:
        if not one.old.exists:
            _remove(room, one)
    with scratch_index(room) as scratch:
        load(scratch, ((one.path, one.old) for one in left.suspects))
        scratch.tell("checkout-index", "-f", "-q", "-a", seconds=LONG)


def _restore_index(room: Room, left: _Left) -> None:
    """Only a merge that failed at its ref has left the new entries there."""
    staged = [one for one in left.suspects if one.path in left.staged]
    gone = b"".join(one.path + b"\0" for one in staged if not one.old.exists)
    if staged:
        room.tell("update-index", "-z", "--force-remove", "--stdin", feed=gone)
        load(room, ((one.path, one.old) for one in staged))
    room.ask("update-index", "-q", "--refresh", seconds=LONG)


def _remove(room: Room, one: Touched) -> None:
    place = _place(room, one)
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        os.unlink(place)
    folder, top = os.path.dirname(place), os.fsencode(room.work_tree or "")
    with suppress(OSError):  # the first folder that is not empty, or not ours, is the last
        while folder != top:
            with suppress(FileNotFoundError):
                os.rmdir(folder)
            folder = os.path.dirname(folder)

"""What a killed delivery left: completed, or taken back to the old commit (F-07)."""

import os
import stat
from contextlib import suppress
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
    """The caller has made sure that no git of ours is alive.

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
    for lock in ours:
        with suppress(FileNotFoundError):
            lock.unlink()
    head = room.commit(ref)
    if head is None:
        return Delivered(held={"code": "branch_missing"})
    if head != check_commit(old):
        has_new = room.ask("merge-base", "--is-ancestor", check_commit(new), head).code == 0
        return Delivered(moved=not has_new)
    if len(here) != 1:
        return None
    checkout = here[0]
    command = by_hand("-C", checkout.path, "merge", "--ff-only", "--no-overwrite-ignore", new)
    if foreign := next((lock for lock in locks if lock not in ours), None):
        return Delivered(held={"code": "git_busy", "file": foreign.name, "command": command})
    inside = users_room(runner, repository, git_dir=checkout.git_dir, work_tree=checkout.path)
    return _settle(inside, ref, old, new, command, begun=bool(ours))


def _settle(
    room: Room, ref: str, old: str, new: str, command: str, *, begun: bool
) -> Delivered | None:
    paths = touched_by(room, old, new)
    if not staged_otherwise(room, new, paths):
        answer = room.ask("update-ref", "-m", "roundtable: deliver", ref, new, old)
        if answer.code == 0:
            return Delivered()
        if room.commit(ref) != old:
            return Delivered(moved=True)
        held = {"code": "git_failed", "text": answer.error, "command": command}
        return Delivered(held=held)
    if reason := take_back(room, old, new, paths, begun=begun):
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


def take_back(
    room: Room, old: str, new: str, paths: list[Touched], *, begun: bool
) -> Reason | None:
    """Every touched path that holds the new bytes, or a beginning of them, gets the old ones.

    A reason when some path holds anything else; then nothing is written. begun: git is known to
    have started, so that a missing file is its doing; else only new bytes show that it did.
    """
    staged = set(staged_otherwise(room, old, paths))
    dirty = edited(room, [(one.path, one.old) for one in paths])
    suspects = [one for one in paths if one.path in dirty | staged or _extra(room, one)]
    written = [one for one in suspects if os.path.lexists(_place(room, one))]
    if not begun and not written:
        return None
    names = {one.path for one in suspects}
    for one in written:
        if not _is_ours(room, one, names):
            return {"code": "path_changed", "path": one.shown()}
    if users_own := staged.intersection(staged_otherwise(room, new, paths)):
        return {"code": "path_changed", "path": shown(min(users_own))}
    if reason := symlinked_folder(room, suspects):
        return reason
    _restore(room, suspects, staged)
    return None


def _extra(room: Room, one: Touched) -> bool:
    return not one.old.exists and os.path.lexists(_place(room, one))


def _place(room: Room, one: Touched) -> bytes:
    return os.path.join(os.fsencode(room.work_tree or ""), one.path)


def _is_ours(room: Room, one: Touched, suspects: set[bytes]) -> bool:
    """The old bytes, the new ones or a beginning of them, in a file of the right kind."""
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
    return have == was or (will_be is not None and will_be.startswith(have))


def _target(room: Room, one: Touched, target: bytes) -> bool:
    sides = (one.old, one.new)
    return any(s.mode == SYMLINK and room.tell("cat-file", "blob", s.blob) == target for s in sides)


def _bytes(room: Room, one: Touched, side: Side) -> bytes | None:
    """As git writes them there: line ends by the user's settings and attributes."""
    if not side.exists or side.mode == SYMLINK:
        return None
    path = os.fsdecode(one.path)
    return room.tell("cat-file", "--filters", f"--path={path}", side.blob, seconds=LONG)


def _restore(room: Room, suspects: list[Touched], staged: set[bytes]) -> None:
    """New files go first, with the folders that they leave empty; then the old ones come back."""
    new_only = [one for one in suspects if not one.old.exists]
    for one in new_only:
        _remove(room, one)
    back = [(one.path, one.old) for one in suspects if one.old.exists]
    with scratch_index(room) as scratch:
        load(scratch, back)
        scratch.tell("checkout-index", "-f", "-q", "-a", seconds=LONG)
    gone = [one.path + b"\0" for one in new_only if one.path in staged]
    room.tell("update-index", "-z", "--force-remove", "--stdin", feed=b"".join(gone))
    load(room, [(path, side) for path, side in back if path in staged])
    room.ask("update-index", "-q", "--refresh", seconds=LONG)


def _remove(room: Room, one: Touched) -> None:
    place = _place(room, one)
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        os.unlink(place)
    folder, top = os.path.dirname(place), os.fsencode(room.work_tree or "")
    with suppress(OSError):
        while folder != top:
            os.rmdir(folder)
            folder = os.path.dirname(folder)

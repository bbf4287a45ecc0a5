"""What a killed delivery left: completed, or taken back to the old commit (F-07)."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from roundtable_desktop.adapters.git.begun import has_begun, is_over
from roundtable_desktop.adapters.git.checkouts import Checkout, checkouts
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

    1. Locks that are younger than the intent are ours, and go; an older one is the user's, and
       so is one of the index where no merge of ours has begun.
    2. The branch is elsewhere: delivered when it holds `new`, else moved.
    3. Checked out nowhere: the ref says it all.
    4. The index is `new`'s already: only the ref was missing.
    5. No merge of ours has begun there: whatever the files look like, the user made them.
    6. Take back what was written, else hold; then it is as if it had not begun.

    The signs that it had begun go last: whoever is ended here is taken up again by the next. They
    stay while something half done is left: the next try begins with taking that back.
    """
    room = users_room(runner, repository)
    places = checkouts(room, repository)
    begun = [place for place in places if has_begun(place.git_dir, new)]
    aim = _Aim(check_branch(branch), check_commit(old), check_commit(new), intended_at)
    outcome = _judge(room, repository, places, begun, aim)
    if outcome is None or outcome.held is None:
        for place in begun:
            is_over(place.git_dir, new)
    return outcome


@dataclass(frozen=True, slots=True)
class _Aim:
    """What was to replace what, on which branch, and since when."""

    ref: str
    old: str
    new: str
    intended_at: datetime


def _judge(
    room: Room, repository: Repository, places: list[Checkout], begun: list[Checkout], aim: _Aim
) -> Delivered | None:
    here = [place for place in places if place.ref == aim.ref]
    locks = _locks(repository, aim.ref, here, begun)
    ours = [lock for lock, is_gits in locks if is_gits and _is_younger(lock, aim.intended_at)]
    head = room.commit(aim.ref)
    if head != aim.old or len(here) != 1:
        _unlock(ours)
    if head is None:
        return Delivered(held={"code": "branch_missing"})
    if head != aim.old and holds(room, head, aim.new):
        return Delivered()
    for place in begun:
        if head != aim.old or place not in here:
            _leave(_inside(room, repository, place), aim)
    if head != aim.old:
        return Delivered(moved=True)
    if len(here) != 1:
        return None
    command = by_hand("-C", here[0].path, "merge", "--ff-only", "--no-overwrite-ignore", aim.new)
    foreign = next((lock for lock, _ in locks if lock not in ours), None)
    _unlock(ours)
    if foreign:
        return Delivered(held={"code": "git_locked", "file": str(foreign), "command": command})
    return _settle(_inside(room, repository, here[0]), aim, command, begun=here[0] in begun)


def holds(room: Room, head: str, new: str) -> bool:
    return room.ask("merge-base", "--is-ancestor", new, head).code == 0


def _inside(room: Room, repository: Repository, place: Checkout) -> Room:
    return users_room(room.runner, repository, git_dir=place.git_dir, work_tree=place.path)


def begun_at(room: Room, old: str, new: str) -> str:
    """What a merge of ours that has begun in that checkout began with: HEAD, if the merge found
    the user on another branch; HEAD is no help when they have committed since."""
    head = room.commit("HEAD")
    return head if head is not None and head != new and holds(room, new, head) else old


def _leave(room: Room, aim: _Aim) -> None:
    """The user has committed or switched branches on top of what was half done: their files are
    taken back if all of them are ours, and else stay. It is the next try that answers for them."""
    base = begun_at(room, aim.old, aim.new)
    take_back(room, base, aim.new, touched_by(room, base, aim.new))


def _settle(room: Room, aim: _Aim, command: str, *, begun: bool) -> Delivered | None:
    old, new = aim.old, aim.new
    paths = touched_by(room, old, new)
    refused: Reason | None = None
    if not staged_otherwise(room, new, paths):
        answer = room.ask("update-ref", "-m", "roundtable: deliver", aim.ref, new, old)
        if answer.code == 0:
            return Delivered()
        if room.commit(aim.ref) != old:
            return Delivered(moved=True)
        refused = {"code": "git_failed", "text": answer.error}
    reason = take_back(room, old, new, paths) if begun else None
    if reason := reason or refused:
        return Delivered(held={**reason, "command": command})
    return None


def _locks(
    repository: Repository, ref: str, here: list[Checkout], begun: list[Checkout]
) -> list[tuple[Path, bool]]:
    """Every lock that a merge or an `update-ref` of ours takes, as far as it is there; and
    whether it can be ours, where only a merge takes it."""
    found = [(Path(repository.git_dir, ref + ".lock"), True)]
    for place in [*here, *(place for place in begun if place not in here)]:
        found.append((Path(place.git_dir, "HEAD.lock"), True))
        for name in ("index.lock", "ORIG_HEAD.lock"):
            found.append((Path(place.git_dir, name), place in begun))
    return [(lock, ours) for lock, ours in found if lock.is_file() and not lock.is_symlink()]


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


def take_back(room: Room, old: str, new: str, paths: list[Touched]) -> Reason | None:
    """Where a merge of ours has begun: every touched path that holds the new bytes, or a beginning
    of them, or nothing, gets the old ones.

    A reason when some path holds anything else; then nothing is written. The index goes first:
    one that is still new's means that the files are whole.
    """
    left = _left_behind(room, old, paths)
    if reason := _doubt(room, old, new, paths, left):
        return reason
    _restore_index(room, left)
    _restore_files(room, paths, left)
    room.ask("update-index", "-q", "--refresh", seconds=LONG)
    is_over(room.git_dir, new)
    return None


def _left_behind(room: Room, old: str, paths: list[Touched]) -> _Left:
    staged = set(staged_otherwise(room, old, paths))
    dirty = edited(room, [(one.path, one.old) for one in paths])
    suspects = [one for one in paths if one.path in dirty | staged or _extra(room, one)]
    written = [one for one in suspects if os.path.lexists(_place(room, one))]
    return _Left(suspects, written, staged)


def _doubt(room: Room, old: str, new: str, paths: list[Touched], left: _Left) -> Reason | None:
    names = {one.path for one in left.suspects}
    unlike_new = edited(room, [(one.path, one.new) for one in left.written])
    for one in left.written:
        is_new = one.new.exists and one.path not in unlike_new
        if not is_new and not _is_ours(room, one, names):
            return {"code": "path_changed", "path": one.shown()}
    for one in left.suspects:
        if above := _file_above(room, one, names):
            return {"code": "path_in_the_way", "path": shown(above)}
    users_own = left.staged
    if room.commit("HEAD") == old:  # on top of anything else, the new entries are the user's too
        users_own = left.staged.intersection(staged_otherwise(room, new, paths))
    if users_own:
        return {"code": "path_changed", "path": shown(min(users_own))}
    return symlinked_folder(room, left.suspects)


def _file_above(room: Room, one: Touched, suspects: set[bytes]) -> bytes | None:
    """A file of the user's where a folder of an old path was; git would remove it for that."""
    above = os.path.dirname(one.path)
    while above:
        place = os.path.join(os.fsencode(room.work_tree or ""), above)
        if os.path.lexists(place) and not os.path.isdir(place) and above not in suspects:
            return above
        above = os.path.dirname(above)
    return None


def _extra(room: Room, one: Touched) -> bool:
    """A folder is none: the old commit may have it, and what is in it is judged by itself."""
    place = _place(room, one)
    is_folder = os.path.isdir(place) and not os.path.islink(place)
    return not one.old.exists and os.path.lexists(place) and not is_folder


def _place(room: Room, one: Touched) -> bytes:
    return os.path.join(os.fsencode(room.work_tree or ""), one.path)


def _is_ours(room: Room, one: Touched, suspects: set[bytes]) -> bool:
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
    sides = (_bytes(room, one, side) for side in (one.old, one.new))
    return not have or any(side is not None and side.startswith(have) for side in sides)


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

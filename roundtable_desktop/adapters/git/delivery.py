"""A commit put onto a branch of the user, without touching a byte that is not the old one's."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from roundtable_desktop.adapters.git.begun import all_over, begin, has_begun, is_over
from roundtable_desktop.adapters.git.checkouts import LOCK, Checkout, busy, checkouts, claimed
from roundtable_desktop.adapters.git.command import Answer, Runner
from roundtable_desktop.adapters.git.linked import is_ours
from roundtable_desktop.adapters.git.names import by_hand, check_branch, check_commit
from roundtable_desktop.adapters.git.one_branch import moving_only, stands_on
from roundtable_desktop.adapters.git.recovery import begun_at, holds, take_back
from roundtable_desktop.adapters.git.room import LONG, Room, users_room
from roundtable_desktop.adapters.git.touched import reason_to_hold, touched_by
from roundtable_desktop.model.ports import Delivered, GitFailed, Repository

LOCK_SECONDS = 8.0
"""How long a lock of the user's git is waited for: an editor's lasts a moment, one that a killed
git left stays for ever (B-118)."""
_LOOK = 0.1


def deliver(
    runner: Runner,
    repository: Repository,
    branch: str,
    *,
    old: str,
    new: str,
    into_checkout: bool,
) -> Delivered:
    """
    1. The branch is there, at `old`, and `new` descends from that.
    2. Nobody rebases or bisects it.
    3. Checked out nowhere: compare-and-swap of the ref.
    4. Checked out once: every touched path is as `old` has it → a fast-forward merge there.
    5. Anything else is held, with the command; nothing was written then.

    Raises a GitFailed that is `broken_off`: then only `finish` knows how it ended.
    """
    ref, room = check_branch(branch), users_room(runner, repository)
    head = room.commit(ref)
    if head is None:
        return Delivered(held={"code": "branch_missing"})
    if head == check_commit(new):
        for place in checkouts(room, repository):
            is_over(place.git_dir, new)  # of a try that was held before the branch was there
        return Delivered()
    if head != check_commit(old):
        return Delivered(moved=True)
    if room.ask("merge-base", "--is-ancestor", old, new).code:
        raise GitFailed("not_a_fast_forward")
    places = checkouts(room, repository)
    here = [place for place in places if place.ref == ref]
    command = _command(repository, here, ref, old, new)
    if reason := _reason(room, places, here, ref, into_checkout):
        return Delivered(held={**reason, "command": command})
    if not here:
        return _move(room, ref, old, new, command)
    return _merge(runner, repository, here[0], ref, old, new, command)


def _command(repository: Repository, here: list[Checkout], ref: str, old: str, new: str) -> str:
    if not here:
        return by_hand("-C", repository.path, "update-ref", ref, new, old)
    if ours := next((place for place in here if is_ours(place.git_dir)), None):
        return by_hand("-C", ours.path, "switch", "--detach")
    return by_hand("-C", here[0].path, "merge", "--ff-only", "--no-overwrite-ignore", new)


def _reason(
    room: Room, places: list[Checkout], here: list[Checkout], ref: str, into_checkout: bool
) -> Mapping[str, object] | None:
    """Why the branch as such is not to be moved now."""
    for place in places:
        if name := claimed(place, ref):
            return {"code": "git_busy", "file": name, "path": place.path}
    if room.ask("symbolic-ref", "-q", ref).code == 0:
        return {"code": "branch_symbolic"}
    if ours := next((place for place in here if is_ours(place.git_dir)), None):
        return {"code": "checked_out_by_agent", "path": ours.path}
    if here and not into_checkout:
        return {"code": "checked_out", "path": here[0].path}
    if len(here) > 1:
        return {"code": "checked_out_twice", "paths": [place.path for place in here]}
    return None


def _move(room: Room, ref: str, old: str, new: str, command: str) -> Delivered:
    answer = room.ask("update-ref", "--no-deref", "-m", "roundtable: deliver", ref, new, old)
    if answer.code == 0:
        return Delivered()
    if room.commit(ref) != old:
        return Delivered(moved=True)
    return _held(answer.error, command)


def _held(text: str, command: str) -> Delivered:
    return Delivered(held={"code": "git_failed", "text": text, "command": command})


def _merge(
    runner: Runner,
    repository: Repository,
    checkout: Checkout,
    ref: str,
    old: str,
    new: str,
    command: str,
) -> Delivered:
    """git writes files, then the index, then the ref: so the ref's lock is tried first, and a
    merge that fails half-way is taken back. So is one in a checkout that is on another branch by
    then: that one stays where it is."""
    room = users_room(runner, repository, git_dir=checkout.git_dir, work_tree=checkout.path)
    paths = touched_by(room, old, new)
    _wait_for_lock(runner, checkout)
    reason = None
    if has_begun(checkout.git_dir, new) and not busy(room, checkout):  # by a try that was held
        reason = take_back(room, old, new, paths)
    if reason := reason or reason_to_hold(room, checkout, old, new, paths):
        return Delivered(held={**reason, "command": command})
    rehearsal = f"start\nupdate {ref} {new} {old}\nprepare\nabort\n".encode()
    locked = room.ask("update-ref", "--stdin", feed=rehearsal)
    if locked.code:
        return _held(locked.error, command)
    with moving_only(room, ref) as bound:
        try:
            begin(checkout.git_dir, new)
        except OSError as failed:
            return _held(str(failed), command)
        answer = bound.ask(
            "merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "-q", new, seconds=LONG
        )
    return _outcome(room, answer, ref, old, new, command)


def _wait_for_lock(runner: Runner, checkout: Checkout) -> None:
    lock, end = Path(checkout.git_dir, LOCK), time.monotonic() + LOCK_SECONDS
    while os.path.lexists(lock) and time.monotonic() < end:
        runner.pause(_LOOK)


def _outcome(room: Room, answer: Answer, ref: str, old: str, new: str, command: str) -> Delivered:
    """A merge that went well left nothing half done, even if the user has moved on since."""
    switched = not stands_on(room, ref)
    if answer.code:
        base = begun_at(room, old, new) if switched else old
        if reason := take_back(room, base, new, touched_by(room, base, new)):
            return Delivered(held={**reason, "command": command})
    else:
        is_over(room.git_dir, new)
        if holds(room, ref, new):
            all_over(room.git_dir)
            return Delivered()
    if switched or room.commit(ref) != old:
        return Delivered(moved=True)
    return _held(answer.error, command)

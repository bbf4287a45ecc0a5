"""A patch as one commit on its base, in an index of our own: no file is written (S-67)."""

from datetime import datetime
from pathlib import Path

from roundtable_desktop.adapters.git.collection import (
    Reason,
    first_with_others,
    marked,
    take_over,
)
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import (
    GITLINK,
    SYMLINK,
    compare,
    filtered,
    keep,
    write_commit,
)
from roundtable_desktop.adapters.git.names import check_commit, check_ref, means_git, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import Room, users_room
from roundtable_desktop.model.contents import Patched
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import Change, Repository

MOST_BYTES = 512 * 1024
MOST_FILES = 1000
TOLD = 500
"""Characters of what git says of a patch."""
POINTER = "/patch"


def patch(
    runner: Runner,
    repository: Repository,
    given: bytes,
    *,
    base: str,
    ref: str,
    message: str,
    at: datetime,
) -> Patched:
    """
    1. What cannot be bounded by its own length is refused before git reads it.
    2. git applies it to the base in an index of ours; it refuses a path that leaves the tree, goes
       through a link or means `.git`.
    3. What it changed is looked at: no link, no submodule, no name that some file system takes for
       `.git`.
    4. One commit on the base; only what it brings is checked and taken over by the user's store.
    """
    check_ref(ref)
    _check_form(given)
    with private_room(
        runner, repository, commit=check_commit(base), keeps_objects=False
    ) as outside:
        room = outside.with_index(str(Path(outside.git_dir, "index")))
        room.tell("read-tree", base)
        answer = room.ask("apply", "--cached", "--whitespace=nowarn", "-", feed=given)
        if answer.code:
            raise Invalid("patch_does_not_apply", POINTER, text=answer.error[:TOLD])
        tree = room.word("write-tree")
        if tree == room.word("rev-parse", "--verify", f"{base}^{{tree}}"):
            return Patched(head=None)
        head = write_commit(room, tree, base, message, at)
        changed = compare(room, base, head)
        _check_changes(changed)
        held = first_with_others(_doubts(room, base, head, [path for path, _ in changed]))
        take_over(room, repository, base, head)
    keep(users_room(runner, repository), ref, head)
    return Patched(head=head, held=held)


def _check_form(given: bytes) -> None:
    if len(given) > MOST_BYTES:
        raise Invalid("patch_too_large", POINTER, bytes=MOST_BYTES // 1024, files=MOST_FILES)
    lines = given.split(b"\n")
    if sum(line.startswith((b"diff --git ", b"+++ ")) for line in lines) > 2 * MOST_FILES:
        raise Invalid("patch_too_large", POINTER, bytes=MOST_BYTES // 1024, files=MOST_FILES)
    if any(line.startswith((b"GIT binary patch", b"Binary files ")) for line in lines):
        raise Invalid("patch_not_text", POINTER)  # a few bytes of such a one become gigabytes


def _check_changes(changed: list[tuple[bytes, Change]]) -> None:
    if len(changed) > MOST_FILES:
        raise Invalid("patch_too_large", POINTER, bytes=MOST_BYTES // 1024, files=MOST_FILES)
    for path, change in changed:
        if means_git(path):
            raise Invalid("patch_names_git", POINTER, path=shown(path))
        if change.new_mode in (SYMLINK, GITLINK):
            raise Invalid("patch_mode", POINTER, path=shown(path), mode=change.new_mode)


def _doubts(room: Room, base: str, head: str, paths: list[bytes]) -> list[Reason]:
    """What a person must look at before it is delivered."""
    reasons: list[Reason] = []
    if found := list(marked(room, base, head)):
        reasons.append({"code": "conflict_marks", "paths": found})
    for path, name in filtered(room, paths, "--cached"):
        reasons.append({"code": "filter", "filter": name, "path": shown(path)})
    return reasons

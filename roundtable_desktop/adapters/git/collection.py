"""What a run left in its copy, made into one commit on the base it began with (C-100, S-67)."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import (
    GITLINK,
    SYMLINK,
    compare,
    filtered,
    keep,
    write_commit,
)
from roundtable_desktop.adapters.git.linked import is_as_linked, is_linked, tracked_in
from roundtable_desktop.adapters.git.names import check_commit, check_ref, means_git, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import LONG, Room, object_store, users_room
from roundtable_desktop.adapters.git.special import refuse_traps
from roundtable_desktop.adapters.git.traces import CHANGED, Tracked, changed_configuration
from roundtable_desktop.model.ports import Change, Collected, GitFailed, Repository

FEW_OBJECTS = 100  # fetch.unpackLimit of git: below it loose objects, else a pack
ENDS_OF_CONFLICT = "-G^(<<<<<<<|>>>>>>>)([[:space:]]|$)"

Reason = dict[str, object]


def collect(
    runner: Runner,
    repository: Repository,
    folder: str,
    *,
    base: str,
    ref: str,
    message: str,
    at: datetime,
) -> Collected:
    """
    1. A git directory and an index of our own, with the user's objects; the copy's is data.
    2. The index begins with what the agent tracked, else with the base: a file that it
       committed although it is ignored is not lost.
    3. Every file of the copy goes into the index; what must not is left out, with the reason.
    4. The tree is the base's: there is no proposal.
    5. One commit on the base; only what it brings is checked and taken over by the user's store.
    """
    copy = Path(folder)
    if copy.is_symlink() or not copy.is_dir():
        raise GitFailed("copy_missing", folder)
    check_ref(ref)
    refuse_traps(copy)
    with private_room(
        runner, repository, commit=check_commit(base), keeps_objects=False
    ) as outside:
        room = outside.with_index(str(Path(outside.git_dir, "index"))).with_tree(folder)
        found = _changed_configuration(repository, outside, folder)
        reasons = [found] if found else []
        reasons += index_files(room, copy, base, tracked_in(runner, repository, outside, folder))
        tree = room.word("write-tree")
        if tree == room.word("rev-parse", "--verify", f"{base}^{{tree}}"):
            return Collected(head=None, held=first_with_others(reasons))
        head = write_commit(room, tree, base, message, at)
        changed = compare(room, base, head)
        reasons += _doubts(room, copy, base, head, changed)
        take_over(room, repository, base, head)
    keep(users_room(runner, repository), ref, head)
    return Collected(
        head=head, changes=tuple(change for _, change in changed), held=first_with_others(reasons)
    )


def first_with_others(reasons: list[Reason]) -> Mapping[str, object] | None:
    """The first reason, with the others behind it: a person must see them all."""
    distinct = [one for number, one in enumerate(reasons) if one not in reasons[:number]]
    if len(distinct) < 2:
        return distinct[0] if distinct else None
    return {**distinct[0], "also": distinct[1:]}


def _changed_configuration(repository: Repository, outside: Room, folder: str) -> Reason | None:
    """Of a linked one the whole of the user's is compared apart, by who saw it before the run."""
    if not is_linked(repository, folder):
        return changed_configuration(outside, Path(folder, ".git"))
    if is_as_linked(repository, folder):
        return None
    return {"code": CHANGED, "keys": [], "paths": [".git"]}


def index_files(room: Room, copy: Path, base: str, known: Tracked) -> list[Reason]:
    """Every file of the copy into the index of `room`; what is left out, with the reason.
    base: the commit that the copy began at, as far as the agent's git does not say more."""
    _seed(room, base, known)
    return _fill(room, copy)


def _seed(room: Room, base: str, known: Tracked) -> None:
    """Names only: an entry without stat data is read again from the copy."""
    begun = known.head or room.tell("ls-tree", "-r", "-z", "--full-tree", base)
    room.tell("update-index", "-z", "--index-info", feed=begun, seconds=LONG)
    staged = b"".join(line + b"\0" for line in _added(known.index))
    if staged:
        room.ask("update-index", "-z", "--index-info", feed=staged, seconds=LONG)


def _added(listed: bytes) -> Iterator[bytes]:
    """Entries of an index that are at stage 0."""
    return (line for line in listed.split(b"\0") if line.partition(b"\t")[0].endswith(b" 0"))


@dataclass(slots=True)
class _Sorted:
    """The paths of a copy by what is to be done with them."""

    take: list[bytes] = field(default_factory=list)
    remove: list[bytes] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)


def _fill(room: Room, copy: Path) -> list[Reason]:
    sorting = _sort(room, os.fsencode(copy))
    for words, paths in (
        (("--force-remove",), sorting.remove),
        (("--add", "--replace"), sorting.take),
    ):
        if paths:
            feed = _lines(paths)
            room.tell("update-index", "-z", *words, "--stdin", feed=feed, seconds=LONG)
    return sorting.reasons


def _lines(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _sort(room: Room, copy: bytes) -> _Sorted:
    sorting = _Sorted()
    links: dict[bytes, bool] = {}
    known = dict(_entries(room))
    for path in [*known, *_untracked(room)]:
        if path.endswith(b"/") or _worked_in_submodule(copy, path, known.get(path)):
            sorting.reasons.append({"code": "submodule", "path": shown(path.rstrip(b"/"))})
        elif known.get(path) == GITLINK and os.path.isdir(os.path.join(copy, path)):
            continue
        elif means_git(path) or _is_linked_gitmodules(copy, path):
            sorting.reasons.append({"code": "git_name", "path": shown(path)})
        elif _is_there(copy, path, links):
            sorting.take.append(path)
        else:
            sorting.remove.append(path)
    return sorting


def _entries(room: Room) -> Iterator[tuple[bytes, str]]:
    for line in room.tell("ls-files", "-z", "--stage").split(b"\0")[:-1]:
        header, _, path = line.partition(b"\t")
        yield path, header[:6].decode()


def _untracked(room: Room) -> list[bytes]:
    """Not ignored; a repository inside the copy shows as its folder with a slash."""
    answer = room.ask("ls-files", "-z", "--others", "--exclude-standard", seconds=LONG)
    if answer.code or "could not open directory" in answer.error:
        raise answer.failure("unreadable" if answer.code == 0 else "git_failed")
    return answer.out.split(b"\0")[:-1]


def _worked_in_submodule(copy: bytes, path: bytes, mode: str | None) -> bool:
    folder = os.path.join(copy, path)
    return mode == GITLINK and os.path.isdir(folder) and bool(os.listdir(folder))


def _is_linked_gitmodules(copy: bytes, path: bytes) -> bool:
    """git takes no such link, and would then take nothing at all."""
    name = os.path.basename(path).lower()
    return name == b".gitmodules" and os.path.islink(os.path.join(copy, path))


def _is_there(copy: bytes, path: bytes, links: dict[bytes, bool]) -> bool:
    """A file or a link that git can take; raises GitFailed when we may not look."""
    if _behind_link(copy, os.path.dirname(path), links):
        return False
    whole = os.path.join(copy, path)
    try:
        mode = os.lstat(whole).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as failed:
        raise GitFailed("unreadable", shown(path)) from failed
    if stat.S_ISREG(mode) and not os.access(whole, os.R_OK):
        raise GitFailed("unreadable", shown(path))
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _behind_link(copy: bytes, folder: bytes, links: dict[bytes, bool]) -> bool:
    if not folder:
        return False
    if folder not in links:
        links[folder] = _behind_link(copy, os.path.dirname(folder), links) or os.path.islink(
            os.path.join(copy, folder)
        )
    return links[folder]


def _doubts(
    room: Room, copy: Path, base: str, head: str, changed: list[tuple[bytes, Change]]
) -> Iterator[Reason]:
    """What a person must look at before it is delivered."""
    for path, change in changed:
        if GITLINK in (change.old_mode, change.new_mode):
            yield {"code": "submodule", "path": change.path}
        elif change.new_mode == SYMLINK and _leaves(os.fsencode(copy), path):
            yield {"code": "symlink_outside", "path": change.path}
    paths = [path for path, _ in changed]
    if found := list(marked(room, base, head)):
        yield {"code": "conflict_marks", "paths": found}
    for path, name in filtered(room, paths):
        yield {"code": "filter", "filter": name, "path": shown(path)}


def marked(room: Room, base: str, head: str) -> Iterator[str]:
    """Files that have got lines with which git begins or ends a conflict. Its line between the two
    is not enough: seven of those letters underline a heading as well."""
    checked = replace(room, config=room.config | {"core.whitespace": "-all", "core.quotepath": "0"})
    words = ("-r", "--no-ext-diff", "--no-textconv")
    answer = checked.ask("diff-tree", "--check", *words, base, head, "--")
    found = set()
    for line in answer.out.split(b"\n"):
        place, _, what = line.rpartition(b": ")
        if what.startswith(b"leftover conflict marker"):
            found.add(place.rpartition(b":")[0])
    if found:
        names = ("-z", "--name-only", "--no-renames", ENDS_OF_CONFLICT)
        for path in checked.tell("diff-tree", *names, *words, base, head, "--").split(b"\0"):
            if path and path.rpartition(b"\n")[2] in found:
                yield shown(path)


def _leaves(copy: bytes, path: bytes) -> bool:
    """Whether a link points out of the tree, or into a git directory."""
    target = b""
    with suppress(OSError):
        target = os.readlink(os.path.join(copy, path))
    inside = os.path.normpath(os.path.join(os.path.dirname(path), target))
    out = inside == b".." or inside.startswith((b"/", b"../"))
    return not target or out or means_git(inside)


def take_over(room: Room, repository: Repository, base: str, head: str) -> None:
    """No transport and no `fetch`: a pack of the new objects, checked as it is taken in."""
    wanted = f"{head}\n^{base}\n".encode()
    prefix = str(Path(room.git_dir, "taken"))
    name = room.word("pack-objects", "--revs", "-q", prefix, feed=wanted)
    store = replace(room, objects=object_store(repository), work_tree=None)
    with open(f"{prefix}-{name}.pack", "rb", buffering=0) as pack:
        count = int.from_bytes(pack.read(12)[8:12], "big")
        pack.seek(0)
        if count < FEW_OBJECTS:
            store.tell("unpack-objects", "-q", "--strict", feed=pack, seconds=LONG)
        else:
            store.tell("index-pack", "--strict", "--stdin", feed=pack, seconds=LONG)

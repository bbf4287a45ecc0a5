"""Working copies: shared clones in which an agent cannot reach the user's branches (C-100), or,
where a person chose it, linked working trees of the user's repository."""

import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import drop_ref, keep
from roundtable_desktop.adapters.git.linked import (
    add,
    administration,
    forget,
    is_linked,
    link,
    mend,
    refuse_locked,
)
from roundtable_desktop.adapters.git.names import HEADS, TAGS, check_branch, check_commit, digest
from roundtable_desktop.adapters.git.private import format_section, lay_out, section
from roundtable_desktop.adapters.git.room import LONG, Room, object_store, users_room
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import GitFailed, Repository

UNFINISHED = ".tmp-copy"
GOING = ".going-"
ORIGIN = "refs/remotes/origin"
NO_PUSH = "disabled://pushing-is-switched-off-in-this-copy"


def base_ref(folder: str) -> str:
    """Keeps the commit that a copy began with alive in the user's repository: the copy borrows
    its objects, and a `git gc` there does not know of copies. Also the sign that we made it."""
    return f"refs/roundtable/base/{digest(folder)}"


def began_at(runner: Runner, repository: Repository, folder: str) -> str | None:
    return users_room(runner, repository).commit(base_ref(folder))


def make_copy(
    runner: Runner,
    repository: Repository,
    folder: str,
    commit: str,
    refs: Mapping[str, str],
    *,
    linked: bool = False,
) -> None:
    """
    1. A copy that is there stays as it is: a retry goes on in it.
    2. Keep the commit by a ref, so that what the copy borrows is never pruned.
    3. Lay out the git directory and check out beside the final place, in a folder that nobody
       else has: a git that outlived a killed owner may still be filling an earlier one.
    4. Rename: a half copy is never taken for a whole one.
    5. Remove what earlier tries left, now that their git has had its time.
    """
    final, room = Path(folder), users_room(runner, repository)
    check_place(repository, final)
    if final.exists() and any(final.iterdir()):
        begun = room.commit(base_ref(folder))
        if begun is None and not is_linked(repository, folder):
            raise Invalid("folder_exists", "/folder")
        if begun is None:  # an agent there can take our refs away as well
            keep(room, base_ref(folder), check_commit(commit))
        return _mend(runner, repository, final, begun or commit, linked=linked)
    keep(room, base_ref(folder), check_commit(commit))
    final.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = Path(mkdtemp(prefix=final.name + UNFINISHED, dir=final.parent))
    if linked:
        os.rename(add(runner, repository, unfinished, folder, commit), final)
    else:
        _lay_out(room, repository, unfinished, commit, refs)
        _check_out(room, unfinished, commit)
        os.rename(unfinished, final)
    _drop_unfinished(final)


def _mend(runner: Runner, repository: Repository, final: Path, begun: str, *, linked: bool) -> None:
    """A clone of ours has all of its git with it; what a linked one has elsewhere may be gone."""
    if not linked or (final / ".git").is_dir():
        return
    beside = Path(mkdtemp(prefix=final.name + UNFINISHED, dir=final.parent))
    mend(runner, repository, str(final), begun, beside)
    _drop_unfinished(final)


def drop_copy(runner: Runner, repository: Repository, folder: str) -> None:
    """Removes a copy of ours with its ref; what is no copy of ours stays (S-68). It is out of the
    way in one step, so that a kill leaves no half copy that passes for a whole one."""
    room = users_room(runner, repository)
    if room.commit(base_ref(folder)) is None:
        return
    check_place(repository, Path(folder))
    refuse_locked(repository, folder)
    if Path(folder).exists():
        Path(folder).chmod(0o700)
        going = mkdtemp(prefix=Path(folder).name + GOING, dir=Path(folder).parent)
        os.rename(folder, os.path.join(going, "copy"))
    forget(administration(repository, folder))
    drop_ref(runner, repository, base_ref(folder))
    remove_going(str(Path(folder).parent))
    _drop_unfinished(Path(folder))


def take_along(
    runner: Runner, repository: Repository, was: str, folder: str, *, moved: bool
) -> None:
    """Of a copy that lay at `was`, in a home that now lies elsewhere: the sign that it is ours
    goes by the folder. moved: nothing lies there any more; else the other one needs its own, and
    a linked one begins a part of its own with its next run. May be repeated."""
    room = users_room(runner, repository)
    begun = room.commit(base_ref(was))
    if begun is None:
        return
    if room.commit(base_ref(folder)) is None:
        keep(room, base_ref(folder), begun)
    if moved:
        if is_linked(repository, was) and not is_linked(repository, folder):
            os.rename(administration(repository, was), administration(repository, folder))
        if is_linked(repository, folder):
            link(repository, folder, Path(folder))
        drop_ref(runner, repository, base_ref(was))


def size(folder: str) -> int:
    """Bytes of its files as they lie on the disk; what cannot be read counts nothing."""
    found = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.lstat(os.path.join(where, name)).st_blocks * 512
    return found


def remove_going(above: str) -> None:
    """What a kill left of copies that were being removed. Raises GitFailed."""
    for name in os.listdir(above) if os.path.isdir(above) else ():
        if GOING in name:
            _remove(Path(above, name))


def _drop_unfinished(final: Path) -> None:
    """What cannot be removed because somebody still writes there goes another time."""
    for name in os.listdir(final.parent) if final.parent.is_dir() else ():
        if name.startswith(final.name + UNFINISHED):
            with suppress(GitFailed):
                _remove(final.parent / name)


def _remove(folder: Path) -> None:
    """Read-only folders too, as some package caches make them. Raises GitFailed."""
    try:
        if not folder.exists():
            return
        open_up(folder)
        shutil.rmtree(folder)
    except OSError as failed:
        raise GitFailed("copy_not_removed", str(failed)) from failed


def open_up(folder: Path) -> None:
    """A folder and those in it, where an agent has closed them; no link is followed."""
    os.chmod(folder, stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
    for where, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(where, name)
            mode = os.lstat(inner).st_mode
            if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
                os.chmod(inner, stat.S_IMODE(mode) | stat.S_IRWXU)


def check_place(repository: Repository, folder: Path) -> None:
    """Raises Invalid: the folder's own name and its parents are what they seem (S-68)."""
    if not folder.is_absolute() or ".." in folder.parts or len(os.fsencode(folder.name)) > 200:
        raise Invalid("bad_folder", "/folder")
    if folder.is_symlink() or os.path.realpath(folder.parent) != str(folder.parent):
        raise Invalid("folder_symlinked", "/folder")
    if folder.exists() and not folder.is_dir():
        raise Invalid("folder_exists", "/folder")
    inside = (repository.path, repository.git_dir)
    if any(folder.is_relative_to(os.path.realpath(place)) for place in inside):
        raise Invalid("folder_inside_repository", "/folder")


def _lay_out(
    room: Room, repository: Repository, copy: Path, commit: str, refs: Mapping[str, str]
) -> None:
    git_dir = copy / ".git"
    lay_out(
        git_dir,
        config=configuration(room, repository, commit),
        head=commit,
        borrowed=[object_store(repository)],
        shallow=Path(repository.git_dir, "shallow"),
    )
    (git_dir / "packed-refs").write_text(packed_refs(refs), errors="surrogateescape")


def configuration(room: Room, repository: Repository, commit: str) -> str:
    """No key that runs a program: whatever does so later is the agent's (S-65)."""
    core = {key.removeprefix("core."): value for key, value in repository.settings.items()}
    parts = [format_section(commit), section("core", {"bare": "false", **core})]
    if repository.author_name and repository.author_email:
        who = {"name": repository.author_name, "email": repository.author_email}
        parts.append(section("user", who))
    if url := _origin(room, repository):
        fetch = "+refs/heads/*:refs/remotes/origin/*"
        origin = {"url": url, "pushurl": NO_PUSH, "fetch": fetch}
        parts.append(section('remote "origin"', origin))
    return "".join(parts)


def _origin(room: Room, repository: Repository) -> str:
    url = room.said.get("remote.origin.url", "")
    relative = url.startswith(("./", "../"))
    return os.path.normpath(os.path.join(repository.path, url)) if relative else url


def packed_refs(refs: Mapping[str, str], own: Mapping[str, str] | None = None) -> str:
    """Branches and tags as a clone shows them, as git's sorted `packed-refs`; own: of the copy."""
    cloned = {_as_cloned(ref): name for ref, name in refs.items() if _is_plain(ref)}
    lines = (f"{name} {ref}\n" for ref, name in sorted((cloned | dict(own or {})).items()))
    return "# pack-refs with: sorted \n" + "".join(lines)


def _as_cloned(ref: str) -> str:
    return f"{ORIGIN}/{ref.removeprefix(HEADS)}" if ref.startswith(HEADS) else ref


def _is_plain(ref: str) -> bool:
    """`refs/heads/-x` is legal to git, and an option to the next one who types it (S-66)."""
    try:
        check_branch(ref.removeprefix(HEADS).removeprefix(TAGS))
    except Invalid:
        return False
    return True


def _check_out(room: Room, copy: Path, commit: str) -> None:
    """With the copy's fresh configuration: no filter, driver or hook is named in it."""
    inside = Room(runner=room.runner, git_dir=str(copy / ".git"), work_tree=str(copy))
    inside.tell("read-tree", "--reset", "-u", commit, seconds=LONG)

"""Brings an agent's own copy from where a run left it to the commit that the next one begins at."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from roundtable_desktop.adapters.git.checkouts import BUSY
from roundtable_desktop.adapters.git.collection import index_files
from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.copies import (
    ORIGIN,
    base_ref,
    check_place,
    configuration,
    make_copy,
    open_up,
    packed_refs,
)
from roundtable_desktop.adapters.git.history import keep
from roundtable_desktop.adapters.git.linked import (
    administration,
    begin_at,
    is_linked,
    tracked_in,
)
from roundtable_desktop.adapters.git.names import HEADS, check_commit
from roundtable_desktop.adapters.git.private import alternate, private_room
from roundtable_desktop.adapters.git.replacing import take_away, write
from roundtable_desktop.adapters.git.room import LONG, Room, object_store, users_room
from roundtable_desktop.adapters.git.special import plain_bytes, refuse_traps
from roundtable_desktop.model.ports import GitFailed, Repository

FOLDERS = ("", "info", "objects", "objects/info", "refs", "refs/heads", "refs/remotes")
"""Of a git directory; where one is a link, a write would go elsewhere."""

REPOSITORY = ("objects/info", "refs/heads")
"""Without them git takes the copy for none, and looks for a repository above it."""

STEERING = (
    "hooks",
    "commondir",
    "config.worktree",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "refs/replace",
)
"""What an agent may have put there, and would bind the next run."""

PACKED = re.compile(r"^([0-9a-f]+) (refs/\S+)$", re.MULTILINE)


def move_copy(
    runner: Runner,
    repository: Repository,
    folder: str,
    commit: str,
    refs: Mapping[str, str],
    *,
    linked: bool = False,
) -> None:
    """
    1. A copy that is not there is made.
    2. An index of ours takes in every file of the copy; what git passes over (ignored files,
       repositories inside) is not in it, and stays.
    3. git moves files and index from there to the commit, in a git directory of our own: the
       copy's may say anything.
    4. The copy's git directory gets that index, the commit as its HEAD, the origin's branches as
       they are now, the end of its history and the configuration of a new copy. The agent's own
       branches stay. A linked one gets the first two; the rest is the user's.

    Killed on the way it is done again from the start: nothing of an agent is in there that the
    caller has not collected.
    """
    copy, users = Path(folder), users_room(runner, repository)
    check_place(repository, copy)
    begun = users.commit(base_ref(folder))
    if begun is None or not (copy.exists() and any(copy.iterdir())):
        return make_copy(runner, repository, folder, commit, refs, linked=linked)
    refuse_traps(copy)
    has_own = not is_linked(repository, folder)
    if has_own:
        _check_folders(copy / ".git")
    if has_own and (copy / ".git").is_dir():
        open_up(copy / ".git")
    with private_room(runner, repository, commit=check_commit(commit), keeps_objects=False) as ours:
        index = Path(ours.git_dir, "index")
        room = ours.with_index(str(index)).with_tree(folder)
        known = tracked_in(runner, repository, ours, folder)
        index_files(room, copy, begun, known)
        room.tell("read-tree", "--reset", "-u", commit, seconds=LONG)
        keep(users, base_ref(folder), commit)
        if has_own:
            _begin_at(users, repository, copy / ".git", commit, refs, index.read_bytes())
        else:
            _begin_linked(runner, repository, folder, commit, index.read_bytes())


def begin_head(runner: Runner, repository: Repository, folder: str, commit: str) -> None:
    """Another HEAD than the commit that a move of ours put the files at."""
    if is_linked(repository, folder):
        return begin_at(runner, repository, folder, commit)
    return write(Path(folder, ".git", "HEAD"), f"{commit}\n".encode())


def _begin_linked(
    runner: Runner, repository: Repository, folder: str, commit: str, index: bytes
) -> None:
    """What is the user's as well stays as it is, whatever the agent made of it."""
    place = administration(repository, folder)
    for path in (*(place / name for name in BUSY), *place.glob("*.lock")):
        take_away(path)
    begin_at(runner, repository, folder, commit)
    write(place / "index", index)


def _check_folders(git_dir: Path) -> None:
    for name in FOLDERS:
        place = git_dir / name
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise GitFailed("copy_damaged", f".git/{name}")


def _begin_at(
    users: Room,
    repository: Repository,
    git_dir: Path,
    commit: str,
    refs: Mapping[str, str],
    index: bytes,
) -> None:
    for name in (*STEERING, *BUSY, ORIGIN):
        take_away(git_dir / name)
    for lock in git_dir.glob("*.lock"):  # of a git that was killed; nobody holds it any more
        take_away(lock)
    borrowed = f"{alternate(object_store(repository))}\n"
    for name in REPOSITORY:
        (git_dir / name).mkdir(parents=True, exist_ok=True)
    write(git_dir / "objects/info/alternates", os.fsencode(borrowed))
    if (shallow := plain_bytes(Path(repository.git_dir, "shallow"))) is not None:
        write(git_dir / "shallow", shallow)
    else:
        take_away(git_dir / "shallow")
    write(git_dir / "config", os.fsencode(configuration(users, repository, commit)))
    write(git_dir / "packed-refs", os.fsencode(packed_refs(refs, _own_packed(git_dir))))
    write(git_dir / "index", index)
    write(git_dir / "HEAD", f"{commit}\n".encode())


def _own_packed(git_dir: Path) -> dict[str, str]:
    """Branches of the agent's that its git packed."""
    text = os.fsdecode(plain_bytes(git_dir / "packed-refs") or b"")
    return {ref: name for name, ref in PACKED.findall(text) if ref.startswith(HEADS)}

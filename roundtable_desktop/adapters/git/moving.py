"""Brings an agent's own copy from where a run left it to the commit that the next one begins at."""

import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

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
from roundtable_desktop.adapters.git.names import HEADS, check_commit
from roundtable_desktop.adapters.git.private import alternate, private_room
from roundtable_desktop.adapters.git.room import LONG, Room, object_store, users_room
from roundtable_desktop.adapters.git.traces import plain_bytes, refuse_traps
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
    runner: Runner, repository: Repository, folder: str, commit: str, refs: Mapping[str, str]
) -> None:
    """
    1. A copy that is not there is made.
    2. An index of ours takes in every file of the copy; what git passes over (ignored files,
       repositories inside) is not in it, and stays.
    3. git moves files and index from there to the commit, in a git directory of our own: the
       copy's may say anything.
    4. The copy's git directory gets that index, the commit as its HEAD, the origin's branches as
       they are now, the end of its history and the configuration of a new copy. The agent's own
       branches stay.

    Killed on the way it is done again from the start: nothing of an agent is in there that the
    caller has not collected.
    """
    copy, users = Path(folder), users_room(runner, repository)
    check_place(repository, copy)
    begun = users.commit(base_ref(folder))
    if begun is None or not (copy.exists() and any(copy.iterdir())):
        return make_copy(runner, repository, folder, commit, refs)
    refuse_traps(copy)
    _check_folders(copy / ".git")
    if (copy / ".git").is_dir():
        open_up(copy / ".git")
    with private_room(runner, repository, commit=check_commit(commit), keeps_objects=False) as ours:
        index = Path(ours.git_dir, "index")
        room = ours.with_index(str(index)).with_tree(folder)
        index_files(ours, room, copy, begun)
        room.tell("read-tree", "--reset", "-u", commit, seconds=LONG)
        keep(users, base_ref(folder), commit)
        _begin_at(users, repository, copy / ".git", commit, refs, index.read_bytes())


def begin_head(copy: Path, commit: str) -> None:
    """Another HEAD than the commit that a move of ours put the files at."""
    _write(copy / ".git" / "HEAD", f"{commit}\n".encode())


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
        _take_away(git_dir / name)
    for lock in git_dir.glob("*.lock"):  # of a git that was killed; nobody holds it any more
        _take_away(lock)
    borrowed = f"{alternate(object_store(repository))}\n"
    for name in REPOSITORY:
        (git_dir / name).mkdir(parents=True, exist_ok=True)
    _write(git_dir / "objects/info/alternates", os.fsencode(borrowed))
    if (shallow := plain_bytes(Path(repository.git_dir, "shallow"))) is not None:
        _write(git_dir / "shallow", shallow)
    else:
        _take_away(git_dir / "shallow")
    _write(git_dir / "config", os.fsencode(configuration(users, repository, commit)))
    _write(git_dir / "packed-refs", os.fsencode(packed_refs(refs, _own_packed(git_dir))))
    _write(git_dir / "index", index)
    _write(git_dir / "HEAD", f"{commit}\n".encode())


def _own_packed(git_dir: Path) -> dict[str, str]:
    """Branches of the agent's that its git packed."""
    text = os.fsdecode(plain_bytes(git_dir / "packed-refs") or b"")
    return {ref: name for name, ref in PACKED.findall(text) if ref.startswith(HEADS)}


def _write(path: Path, content: bytes) -> None:
    """A link that stands there is replaced, never followed."""
    beside = Path(mkdtemp(dir=path.parent))
    (beside / "new").write_bytes(content)
    if path.is_dir() and not path.is_symlink():
        _take_away(path)
    os.replace(beside / "new", path)
    beside.rmdir()


def _take_away(path: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

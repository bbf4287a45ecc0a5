"""Linked working trees: an agent there has the user's own refs, hooks and configuration (C-100)."""

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import keep
from roundtable_desktop.adapters.git.names import COMMIT, HEADS, by_hand, digest
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.replacing import write
from roundtable_desktop.adapters.git.room import LONG, Room, users_room
from roundtable_desktop.adapters.git.special import plain_bytes, refuse_worktrees
from roundtable_desktop.adapters.git.traces import Tracked, of_head, staged, tracked
from roundtable_desktop.model.ports import GitFailed, Repository

LEFT = "refs/roundtable/left/"
NAMED = "roundtable-"
_NAMED = re.compile(rf"{NAMED}[0-9a-f]{{32}}")
"""git calls one of the user's after its folder, which may begin like that."""
COMMON = b"../.."
PLAIN = {"worktree.userelativepaths": "false", "core.sparsecheckout": "false"}
"""Absolute paths, and every file: a path that the user's sparse checkout leaves out would look
like one that the agent removed."""


def administration(repository: Repository, folder: str) -> Path:
    """Its part of the user's git directory, by a name that comes from the folder: what `.git` in
    the folder says is never asked."""
    return Path(repository.git_dir, "worktrees", NAMED + digest(folder))


def is_linked(repository: Repository, folder: str) -> bool:
    place = administration(repository, folder)
    return not os.path.islink(place) and os.path.isdir(place)


def is_ours(git_dir: str) -> bool:
    """Whether that is the git directory of a working tree of ours."""
    place = Path(git_dir)
    return place.parent.name == "worktrees" and _NAMED.fullmatch(place.name) is not None


def add(runner: Runner, repository: Repository, unfinished: Path, folder: str, commit: str) -> Path:
    """A linked working tree below `unfinished` that is to be moved to `folder`, which is not there.

    Files and index come from a git directory of our own: what the user's attributes and filters
    would make of them, nobody could collect again.
    """
    begun = _administer(runner, repository, unfinished, folder, commit)
    index = _checked_out(runner, repository, begun, commit, update=True)
    write(administration(repository, folder) / "index", index)
    link(repository, folder, begun)
    begun.chmod(0o700)
    return begun


def mend(runner: Runner, repository: Repository, folder: str, commit: str, beside: Path) -> None:
    """Of a folder whose part in the user's git directory was pruned, or that was found again by
    another path. Its files stay as they are. beside: an empty folder for what git makes."""
    place = administration(repository, folder)
    if not _has_head(place):
        _administer(runner, repository, beside, folder, commit)
    if not os.path.lexists(place / "index"):
        index = _checked_out(runner, repository, Path(folder), commit, update=False)
        write(place / "index", index)
    link(repository, folder, Path(folder))


def _administer(
    runner: Runner, repository: Repository, beside: Path, folder: str, commit: str
) -> Path:
    place = administration(repository, folder)
    begun = beside / place.name
    room = users_room(runner, repository)
    refuse_worktrees(repository.git_dir)
    _keep_head(room, place)
    _part(repository, folder)
    forget(place)  # of a try that was broken off
    plain = replace(room, config=room.config | PLAIN)
    plain.tell("worktree", "add", "--detach", "--no-checkout", "--", str(begun), commit)
    if not is_linked(repository, folder):
        raise GitFailed("copy_damaged", str(place))
    (place / "info" / "sparse-checkout").unlink(missing_ok=True)
    return begun


def _part(repository: Repository, folder: str) -> None:
    """Folders that were there before and were put aside lead into this part of the git directory:
    with git in one of them a person would work in the index of the new one. The first takes that
    part along; the others lead to none."""
    place = administration(repository, folder)
    leads_here = b"gitdir: " + os.fsencode(place)
    beside = Path(folder).parent
    for other in sorted(beside.iterdir()) if beside.is_dir() else ():
        leads = (plain_bytes(other / ".git") or b"").strip() == leads_here
        if not leads or str(other) == folder or other.is_symlink():
            continue
        own = administration(repository, str(other))
        if is_linked(repository, folder) and not os.path.lexists(own):
            os.rename(place, own)
        if is_linked(repository, str(other)):
            link(repository, str(other), other)
        else:
            write(other / ".git", b"gitdir: " + os.fsencode(own) + b"\n")


def _keep_head(room: Room, place: Path) -> None:
    """What an agent committed there goes with its HEAD, if nothing else leads to it."""
    said = "" if os.path.islink(place) else os.fsdecode(plain_bytes(place / "HEAD") or b"").strip()
    head = room.commit(said) if COMMIT.fullmatch(said) else None
    if head is not None and not _is_reached(room, head):
        keep(room, f"{LEFT}{head}", head)


def _checked_out(
    runner: Runner, repository: Repository, folder: Path, commit: str, *, update: bool
) -> bytes:
    """The index of that commit; update: and its files."""
    with private_room(runner, repository, commit=commit, keeps_objects=False) as outside:
        index = Path(outside.git_dir, "index")
        room = outside.with_index(str(index)).with_tree(str(folder))
        room.tell("read-tree", "--reset", *(["-u"] if update else []), commit, seconds=LONG)
        return index.read_bytes()


def link(repository: Repository, folder: str, where: Path) -> None:
    """Folder and git directory lead to each other, whatever was made of that meanwhile. where:
    the folder as it lies now."""
    place = administration(repository, folder)
    write(place / "gitdir", os.fsencode(folder) + b"/.git\n")
    write(place / "commondir", COMMON + b"\n")
    write(where / ".git", b"gitdir: " + os.fsencode(place) + b"\n")


def is_as_linked(repository: Repository, folder: str) -> bool:
    """Whether folder and git directory still lead to each other."""
    place = administration(repository, folder)
    expected = {
        place / "gitdir": os.fsencode(folder) + b"/.git",
        place / "commondir": COMMON,
        Path(folder, ".git"): b"gitdir: " + os.fsencode(place),
    }
    return all((plain_bytes(path) or b"").strip() == said for path, said in expected.items())


def room_of(runner: Runner, repository: Repository, folder: str) -> Room | None:
    """The working tree as a git of ours may use it; None where it leads somewhere else."""
    place = administration(repository, folder)
    if not _has_head(place) or not is_as_linked(repository, folder):
        return None
    return users_room(runner, repository, git_dir=str(place), work_tree=folder)


def _has_head(place: Path) -> bool:
    """Without one git takes it for no repository, and looks for another one."""
    said = os.fsdecode((plain_bytes(place / "HEAD") or b"").strip())
    plausible = bool(COMMIT.fullmatch(said)) or said.startswith("ref: refs/")
    return plausible and not os.path.islink(place)


def tracked_in(runner: Runner, repository: Repository, outside: Room, folder: str) -> Tracked:
    """What the agent's own git knew of its files, in either kind of copy."""
    if not is_linked(repository, folder):
        return tracked(outside, Path(folder, ".git"))
    inside = room_of(runner, repository, folder)
    head = inside.commit("HEAD") if inside else None
    return Tracked(
        of_head(outside, head) if head else b"",
        staged(outside, administration(repository, folder)),
    )


def begin_at(runner: Runner, repository: Repository, folder: str, commit: str) -> None:
    """Another HEAD, on no branch: a branch that the agent made stays where it is."""
    place = administration(repository, folder)
    link(repository, folder, Path(folder))
    if not _has_head(place):
        write(place / "HEAD", f"{commit}\n".encode())
    inside = room_of(runner, repository, folder)
    if inside is None:
        raise GitFailed("copy_damaged", folder)
    inside.tell("update-ref", "--no-deref", "-m", "roundtable", "HEAD", commit)


def left_behind(runner: Runner, repository: Repository, folder: str) -> str | None:
    """The commit of its HEAD if no ref leads to it: it would go with the working tree."""
    inside = room_of(runner, repository, folder)
    head = inside.commit("HEAD") if inside else None
    if inside is None or head is None:
        return None
    return None if _is_reached(inside, head) else head


def _is_reached(room: Room, commit: str) -> bool:
    words = ("for-each-ref", "--format=%(refname)", "--contains", commit)
    return bool(room.word(*words, HEADS, "refs/tags/", "refs/remotes/", LEFT))


def refuse_locked(repository: Repository, folder: str) -> None:
    """Raises GitFailed(`copy_locked`): the user said that it is to stay."""
    place = administration(repository, folder)
    if is_linked(repository, folder) and os.path.lexists(place / "locked"):
        unlock = by_hand("-C", repository.path, "worktree", "unlock", folder)
        raise GitFailed("copy_locked", unlock)


def forget(place: Path) -> None:
    """Ours alone, and by its name: `git worktree prune` would take the user's along."""
    if os.path.islink(place) or not os.path.isdir(place):
        return
    try:
        shutil.rmtree(place)
    except OSError as failed:
        raise GitFailed("copy_not_removed", str(failed)) from failed

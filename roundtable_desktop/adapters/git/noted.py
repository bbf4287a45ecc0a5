"""What a user's repository was like before an agent went to work in a linked tree of it (C-100).

Files are read as a stranger's, refs by a git of ours with every program key pinned.
"""

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.linked import administration, is_ours
from roundtable_desktop.adapters.git.names import OURS
from roundtable_desktop.adapters.git.room import Room, users_room
from roundtable_desktop.adapters.git.special import plain_bytes
from roundtable_desktop.model.ports import Repository

NOTES = ".noted"
"""Beside the copy that the agent works in; whatever has a dot in its name is no copy."""
LASTING = tuple(f"{OURS}{kind}/" for kind in ("proposals", "left", "undo"))
"""Refs of ours that are written once and stay; the others come and go by ourselves."""
STASH = "refs/stash"
FILES = (
    *("config", "config.worktree", "shallow", "objects/info/alternates"),
    *("info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"),
)
FOLDERS = ("hooks", "info", "objects", "objects/info", "refs", "logs", "worktrees", "modules")
PASSED_OVER = {"objects", "logs", "refs"}
MOST_FILES, MOST_BYTES = 2000, 1 << 20
"""More files are not looked at, and a larger one is not kept for being put back."""
HEAD_BYTES = 4200
"""Longer than the name of any ref; what an agent may have written there is told, and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """refs: their commits, or `ref: …`. heads, logs: by the paths of git directories and of files.
    files: what each was like. keys: of the configuration that counts, with their values; configs:
    the files that say them. whole: git could read the repository."""

    refs: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str]
    logs: dict[str, int]
    stash: list[str]
    files: dict[str, str]
    keys: list[list[str]] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)
    whole: bool = True


def notes_of(folder: str) -> Path:
    copy = Path(folder)
    return copy.with_name(copy.name + NOTES)


def note(runner: Runner, repository: Repository, folder: str, run: str) -> None:
    """Once for a run, on the disk when it returns; done again it stays as it is."""
    final = notes_of(folder) / run
    if (final / "note.json").exists():
        return
    final.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = final.with_name(f"{run}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    found = look(runner, repository, folder)
    for number, path in enumerate(found.files):
        _keep(Path(path), unfinished / str(number))
    _write(unfinished / "note.json", json.dumps(asdict(found)).encode())
    os.rename(unfinished, final)
    _sync(final.parent)


def noted(folder: str, run: str) -> Note | None:
    try:
        return Note(**json.loads((notes_of(folder) / run / "note.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def kept(folder: str, run: str, before: Note, path: str) -> Path | None:
    """The file as it was then, where it could be kept."""
    if path not in before.files:
        return None
    saved = notes_of(folder) / run / str(list(before.files).index(path))
    return saved if saved.exists() else None


def forget_note(folder: str, run: str) -> None:
    shutil.rmtree(notes_of(folder) / run, ignore_errors=True)


def look(runner: Runner, repository: Repository, folder: str) -> Note:
    """As it is now. Raises GitFailed where git cannot read it."""
    room = users_room(runner, repository)
    keys, read = _configuration(room)
    refs = dict(_refs(room))
    seen = without_git(repository, folder, [*read, *_hooks_named(keys)])
    logs = {str(path): _size(path) for path in _logs(Path(repository.git_dir), refs)}
    seen = replace(seen, keys=keys, configs=[str(path) for path in read])
    return replace(seen, refs=refs, logs=seen.logs | logs, whole=True)


def without_git(repository: Repository, folder: str, more: Sequence[Path] = ()) -> Note:
    """What files alone tell. more: what the configuration includes, and its hooks."""
    common = Path(repository.git_dir)
    heads = dict(_heads(common))
    watched = sorted(set(_watched(common, administration(repository, folder), more)))
    return Note(
        heads=heads,
        logs={f"{place}/logs/HEAD": _size(Path(place, "logs/HEAD")) for place in heads},
        stash=_stashed(common),
        files={str(path): said for path in watched[:MOST_FILES] if (said := state(path))},
        whole=False,
    )


def state(path: Path) -> str:
    """ "" for what is not there. Whether a file may be run counts: git asks for that."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return f"link {os.readlink(path)}"
    except OSError:
        return ""
    taken = plain_bytes(path)
    if taken is None:
        return "special"
    return f"{mode & 0o111:o} {hashlib.sha256(taken).hexdigest()}"


def _watched(common: Path, ours: Path, more: Sequence[Path]) -> Iterator[Path]:
    yield from (common / name for name in FILES)
    yield from (common / name for name in FOLDERS if os.path.islink(common / name))
    yield from _inside(common / "hooks")
    yield ours / "config.worktree"
    for other in _folders(common / "worktrees"):
        if not is_ours(str(other)):
            yield from (other / name for name in ("config.worktree", "gitdir", "commondir"))
    for where, folders, names in os.walk(common / "modules"):
        folders[:] = [name for name in folders if name not in PASSED_OVER]
        if "config" in names:
            yield Path(where, "config")
        if os.path.basename(where) == "hooks":
            yield from (Path(where, name) for name in names if not name.endswith(".sample"))
    for path in more:
        yield from _inside(path) if os.path.isdir(path) else [path]


def _inside(folder: Path) -> list[Path]:
    return [path for path in _entries(folder) if not path.name.endswith(".sample")]


def _folders(above: Path) -> list[Path]:
    return [one for one in _entries(above) if os.path.isdir(one)]


def _entries(folder: Path) -> list[Path]:
    """None of one that is not there, or that somebody has closed: then they have gone."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _heads(common: Path) -> Iterator[tuple[str, str]]:
    """Of every checkout but ours."""
    for place in (common, *_folders(common / "worktrees")):
        if not is_ours(str(place)):
            named = (plain_bytes(place / "HEAD") or b"")[:HEAD_BYTES]
            yield str(place), os.fsdecode(named).strip()


def _stashed(common: Path) -> list[str]:
    """The oldest first."""
    taken = os.fsdecode(plain_bytes(common / "logs" / STASH) or b"")
    return [line.split(" ")[1] for line in taken.splitlines() if line.count(" ") > 1]


def _refs(room: Room) -> Iterator[tuple[str, str]]:
    listed = room.word("for-each-ref", "--format=%(objectname) %(symref) %(refname)")
    for line in listed.split("\n") if listed else ():
        commit, symbolic, ref = line.split(" ", 2)
        if not ref.startswith(OURS) or ref.startswith(LASTING):
            yield ref, f"ref: {symbolic}" if symbolic else commit


def _logs(common: Path, refs: dict[str, str]) -> Iterator[Path]:
    yield from (common / "logs" / ref for ref in refs if not ref.startswith(OURS))


def _size(path: Path) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _configuration(room: Room) -> tuple[list[list[str]], list[Path]]:
    """What files say, with what they include, and which files these are."""
    words = room.tell("config", "--list", "--includes", "--show-origin", "-z").split(b"\0")[:-1]
    keys, files = [], dict[Path, None]()
    for origin, said in zip(words[::2], words[1::2], strict=True):
        if origin.startswith(b"file:"):
            key, _, value = said.decode(errors="replace").partition("\n")
            keys.append([key, value])
            files[Path(room.work_tree or room.git_dir, os.fsdecode(origin[5:]))] = None
    return keys, list(files)


def _hooks_named(keys: list[list[str]]) -> list[Path]:
    """Where the user keeps hooks outside of git's own folder."""
    named = [Path(value) for key, value in keys if key == "core.hookspath"]
    return [path for path in named if path.is_absolute()]


def _keep(path: Path, at: Path) -> None:
    """With its mode, so that `cp -p` puts it back."""
    taken = plain_bytes(path)
    if taken is not None and len(taken) <= MOST_BYTES:
        _write(at, taken)
        at.chmod(stat.S_IMODE(path.stat().st_mode))


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o600)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

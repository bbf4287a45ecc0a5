"""What a user's repository was like before an agent went to work in a linked tree of it (C-100).

Files are read as a stranger's, refs by a git of ours with every program key pinned.
"""

import hashlib
import json
import os
import pwd
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.linked import administration, is_ours
from roundtable_desktop.adapters.git.names import OURS
from roundtable_desktop.adapters.git.room import Room, users_room
from roundtable_desktop.adapters.git.special import plain_bytes
from roundtable_desktop.model.ports import SPECIAL, Repository

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
PACKED = "packed-refs"
"""Kept for the case that it is none any more: what it says is compared as refs."""
MOST_FILES, MOST_BYTES = 2000, 1 << 20
"""More files are not looked at; a larger one is not read, and not kept for being put back."""
ALL_BYTES = 32 << 20
"""So many are read at one look; of files beyond, time, size and number on the disk tell."""
HEAD_BYTES = 4200
"""Longer than the name of any ref; what an agent may have written there is told, and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """refs: their commits, or `ref: …`. heads, logs: by the paths of git directories and of files.
    files: what each was like; facts: by what the disk knows of it, so that it is read again only
    where that changed. keys: of the configuration that counts, with their values; configs: the
    files that say them. whole: git could read the repository."""

    refs: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str]
    logs: dict[str, int]
    stash: list[str]
    files: dict[str, str]
    facts: dict[str, str] = field(default_factory=dict)
    keys: list[list[str]] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)
    whole: bool = True


def notes_of(folder: str) -> Path:
    copy = Path(folder)
    return copy.with_name(copy.name + NOTES)


def note(runner: Runner, repository: Repository, folder: str, run: str, home: Path) -> None:
    """Once for a run, on the disk when it returns; done again it stays as it is. home: the user's,
    which their configuration may name as `~`."""
    final = notes_of(folder) / run
    if (final / "note.json").exists():
        return
    final.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = final.with_name(f"{run}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    found = look(runner, repository, folder, home)
    left = ALL_BYTES
    for number, path in enumerate(found.files):
        left -= _keep(Path(path), unfinished / str(number), min(left, MOST_BYTES))
    _keep(Path(repository.git_dir, PACKED), unfinished / PACKED, ALL_BYTES)
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
    name = PACKED if os.path.basename(path) == PACKED else ""
    if path in before.files:
        name = str(list(before.files).index(path))
    saved = notes_of(folder) / run / name
    return saved if name and saved.exists() else None


def forget_note(folder: str, run: str) -> None:
    shutil.rmtree(notes_of(folder) / run, ignore_errors=True)


def left_in(above: str) -> list[tuple[str, str]]:
    """Folder and run of each note whose copy is not there any more. What is empty goes: not where
    a run may be about to write its own."""
    found = []
    for notes in Path(above).glob(f"*{NOTES}"):
        folder = notes.with_name(notes.name.removesuffix(NOTES))
        if not os.path.lexists(folder):
            found += [(str(folder), run.name) for run in _entries(notes)]
            with suppress(OSError):
                notes.rmdir()
    return found


def look(
    runner: Runner, repository: Repository, folder: str, home: Path, before: Note | None = None
) -> Note:
    """As it is now. before: what has not changed since is not read again. Raises GitFailed where
    git cannot read it."""
    room = users_room(runner, repository)
    keys, read = _configuration(room)
    refs = dict(_refs(room))
    seen = without_git(repository, folder, [*read, *_hooks_named(keys, home)], before)
    logs = {str(path): _size(path) for path in _logs(Path(repository.git_dir), refs)}
    seen = replace(seen, keys=keys, configs=[str(path) for path in read])
    return replace(seen, refs=refs, logs=seen.logs | logs, whole=True)


def without_git(
    repository: Repository,
    folder: str,
    more: Sequence[Path] = (),
    before: Note | None = None,
) -> Note:
    """What files alone tell. more: what the configuration includes, and its hooks."""
    common = Path(repository.git_dir)
    heads = dict(_heads(common))
    watched = _watched(common, administration(repository, folder), more)
    reading = _Reading(before)
    named = islice(dict.fromkeys(watched), MOST_FILES)
    files = {str(path): said for path in named if (said := reading.state(path))}
    return Note(
        heads=heads,
        logs={f"{place}/logs/HEAD": _size(Path(place, "logs/HEAD")) for place in heads},
        stash=_stashed(common),
        files=files,
        facts=reading.facts,
        whole=False,
    )


def state(path: Path, before: Note) -> str:
    """ "" for what is not there."""
    return _Reading(before).state(path)


class _Reading:
    """What files are like, with a bound for what is read of them. A file's facts cannot be put back
    by whoever writes it: the system alone sets the time of its last change."""

    def __init__(self, before: Note | None) -> None:
        self.facts: dict[str, str] = {}
        self._before = before
        self._left = ALL_BYTES

    def state(self, path: Path) -> str:
        """Whether a file may be run counts: git asks for that."""
        try:
            known = os.lstat(path)
            if stat.S_ISLNK(known.st_mode):
                return f"link {os.readlink(path)}"
        except OSError:
            return ""
        if not stat.S_ISREG(known.st_mode):
            return SPECIAL
        facts = f"{known.st_size} {known.st_mtime_ns} {known.st_ctime_ns} {known.st_ino}"
        self.facts[str(path)] = facts
        if self._before is not None and self._before.facts.get(str(path)) == facts:
            return self._before.files[str(path)]
        kind = f"{known.st_mode & 0o111:o}"
        if known.st_size > min(self._left, MOST_BYTES):
            return f"{kind} unread {facts}"
        self._left -= known.st_size
        taken = plain_bytes(path)
        return SPECIAL if taken is None else f"{kind} {hashlib.sha256(taken).hexdigest()}"


def _watched(common: Path, ours: Path, more: Sequence[Path]) -> Iterator[Path]:
    yield from (common / name for name in FILES)
    yield from _links(common)
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


def _links(common: Path) -> Iterator[Path]:
    """Where a link stands for a part of the git directory: whoever owns what it leads to has refs
    and objects in hand."""
    yield from (common / name for name in FOLDERS if os.path.islink(common / name))
    for name in ("objects", "worktrees", "modules"):
        yield from (one for one in _entries(common / name) if os.path.islink(one))
    for name in ("refs", "logs"):
        for where, folders, names in os.walk(common / name):
            inside = (Path(where, one) for one in sorted([*folders, *names]))
            yield from (one for one in inside if os.path.islink(one))


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


def _hooks_named(keys: list[list[str]], home: Path) -> list[Path]:
    """Where the user keeps hooks outside of git's own folder."""
    named = [_at_home(value, home) for key, value in keys if key == "core.hookspath"]
    return [path for path in named if path.is_absolute()]


def _at_home(value: str, home: Path) -> Path:
    """As git reads `~/hooks` and `~name/hooks`."""
    first, _, rest = value.partition("/")
    if not first.startswith("~"):
        return Path(value)
    try:
        return Path(pwd.getpwnam(first[1:]).pw_dir if first[1:] else home, rest)
    except KeyError:
        return Path(value)


def _keep(path: Path, at: Path, most: int) -> int:
    """With its mode, so that `cp -p` puts it back. How many bytes: none of a file with more."""
    if _size(path) > most or (taken := plain_bytes(path)) is None or len(taken) > most:
        return 0
    _write(at, taken)
    at.chmod(stat.S_IMODE(path.stat().st_mode))
    return len(taken)


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

"""What is no plain file where git expects one: whoever opens a pipe, a socket or a device there may
wait for ever, and a folder or a link in a circle stops git. Nothing here opens one."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from roundtable_desktop.adapters.git.names import COMMIT, HEADS, in_line, pasted
from roundtable_desktop.model.ports import SPECIAL, GitFailed

READ_BYTES = 64 * 1024 * 1024  # an index of half a million files
STEERING = frozenset({".gitignore", ".gitattributes", ".gitmodules"})  # read by git as it walks
FILES = (
    *("HEAD", "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs"),
    *("shallow", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "FETCH_HEAD"),
    *("info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"),
)
"""Of a git directory; others there, such as the socket of git's own watcher, stop nobody."""
VITAL = frozenset({"HEAD", "config", "config.worktree", "commondir", "index", "packed-refs"})
"""Of these, what git cannot do without: it stops where one is a folder, or a link in a circle."""
FOLDERS = ("refs", "logs", "reftable", "objects/info", "objects/pack")
SHARED_INDEX = "sharedindex."
SWITCHED = "\tcheckout: moving from "
"""In the log of a HEAD."""
MOST = 100_000
"""Entries that one look goes through; behind them git's own time limit is left."""


def plain_bytes(path: Path, *, through_links: bool = False) -> bytes | None:
    """A regular file's bytes; None for a link, a pipe, a device, or one beyond all sense."""
    links = 0 if through_links else os.O_NOFOLLOW
    try:
        descriptor = os.open(path, os.O_RDONLY | links | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > READ_BYTES:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(READ_BYTES)
    finally:
        os.close(descriptor)


def is_special(path: str | Path) -> bool:
    """Through links, as git opens it. `/dev/null` answers at once, and people link to it."""
    try:
        facts = os.stat(path)
        if stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode):
            return False
        return not stat.S_ISCHR(facts.st_mode) or facts.st_rdev != os.stat(os.devnull).st_rdev
    except (OSError, ValueError):
        return False


def is_in_the_way(path: str | Path) -> bool:
    """Where git must read a file: also a folder, or a link that comes back to itself."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode) or is_special(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    except ValueError:
        return False


def refuse(git_dir: str | Path, work_tree: str | Path | None = None) -> None:
    """Raises GitFailed(`special_file`): its text is the path in one line, its command what mends
    it. work_tree: of that git directory, where there is one."""
    _raise_first(specials(git_dir), git_dir, work_tree)


def refuse_among(paths: Iterable[Path]) -> None:
    _raise_first(path for path in paths if is_special(path))


def refuse_closely(git_dirs: Iterable[str | Path], work_tree: str | Path | None) -> None:
    """All that git may come to in there, loose objects and a whole working tree too: for one that
    has not answered for a while. work_tree: of the first."""
    for number, git_dir in enumerate(dict.fromkeys(map(str, git_dirs))):
        refuse(git_dir, None if number else work_tree)
        _raise_first(_walked(Path(git_dir, "objects")))
    if work_tree is not None:
        refuse_traps(Path(work_tree))


def refuse_objects(objects: str | Path) -> None:
    """Of a git that reads these alone."""
    _raise_first(path for part in ("info", "pack") for path in _walked(Path(objects, part)))


def refuse_worktrees(common: str | Path) -> None:
    """What git reads of every working tree to list them."""
    names = ("HEAD", "commondir", "gitdir", "locked", "config.worktree")
    for place in _entries(Path(common, "worktrees")):
        refuse_among(place / name for name in names)


def refuse_above(path: str | Path) -> None:
    """Where git would find a repository by itself: in a folder, or in one above it."""
    here = Path(os.path.realpath(path))
    for folder in (here, *here.parents):
        if os.path.lexists(folder / ".git"):
            git_dir = folder / (_named(folder / ".git") or ".git")
            for place in (git_dir, common_of(git_dir)):
                refuse(place, folder)
            return
        refuse_among(folder / name for name in ("HEAD", "commondir"))  # is it one by itself?


def common_of(git_dir: str | Path) -> Path:
    """The git directory that a linked one shares; any other one itself."""
    return Path(os.path.normpath(os.path.join(git_dir, _named(Path(git_dir, "commondir")))))


def _named(file: Path) -> str:
    """The path that such a file says, as git takes it: to its line end, or to a NUL in it."""
    said = (plain_bytes(file) or b"").removeprefix(b"gitdir: ")
    return os.fsdecode(said.partition(b"\0")[0].rstrip(b"\r\n"))


def specials(git_dir: str | Path) -> Iterator[Path]:
    """In git's own places of a git directory."""
    place = Path(git_dir)
    if not place.is_dir() and is_in_the_way(place):
        yield place
    for name in FILES:
        wrong = is_in_the_way if name in VITAL else is_special
        if wrong(place / name):
            yield place / name
    shared = (one for one in _entries(place) if one.name.startswith(SHARED_INDEX))
    yield from filter(is_special, shared)
    for name in FOLDERS:
        yield from _walked(place / name)


def _raise_first(
    found: Iterable[Path], git_dir: str | Path | None = None, work_tree: str | Path | None = None
) -> None:
    path = next(iter(found), None)
    if path is not None:
        command = mending(path, git_dir, work_tree)
        raise GitFailed(SPECIAL, in_line(os.fsencode(path)), command)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _walked(top: Path) -> Iterator[Path]:
    """Special ones below it. A folder behind a link is looked at as well, each once."""
    waiting, linked, left = [os.fspath(top)], {os.path.realpath(top)}, MOST
    if is_special(top):
        yield top
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_file(follow_symlinks=False):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_dir() and (real := os.path.realpath(entry.path)) not in linked:
                        linked.add(real)
                        waiting.append(entry.path)
                    elif is_special(entry.path):
                        yield Path(entry.path)
        except OSError:
            continue


def refuse_traps(folder: Path) -> None:
    """Raises GitFailed(`special_file`): what git opens while it walks must not block it."""
    for path in odd(folder):
        steering = path.name in STEERING
        if steering or (path.name == ".git" and path.parent != folder and _blocks(path)):
            _raise_first([path])


def odd(folder: Path) -> Iterator[Path]:
    """What is neither file, folder nor link, and every `.git`, which is not entered."""
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name == ".git":
                        yield Path(entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                        yield Path(entry.path)
        except OSError:
            continue


def _blocks(nested: Path) -> bool:
    """git asks of every `.git` whether it is a repository, and reads these two for that."""
    named = _named(nested)
    git_dir = nested.parent / named if named else nested
    return any(is_special(git_dir / name) for name in ("HEAD", "commondir"))


def mending(
    path: Path, git_dir: str | Path | None = None, work_tree: str | Path | None = None
) -> str:
    """What a person pastes. There are no bytes in such a file, a folder is put aside; what stood
    there before is put back as far as git's own logs tell it."""
    remove = removal(path)
    name = str(path.relative_to(git_dir)) if git_dir is not None else ""
    if name == "index" and work_tree is not None:
        words = ("git", f"--git-dir={git_dir}", f"--work-tree={work_tree}", "reset", "-q")
        return f"{remove} && {pasted(*words)}"
    said = _as_logged(Path(git_dir or ""), name)
    return f"{remove} && {written(path, said)}" if said else remove


def removal(path: Path) -> str:
    """A folder is put aside: somebody may have something in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        return pasted("mv", "--", str(path), f"{path}.aside")
    return pasted("rm", "-f", "--", str(path))


def written(path: Path, said: str) -> str:
    """The command that writes a ref or a HEAD, without git, which may be blocked still."""
    line = pasted("printf", "%s\\n", said)
    return f"{line} > {pasted(str(path))}"


def _as_logged(git_dir: Path, name: str) -> str | None:
    """Of a HEAD or a ref."""
    if name != "HEAD" and not name.startswith("refs/"):
        return None
    lines = _log(git_dir / "logs" / name)
    if name == "HEAD" and lines and (branch := _branch(common_of(git_dir), lines)):
        return f"ref: {HEADS}{branch}"
    words = lines[-1].split(" ") if lines else []
    return words[1] if len(words) > 1 and COMMIT.fullmatch(words[1]) else None


def _log(path: Path) -> list[str]:
    return os.fsdecode(plain_bytes(path) or b"").splitlines()


def _branch(common: Path, lines: list[str]) -> str | None:
    """The last that HEAD was switched to; or, where it never was, the one with the same end."""
    logs = common / "logs" / HEADS
    if switched := [line.partition(SWITCHED)[2] for line in lines if SWITCHED in line]:
        branch = switched[-1].partition(" to ")[2]
        return branch if _log(logs / branch) else None
    for where, _, names in os.walk(logs):
        for path in (Path(where, name) for name in sorted(names)):
            if _log(path)[-1:] == lines[-1:]:
                return str(path.relative_to(logs))
    return None

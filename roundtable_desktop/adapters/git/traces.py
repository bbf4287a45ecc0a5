"""What an agent did to the git directory of its copy, read as a stranger's files (S-65).

Nothing here runs git inside that directory: it may hold any configuration, and may be no
directory at all.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.adapters.git.names import COMMIT, shown
from roundtable_desktop.adapters.git.private import alternate
from roundtable_desktop.adapters.git.programs import runs_a_program
from roundtable_desktop.adapters.git.room import Room
from roundtable_desktop.adapters.git.special import SHARED_INDEX, odd, plain_bytes

CHANGED = "repository_configuration_changed"
CONFIGS = ("config", "config.worktree")
LINK, HASHES, MOST_LINKS = b"link", (20, 32), 1000
"""What begins that extension, with four bytes for its size; the lengths of what follows them; and
how many of these words are looked at, for names of folders may hold them too."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """What the agent's own git knew: lines for `update-index --index-info`, empty for nothing."""

    head: bytes
    index: bytes


def tracked(room: Room, git_dir: Path) -> Tracked:
    """Of the agent's HEAD and index, as far as they can be read.

    room: private, with the user's objects; the agent's are lent to it for the reading only,
    since whoever owns a pack can put wrong bytes under a right name.
    """
    head, lent = _head(git_dir), reader(room, git_dir)
    if head is None or lent is None:
        return Tracked(b"", b"")
    return Tracked(of_head(lent, head), staged(room, git_dir))


def of_head(room: Room, head: str) -> bytes:
    """Entries of a commit; none when it cannot be read."""
    listed = room.ask("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", head)
    return listed.out if listed.code == 0 else b""


def reader(room: Room, git_dir: Path) -> Room | None:
    """`room` with the agent's objects beside the user's; None where they cannot be walked."""
    objects = git_dir / "objects"
    if git_dir.is_symlink() or any(odd(objects)):
        return None
    lent = Path(room.git_dir, "lent")
    (lent / "info").mkdir(parents=True, exist_ok=True)
    users = Path(room.git_dir, "objects/info/alternates").read_bytes()
    (lent / "info/alternates").write_bytes(os.fsencode(alternate(str(objects))) + b"\n" + users)
    return room.with_objects(str(lent))


def staged(room: Room, git_dir: Path) -> bytes:
    """Entries of the agent's index, read from bytes of ours."""
    taken = plain_bytes(git_dir / "index")
    if taken is None:
        return b""
    index = Path(room.git_dir, "agents-index")
    index.write_bytes(taken)
    _share(room, git_dir, taken)
    answer = room.with_index(str(index)).ask("ls-files", "-z", "--stage")
    return answer.out if answer.code == 0 else b""


def _share(room: Room, git_dir: Path, index: bytes) -> None:
    """A split index names the file that it is a part of in an extension behind its entries
    (core.splitIndex); other such files are older, or are there to be copied."""
    at = index.rfind(LINK)
    for _ in range(MOST_LINKS):
        if at < 0:
            return
        for size in HASHES:
            name = SHARED_INDEX + index[at + 8 : at + 8 + size].hex()
            if (shared := plain_bytes(git_dir / name)) is not None:
                Path(room.git_dir, name).write_bytes(shared)
                return
        at = index.rfind(LINK, 0, at)


def _head(git_dir: Path) -> str | None:
    """The commit of HEAD, by way of a branch if need be."""
    word = (plain_bytes(git_dir / "HEAD") or b"").decode(errors="replace").strip()
    if not word.startswith("ref: "):
        return word if COMMIT.fullmatch(word) else None
    ref = word.removeprefix("ref: ").strip()
    if not ref.startswith("refs/") or ".." in ref or "\0" in ref:
        return None
    loose = (plain_bytes(git_dir / ref) or b"").decode(errors="replace").strip()
    return loose if COMMIT.fullmatch(loose) else _packed(git_dir, ref)


def _packed(git_dir: Path, ref: str) -> str | None:
    packed = (plain_bytes(git_dir / "packed-refs") or b"").decode(errors="replace")
    found = re.search(rf"^([0-9a-f]+) {re.escape(ref)}$", packed, re.MULTILINE)
    return found[1] if found and COMMIT.fullmatch(found[1]) else None


def changed_configuration(room: Room, git_dir: Path) -> dict[str, object] | None:
    """What would run a program in the copy now: make_copy wrote no such key and no hook."""
    paths = sorted(_changed_paths(git_dir))
    keys = sorted({key for name in CONFIGS for key in _keys(room, git_dir / name)})
    keys = [key for key in keys if runs_a_program(key)]
    if not paths and not keys:
        return None
    return {"code": CHANGED, "keys": keys, "paths": paths}


def _changed_paths(git_dir: Path) -> Iterator[str]:
    if git_dir.is_symlink() or not git_dir.is_dir():
        yield ".git"
        return
    if plain_bytes(git_dir / "config") is None:
        yield ".git/config"
    if os.path.lexists(git_dir / "commondir"):
        yield ".git/commondir"
    hooks = git_dir / "hooks"
    if hooks.is_symlink():
        yield ".git/hooks"
    elif hooks.is_dir():
        for hook in hooks.iterdir():
            if not hook.name.endswith(".sample"):
                yield shown(b".git/hooks/" + os.fsencode(hook.name))


def _keys(room: Room, path: Path) -> list[str]:
    """Names in a configuration file; what it includes shows as the key that includes it."""
    taken = plain_bytes(path)
    if not taken:
        return []
    answer = room.ask("config", "--file", "-", "--list", "-z", "--name-only", feed=taken)
    if answer.code:
        return ["include.path"]  # git cannot read it: nobody knows what it would do
    return [word.decode(errors="replace") for word in answer.out.split(b"\0") if word]

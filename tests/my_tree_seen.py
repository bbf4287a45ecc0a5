"""What is the user's in a repository: every file, folder, index entry, ref, log and git's own."""

import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

OURS = "refs/roundtable/"
MAIN = "refs/heads/main"
KEPT = (f"{OURS}proposals/", f"{OURS}left/")
PASSING = ("objects", "refs", "logs", "packed-refs", "HEAD", "index", "ORIG_HEAD", "worktrees")
"""In a git directory: what is looked at by its meaning instead of its bytes."""
SIGN = "roundtable-delivery-"


class File(NamedTuple):
    """Its mode and its bytes, of a link where it leads to; and what shows that it was replaced."""

    mode: int
    content: bytes
    stamp: tuple[int, int]

    @property
    def plain(self) -> tuple[int, bytes]:
        return self.mode, self.content

    @property
    def kind(self) -> str:
        """As git calls it."""
        if stat.S_ISLNK(self.mode):
            return "120000"
        return "100755" if self.mode & stat.S_IXUSR else "100644"


@dataclass(frozen=True)
class Tree:
    """One working tree; `head` is a ref, or a commit when it is detached."""

    files: dict[str, File]
    folders: frozenset[str]
    index: dict[str, str]
    head: str
    begun: bool
    """A delivery's sign lies there."""


@dataclass(frozen=True)
class Seen:
    """All that is the user's at one moment."""

    trees: dict[str, Tree]
    refs: dict[str, str]
    logs: dict[str, bytes]
    own: dict[str, File] = field(repr=False)
    objects: frozenset[str] = field(repr=False)


class Repository:
    """Of a user, played by plain git and seen by reading its files.

    git_dir: of one that is bare, with `repo` as its only working tree.
    """

    def __init__(self, repo: Path, home: Path, git_dir: Path | None = None) -> None:
        self.repo, self.git_dir, self._user = repo, git_dir or repo / ".git", home
        self._is_bare = git_dir is not None
        self.kept: dict[str, str] = {}
        self._indexes: dict[str, tuple[bytes, dict[str, str]]] = {}

    def git(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        """By the user's hand."""
        settings = {
            "init.defaultBranch": "main",
            "user.name": "J",
            "user.email": "j@example.org",
            "core.editor": "true",
            "gc.auto": "0",
        }
        done = subprocess.run(
            [
                "git",
                *(part for pair in settings.items() for part in ("-c", "=".join(pair))),
                *words,
            ],
            cwd=cwd or self.repo,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self._user),
                "LC_ALL": "C.UTF-8",
                "BY_USER": "1",
            },
            capture_output=True,
            timeout=60,
        )
        assert not check or done.returncode == 0, (words, done.stderr)
        return done.stdout.decode(errors="surrogateescape")

    def trees(self) -> list[Path]:
        return [tree for tree, _ in self._places()]

    def _places(self) -> list[tuple[Path, Path]]:
        """Each working tree that is there, with the git directory that is its own."""
        found = [] if self._is_bare else [(self.repo, self.git_dir)]
        for pointer in sorted(self.git_dir.glob("worktrees/*/gitdir")):
            tree = Path(pointer.read_text().strip()).parent
            if tree.is_dir():
                found.append((tree, pointer.parent))
        return found

    def seen(self) -> Seen:
        refs = self._refs()
        for ref, commit in refs.items():
            if ref.startswith(KEPT):
                self.kept.setdefault(ref, commit)
        assert self.kept.items() <= refs.items(), "what an agent made is still there"
        places = self._places()
        return Seen(
            {str(tree): self._tree(tree, git_dir) for tree, git_dir in places},
            {ref: commit for ref, commit in refs.items() if not ref.startswith(OURS)},
            {ref: text for ref, text in self._logs(places) if OURS not in ref},
            dict(self._own(places)),
            frozenset(self._objects()),
        )

    def _refs(self) -> dict[str, str]:
        found = {}
        packed = self.git_dir / "packed-refs"
        for line in packed.read_text().splitlines() if packed.exists() else ():
            commit, _, ref = line.partition(" ")
            if ref.startswith("refs/"):
                found[ref] = commit
        for path in _below(self.git_dir / "refs"):
            if path.suffix != ".lock":
                found[str(path.relative_to(self.git_dir))] = path.read_text().strip()
        return found

    def _logs(self, places: list[tuple[Path, Path]]) -> Iterator[tuple[str, bytes]]:
        for _, git_dir in places:
            for path in _below(git_dir / "logs"):
                yield str(path.relative_to(self.git_dir)), path.read_bytes()

    def _own(self, places: list[tuple[Path, Path]]) -> Iterator[tuple[str, File]]:
        """Configuration, hooks, what a merge or a rebase of the user's lies in, and locks."""
        for _, git_dir in places:
            for entry in git_dir.iterdir():
                if entry.name in PASSING or entry.name.startswith((SIGN, "sharedindex")):
                    continue
                for path in _below(entry) if entry.is_dir() else (entry,):
                    yield str(path.relative_to(self.git_dir)), file_at(path)
        for path in _below(self.git_dir / "refs"):
            if path.suffix == ".lock" and OURS not in str(path):
                yield str(path.relative_to(self.git_dir)), file_at(path)

    def _objects(self) -> Iterator[str]:
        for path in _below(self.git_dir / "objects"):
            if not path.name.startswith("tmp_"):
                yield str(path.relative_to(self.git_dir))

    def _tree(self, tree: Path, git_dir: Path) -> Tree:
        head = (git_dir / "HEAD").read_text().strip().removeprefix("ref: ")
        begun = any(git_dir.glob(f"{SIGN}*"))
        files, folders = {}, set()
        for where, inside, names in os.walk(tree):
            if Path(where) == tree and ".git" in inside:
                inside.remove(".git")
            for name in (*names, *inside):
                path = Path(where, name)
                known = str(path.relative_to(tree))
                if path.is_dir() and not path.is_symlink():
                    folders.add(known)
                elif known != ".git":
                    files[known] = file_at(path)
        return Tree(files, frozenset(folders), self._index(tree, git_dir), head, begun)

    def _index(self, tree: Path, git_dir: Path) -> dict[str, str]:
        """Each entry with its flags; read anew only when its file has other bytes."""
        file = git_dir / "index"
        content = file.read_bytes() if file.exists() else b""
        before = self._indexes.get(str(file))
        if before is None or before[0] != content:
            lines = self.git("ls-files", "-s", "-v", "-z", cwd=tree).split("\0")[:-1]
            entries: dict[str, str] = {}
            for line in lines:
                header, _, path = line.partition("\t")
                entries[path] = f"{entries.get(path, '')}{header}\n"  # one each, or three stages
            before = self._indexes[str(file)] = (content, entries)
        return before[1]


def file_at(path: Path) -> File:
    facts = path.lstat()
    content = os.fsencode(os.readlink(path)) if stat.S_ISLNK(facts.st_mode) else b""
    if stat.S_ISREG(facts.st_mode):
        content = path.read_bytes()
    return File(facts.st_mode, content, (facts.st_mtime_ns, facts.st_ino))


def _below(folder: Path) -> Iterator[Path]:
    for where, _, names in os.walk(folder):
        for name in names:
            yield Path(where, name)

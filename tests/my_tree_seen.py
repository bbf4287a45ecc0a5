"""What is the user's in a repository, and what an act of ours may have changed of it."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OURS = "refs/roundtable/"
MAIN = "refs/heads/main"
File = tuple[int, bytes]
"""Its mode and its bytes; of a link where it leads to."""
Moved = tuple[str, str]
"""A branch that was delivered onto: from this commit to that."""


@dataclass(frozen=True)
class Seen:
    """What is the user's: files of each working tree with mode and bytes, index entries, refs."""

    files: dict[str, dict[str, File]]
    index: dict[str, dict[str, str]]
    refs: dict[str, str]


class Repository:
    """Of a user, seen by plain git."""

    def __init__(self, repo: Path, home: Path) -> None:
        self.repo, self._user = repo, home
        self.kept: dict[str, str] = {}

    def git(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=J", "-c", "user.email=j@example.org", *words],
            cwd=cwd or self.repo,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self._user),
                "LC_ALL": "C.UTF-8",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "init.defaultBranch",
                "GIT_CONFIG_VALUE_0": "main",
            },
            capture_output=True,
            timeout=60,
        )
        assert not check or done.returncode == 0, (words, done.stderr)
        return done.stdout.decode(errors="surrogateescape")

    def trees(self) -> list[Path]:
        found = self.git("worktree", "list", "--porcelain", "-z").split("\0")
        return [Path(line[9:]) for line in found if line.startswith("worktree ")]

    def seen(self) -> Seen:
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)")
        known = dict(line.split(" ") for line in refs.splitlines())
        for ref, commit in known.items():
            if ref.startswith((f"{OURS}proposals/", f"{OURS}undo/")):
                self.kept.setdefault(ref, commit)
        assert self.kept.items() <= known.items(), "what an agent made is still there"
        trees = self.trees()
        heads = {f"HEAD {tree}": self._head(tree) for tree in trees}
        return Seen(
            {str(tree): self._files(tree) for tree in trees},
            {str(tree): self._index(tree) for tree in trees},
            {ref: name for ref, name in known.items() if not ref.startswith(OURS)} | heads,
        )

    def _head(self, tree: Path) -> str:
        on = self.git("symbolic-ref", "-q", "HEAD", cwd=tree, check=False).strip()
        return on or self.git("rev-parse", "HEAD", cwd=tree).strip()

    def _files(self, tree: Path) -> dict[str, File]:
        found = {}
        for where, folders, files in os.walk(tree):
            if ".git" in folders:
                folders.remove(".git")
            links = [name for name in folders if (Path(where) / name).is_symlink()]
            for name in (*files, *links):
                path = Path(where) / name
                if name == ".git":
                    continue
                content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
                found[str(path.relative_to(tree))] = (path.lstat().st_mode, content)
        return found

    def _index(self, tree: Path) -> dict[str, str]:
        lines = self.git("ls-files", "-s", "-z", cwd=tree).split("\0")[:-1]
        pairs = (line.partition("\t") for line in lines)
        return {path: header for header, _, path in pairs}

    def check(self, before: Seen, between: Seen | None, after: Seen, made: Moved | None) -> None:
        """between: as the user left it after a kill; their bytes of then count. made: a delivery
        that was tried, as far as it knew from where to where."""
        was, now = dict(before.refs), dict(after.refs)
        arrived = False
        if made is not None and now.get(MAIN) != was.get(MAIN):
            assert (was.get(MAIN), now.get(MAIN)) == made, "old or new"
            was[MAIN], arrived = made[1], True
        assert was == now, "no other ref moves"
        for tree in after.files:
            here = arrived and now[f"HEAD {tree}"] == MAIN
            self._check_tree(tree, before, between, after, self._touched(made), here)

    def _check_tree(
        self,
        tree: str,
        before: Seen,
        between: Seen | None,
        after: Seen,
        touched: Mapping[str, File | None],
        arrived: bool,
    ) -> None:
        begun, have = before.files[tree], after.files[tree]
        mine = between.files[tree] if between else begun
        for name in {*have, *mine, *touched}:
            known, now = mine.get(name), have.get(name)
            if name not in touched:
                assert now == known, f"{name} is as it was"
            elif between is None:
                assert now == (touched[name] if arrived else known), f"{name} is whole"
            elif known == begun.get(name) or _is_half(known, begun.get(name), touched[name]):
                half = _is_half(now, begun.get(name), touched[name])
                assert half or now == known, f"{name} is the old one, the new one, or begun"
            else:
                assert now == known, f"{name} has been edited by the user since"
        entries, were = after.index[tree], before.index[tree]
        for name in {*entries, *were} - {*touched}:
            assert entries.get(name) == were.get(name), f"{name} in the index"

    def _touched(self, made: Moved | None) -> dict[str, File | None]:
        """What the delivery makes of each path that it touches."""
        if made is None:
            return {}
        raw = self.git("diff-tree", "-r", "-z", "--no-renames", *made).split("\0")[:-1]
        found: dict[str, File | None] = {}
        for header, path in zip(raw[::2], raw[1::2], strict=True):
            _, mode, _, blob, _ = header.split(" ")
            found[path] = None
            if mode != "000000":
                words = ["git", "cat-file", "blob", blob]
                content = subprocess.run(words, cwd=self.repo, capture_output=True).stdout
                mask = os.umask(0)
                os.umask(mask)
                plain, program = 0o100666 & ~mask, 0o100777 & ~mask
                modes = {"100644": plain, "100755": program, "120000": 0o120777}
                found[path] = (modes[mode], content)
        return found


def _is_half(now: File | None, old: File | None, new: File | None) -> bool:
    """What git may have left, or put back; a file that the user has emptied looks the same."""
    return now is None or any(side and side[1].startswith(now[1]) for side in (old, new))

"""Whatever people do in their repository, and agents in their copies, by the dice."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from my_tree_seen import OURS, Repository

from roundtable_desktop.adapters.git.checkouts import BUSY

PATHS = (
    "a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "e f.txt", "ü/日本.md", ".env", "build/o",
    "run.sh", "link", "n\tew.txt", "A.txt", "dir", "b.txt/in", "\udcfe.txt", ".gitattributes",
    "sub/x", "empty/e",
)  # fmt: skip
PROGRAMS = ("post-merge", "post-checkout", "post-index-change", "reference-transaction")
HABITS = ("plain", "plain", "plain", "line ends", "attributes", "submodule", "sparse")
FOUND_OUT = "a-hook-of-the-users-ran"


class User(Repository):
    """One person with one repository and habits of their own."""

    def __init__(self, repo: Path, home: Path, chance: random.Random) -> None:
        super().__init__(repo, home)
        self.chance = chance
        self.habit = chance.choice(HABITS)
        self.counts: Counter[str] = Counter()

    def begin(self) -> None:
        """Their first commit."""
        self.repo.mkdir(parents=True)
        self.git("init", "-q")
        if self.habit == "line ends":
            self.git("config", "core.autocrlf", self.chance.choice(("true", "input")))
        self._put(self.repo, "a.txt", b"a\n" * 40)
        for path in ("b.txt", "dir/c.txt", "dir/deep/d.txt", "run.sh"):
            self._put(self.repo, path, f"{path}\n".encode() * self.chance.randrange(1, 60))
        self._put(self.repo, ".gitignore", b".env\nbuild/\n")
        if self.habit == "attributes":
            self._put(self.repo, ".gitattributes", b"*.txt text eol=crlf\n*.sh -text\n")
        if self.habit == "submodule":
            self._put(self.repo, "sub/x", b"of another repository\n")
            self.git("init", "-q", cwd=self.repo / "sub")
            self._commit(self.repo / "sub")
        self._commit(self.repo)
        if self.habit == "sparse":
            self.git("sparse-checkout", "set", "dir")
        hooks = self.git_dir / "hooks"
        shutil.rmtree(hooks, ignore_errors=True)
        hooks.mkdir()
        for name in PROGRAMS:
            program = f"#!/bin/sh\n[ $BY_USER ] || echo $0 >> {self.git_dir}/{FOUND_OUT}\n"
            (hooks / name).write_text(program)
            (hooks / name).chmod(0o755)

    # --- files ---------------------------------------------------------------------------------

    def _put(self, tree: Path, name: str, content: bytes) -> None:
        path = tree / name
        for above in [*path.parents][::-1]:
            if above.is_relative_to(tree) and above != tree and not above.is_dir():
                above.unlink(missing_ok=True)
        _clear(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _bytes(self, who: str) -> bytes:
        """Sometimes a few lines among the same ones, sometimes all new, sometimes nothing."""
        word = f"{who} {self.chance.random()}\n".encode()
        lines = [b"a\n"] * 40
        lines[self.chance.choice((0, 20, 39))] = word
        content = self.chance.choice((b"".join(lines), word * self.chance.randrange(1, 90), b""))
        crlf = self.habit in ("line ends", "attributes") and self.chance.random() < 0.5
        return content.replace(b"\n", b"\r\n") if crlf else content

    def change(self, tree: Path, who: str) -> None:
        """Of one file, as anybody's editor, file manager or program does."""
        name = self.chance.choice(PATHS)
        path = tree / name
        kinds = ("write",) * 5 + ("delete", "mode", "private", "link", "rename", "pipe", "folder")
        kind = self.chance.choice(kinds)
        plain = path.is_file() and not path.is_symlink()
        free = path.parent.is_dir() and not os.path.lexists(path)
        if kind == "delete" and plain:
            path.unlink()
        elif kind == "mode" and plain:
            path.chmod(path.stat().st_mode ^ 0o111)
        elif kind == "private" and plain:
            path.chmod(0o600)
        elif kind == "rename" and plain:
            other = tree / self.chance.choice(PATHS)
            if other.parent.is_dir() and not other.is_dir():
                path.rename(other)
        elif kind == "pipe" and free and name[0] != ".":
            os.mkfifo(path)  # one that steers git would stop the user's own git
        elif kind == "folder" and free:
            path.mkdir()
        elif kind == "link" and name == "link":
            _clear(path)
            path.symlink_to(self.chance.choice(("a.txt", "dir", "nowhere")))
        elif name == ".gitattributes" and self.habit != "attributes":
            return
        elif not path.parent.is_symlink():
            self._put(
                tree, name, self._attributes() if name == ".gitattributes" else self._bytes(who)
            )

    def _attributes(self) -> bytes:
        lines = (b"*.txt text eol=crlf\n", b"*.txt text eol=lf\n", b"*.txt -text\n", b"*.md text\n")
        return self.chance.choice(lines)

    def _commit(self, tree: Path) -> None:
        self.git("add", "-A", cwd=tree, check=False)
        self.git("commit", "-q", "--allow-empty", "-m", "user", cwd=tree, check=False)

    # --- acts ----------------------------------------------------------------------------------

    def act(self) -> None:
        """One of all, in one of the working trees."""
        tree = self.chance.choice(self.trees())
        acts: dict[Callable[[Path], None], int] = {
            self._edit: 9, self._stage: 2, self._stage_a_part: 3, self._unstage: 1,
            self._commit: 6, self._branch: 4, self._link: 2, self._stash: 2, self._rewrite: 3,
            self._get_busy: 2, self._get_done: 2, self._lock: 1, self._mark: 1, self._pack: 1,
            self._drop_the_branch: 1,
        }  # fmt: skip
        act = self.chance.choices([*acts], [*acts.values()])[0]
        if self.chance.random() < 0.5 and not self._is_at_rest(tree):
            act = self._get_done
        self.counts[f"user: {act.__name__.strip('_').replace('_', ' ')}"] += 1
        act(tree)

    def _edit(self, tree: Path) -> None:
        for _ in range(self.chance.randrange(1, 4)):
            self.change(tree, "user")

    def _stage(self, tree: Path) -> None:
        self.change(tree, "user")
        self.git("add", "-A", cwd=tree, check=False)

    def _stage_a_part(self, tree: Path) -> None:
        """An entry that is neither the commit's nor the file's."""
        name = self.chance.choice(PATHS)
        self.git("add", "-f", *self.chance.choice(([], ["-N"])), "--", name, cwd=tree, check=False)
        if (tree / name).is_file() and not (tree / name).is_symlink():
            with open(tree / name, "ab") as file:
                file.write(b"and more\n")

    def _unstage(self, tree: Path) -> None:
        name = self.chance.choice(PATHS)
        words = self.chance.choice((["reset", "-q"], ["rm", "-q", "--cached"]))
        self.git(*words, "--", name, cwd=tree, check=False)

    def _branch(self, tree: Path) -> None:
        words = self.chance.choice((["-C", "side"], ["main"], ["main"], ["--detach"]))
        self.git("switch", "-q", *words, cwd=tree, check=False)

    def _link(self, tree: Path) -> None:
        """Another working tree, of the same branch or one of its own; or it goes again."""
        linked = str(self.repo.parent / "linked")
        words = self.chance.choice((["add", "-q", "-f", linked, "main"],
                                    ["add", "-q", "-f", "--detach", linked],
                                    ["remove", "--force", linked]))  # fmt: skip
        self.git("worktree", *words, check=False)

    def _stash(self, tree: Path) -> None:
        words = self.chance.choice((["push", "-q"], ["push", "-q", "-u"], ["pop", "-q"]))
        self.git("stash", *words, cwd=tree, check=False)

    def _rewrite(self, tree: Path) -> None:
        """The branch goes where it was not going; also back to before a delivery of ours."""
        undo = self.git("for-each-ref", "--format=%(refname)", f"{OURS}undo").split()
        to = self.chance.choice(["HEAD~1", "HEAD~1", *undo])
        words = self.chance.choice((["reset", "-q", "--keep", to],
                                    ["reset", "-q", "--hard", to],
                                    ["reset", "-q", "--soft", to],
                                    ["commit", "-q", "--amend", "-m", "amended", "--allow-empty"],
                                    ["update-ref", "refs/heads/main", to]))  # fmt: skip
        self.git(*words, cwd=tree, check=False)

    def _get_busy(self, tree: Path) -> None:
        """In the midst of something, if it meets a conflict."""
        other = self.chance.choice(("main", "side", "stash@{0}", "HEAD~1"))
        words = self.chance.choice((["merge", "-q", "--no-ff", "--no-commit", other],
                                    ["rebase", "-q", other],
                                    ["cherry-pick", other],
                                    ["revert", "--no-commit", "HEAD"],
                                    ["bisect", "start", "HEAD", "HEAD~1"]))  # fmt: skip
        self.git(*words, cwd=tree, check=False)

    def _is_at_rest(self, tree: Path) -> bool:
        git_dir = Path(self.git("rev-parse", "--absolute-git-dir", cwd=tree).strip())
        has_main = self.git("branch", "--list", "main").strip()
        return bool(has_main) and not any((git_dir / name).exists() for name in BUSY)

    def _get_done(self, tree: Path) -> None:
        for command in ("merge", "rebase", "cherry-pick", "revert"):
            self.git(command, "--abort", cwd=tree, check=False)
        self.git("bisect", "reset", cwd=tree, check=False)
        for git_dir in (self.git_dir, *self.git_dir.glob("worktrees/*")):
            (git_dir / "index.lock").unlink(missing_ok=True)
        self.git("branch", "-q", "main", "HEAD", check=False)

    def _lock(self, tree: Path) -> None:
        """A git of theirs is at work, or was killed."""
        (self.git_dir / "index.lock").touch()

    def _mark(self, tree: Path) -> None:
        mark = self.chance.choice(("--assume-unchanged", "--no-assume-unchanged",
                                   "--skip-worktree", "--no-skip-worktree"))  # fmt: skip
        self.git("update-index", mark, "--", self.chance.choice(PATHS), cwd=tree, check=False)

    def _pack(self, tree: Path) -> None:
        words = self.chance.choice((["pack-refs", "--all"], ["repack", "-adq"], ["gc", "-q"]))
        self.git(*words, cwd=tree, check=False)

    def _drop_the_branch(self, tree: Path) -> None:
        self.git("branch", "-q", "-D", "main", check=False)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

"""A delivery that is killed at each system call of its gits that changes anything (F-07).

Killed before a call which changes nothing it leaves what it leaves at the next one that does.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from git_on_path import path_with_git
from git_world import AT, MESSAGE
from my_tree_law import Aim, Law, Stretch, aim_at
from my_tree_seen import Repository, Seen

from roundtable_desktop.adapters.git import HardenedGit
from roundtable_desktop.model.ports import Delivered, GitFailed
from roundtable_desktop.model.ports import Repository as Registered

STRACE = shutil.which("strace")
CHANGING = (
    "openat,write,pwrite64,rename,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,"
    "symlink,symlinkat,chmod,fchmod,fchmodat,ftruncate,utimensat,fsync"
)
LINE = re.compile(r"(?P<pid>\d+) +(?P<call>\w+)\((?P<words>.*)")
OPENS = re.compile(r"O_(CREAT|WRONLY|RDWR|TRUNC)")
OUR_OWN = ("/roundtable-index-", "/roundtable-git-", "/dev/", "pipe:[")
UNDO = "refs/roundtable/undo/1"
INTEGRATION = "roundtable/m/go"
"""The branch of a mission, onto which its tasks are merged while the user works on another."""
FILES = {
    "a.txt": "a\n" * 30,
    "b.txt": "b\n",
    "dir/c.txt": "c\n",
    "goes/x.txt": "x\n",
    "run.sh": "#!/bin/sh\n",
    "mine.txt": "m\n",
    ".gitignore": ".env\n",
}
CHANGES = {
    "a.txt": "agent\n" * 50,
    "b.txt": None,
    "goes/x.txt": None,
    "new/deep/x.txt": "new\n",
    "dir/c.txt": "agent\n",
}
Meddle = Callable[..., Any]


class Killed(BaseException):
    """The owner is gone."""


@dataclass(frozen=True, slots=True)
class Point:
    """The n-th such call of one of an act's gits, counted from one; with the call `after` the
    owner, when that git has ended; `unlink` or `rmdir` of git 0 are calls of the owner itself."""

    git: int
    call: str
    number: int

    def __str__(self) -> str:
        return f"git {self.git} {self.call} {self.number}"


class Scene(Repository):
    """A user's repository in one state, with a proposal for its branch."""

    def __init__(self, root: Path, state: str) -> None:
        self.root, self.place, self.state = root, root / "place", state
        for folder in (root / "user", root / "empty", self.place):
            folder.mkdir(parents=True)
        text = "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
        (root / "user" / ".gitconfig").write_text(text)
        bare = self.place / "bare.git" if state == "bare" else None
        super().__init__(self.place / "repo", root / "user", bare)
        self.branch = INTEGRATION if state in ("mission", "base moved") else "main"
        self._count, self._at = 0, dict[int, Meddle]()
        self.git_of_ours = HardenedGit(root / "empty", root / "user")
        runner: Any = self.git_of_ours._runner
        whole = runner.run
        runner.run = lambda *words, **more: self._run(whole, *words, **more)
        self._lay_out()
        facts = self.git_of_ours.inspect(str(self.repo))
        self.known = Registered(
            path=facts.path,
            git_dir=facts.git_dir,
            author_name=facts.author_name,
            author_email=facts.author_email,
            settings=facts.settings,
        )
        self.base, self.head = self._proposal()
        getattr(self, "_" + state.replace(" ", "_"))()
        shutil.copytree(self.place, root / "kept", symlinks=True)
        self.aim: tuple[str, str] | None = None

    # --- states --------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.repo.mkdir()
        self.git("init", "-q")
        self._write(FILES)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "begin")
        if self.state == "bare":
            self.git("clone", "-q", "--bare", str(self.repo), str(self.git_dir))
            shutil.rmtree(self.repo)
            self.git("worktree", "add", "-q", str(self.repo), "main", cwd=self.git_dir)

    def _write(self, files: dict[str, str | None], where: Path | None = None) -> None:
        for name, text in files.items():
            path = (where or self.repo) / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def _proposal(self) -> tuple[str, str]:
        git, copy = self.git_of_ours, self.root / "copies" / "one"
        base = self.git("rev-parse", "main").strip()
        git.make_copy(self.known, str(copy), base, git.refs(self.known))
        self._write(CHANGES, copy)
        (copy / "run.sh").chmod(0o755)
        ref = "refs/roundtable/proposals/1"
        made = git.collect(self.known, str(copy), base=base, ref=ref, message=MESSAGE, at=AT)
        assert made.head is not None
        return base, made.head

    def _clean(self) -> None:
        pass

    def _bare(self) -> None:
        pass

    def _packed(self) -> None:
        self.git("pack-refs", "--all")

    def _dirty_elsewhere(self) -> None:
        self._write({"mine.txt": "mine\n", "staged.txt": "s\n", ".env": "SECRET=1\n"})
        self.git("add", "staged.txt", "mine.txt")
        self._write({"mine.txt": "mine, once more\n", "new.txt": "untracked\n"})

    def _moved_on(self) -> None:
        self._dirty_elsewhere()
        self.git("commit", "-q", "-m", "meanwhile")

    def _not_checked_out(self) -> None:
        self.git("switch", "-q", "-c", "other")
        self._dirty_elsewhere()

    def _mission(self) -> None:
        """Another task of it was merged since this one began."""
        self._dirty_elsewhere()
        self.git("branch", INTEGRATION, "main")
        tree = self.git("rev-parse", "main^{tree}").strip()
        other = self.git("commit-tree", tree, "-p", "main", "-m", "merged before").strip()
        self.git("update-ref", f"refs/heads/{INTEGRATION}", other)

    def _base_moved(self) -> None:
        """The mission's branch is to take main in, and they clash."""
        self.git("switch", "-q", "-c", INTEGRATION)
        self._write({"b.txt": "mission\n", "mine.txt": None})
        self.git("commit", "-qam", "merged before")
        self.git("switch", "-q", "main")
        self._write({"b.txt": "user\n", "mine.txt": "m\nuser\n"})
        self.git("commit", "-qam", "meanwhile")
        self._dirty_elsewhere()

    def _linked(self) -> None:
        self._not_checked_out()
        self.git("worktree", "add", "-q", str(self.place / "linked"), "main")

    # --- the act, and what comes after a death -------------------------------------------------

    def go_back(self) -> None:
        shutil.rmtree(self.place)
        shutil.copytree(self.root / "kept", self.place, symlinks=True)
        self.aim = None
        self.kept.clear()

    def deliver(self) -> Delivered:
        """As the engine does it."""
        git, self.intended = self.git_of_ours, datetime.now(UTC)
        self.aim = old, new = self._prepared()
        git.keep_ref(self.known, UNDO, old)
        by_person = self.branch == "main"
        return git.deliver(self.known, self.branch, old=old, new=new, into_checkout=by_person)

    def _prepared(self) -> tuple[str, str]:
        git: Any = self.git_of_ours
        given = {"message": MESSAGE, "at": AT}
        if self.state == "base moved":
            base = git.commit_of(self.known, "main")
            assert base is not None
            made = git.join(self.known, self.branch, base, **given)
            assert made.unsettled
            return made.old, made.new
        prepared = git.prepare(self.known, self.branch, base=self.base, head=self.head, **given)
        assert prepared.new is not None
        return prepared.old, prepared.new

    def finish(self) -> Delivered | None:
        if self.aim is None:
            return None
        git, (old, new) = self.git_of_ours, self.aim
        git.keep_ref(self.known, UNDO, old)
        at = self.intended
        return git.finish(self.known, self.branch, old=old, new=new, intended_at=at)

    def _run(self, whole: Meddle, *words: Any, **more: Any) -> Any:
        self._count += 1
        meddle = self._at.get(self._count) or self._at.get(0)
        return meddle(whole, *words, **more) if meddle else whole(*words, **more)

    @contextmanager
    def meddling(self, at: dict[int, Meddle]) -> Iterator[None]:
        """at: what to do instead of the n-th git; of 0, instead of each."""
        self._count, self._at = 0, at
        try:
            yield
        finally:
            self._at = {}

    def traced(self, options: str, whole: Meddle, *words: Any, **more: Any) -> Any:
        folder, before = self.root / "shim", os.environ["PATH"]
        shutil.rmtree(folder, ignore_errors=True)
        run = f'exec {STRACE} -f -qqq {options} {shutil.which("git")} "$@"'
        path = path_with_git(folder, "--no-pager", run)
        os.environ["PATH"] = path
        try:
            return whole(*words, **more)
        finally:
            os.environ["PATH"] = before

    def points(self, act: Callable[[], object]) -> list[Point]:
        """All of an act that comes to its end."""
        if act == self.deliver:  # as it will be found each time
            self.go_back()
        logs = self.root / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir()

        def trace(whole: Meddle, *words: Any, **more: Any) -> Any:
            options = f"-y -o {logs}/{self._count} -e trace={CHANGING}"
            return self.traced(options, whole, *words, **more)

        with self.meddling({0: trace}):
            act()
        found = []
        for git in range(1, self._count + 1):
            found += [Point(git, call, n) for call, n in _changing(logs / str(git))]
            found.append(Point(git, "after", 1))
        return found

    @contextmanager
    def killed(self, point: Point) -> Iterator[None]:
        """Whatever is done in it may end there, or before by itself."""
        if point.git == 0:
            with _dying_in(point), suppress(Killed, GitFailed):
                yield
            return
        inject = f"-o /dev/null -e trace={point.call} -e inject={point.call}:signal=KILL"
        kill: Meddle = partial(self.traced, f"{inject}:when={point.number}")
        with (
            self.meddling({point.git: _after if point.call == "after" else kill}),
            suppress(Killed, GitFailed),
        ):
            yield

    def check(self, start: Seen, end: Seen) -> None:
        if self.branch != "main":
            was, now = dict(start.refs), dict(end.refs)
            mine = f"refs/heads/{self.branch}"
            before, after = was.pop(mine), now.pop(mine)
            assert after in {before, *(self.aim or ())} and was == now, "it is old or new"
            assert start.trees == end.trees, "the user's own checkout is another branch's"
            return self.check_soundness()
        aims: list[Aim] = [aim_at(self.known.path, *self.aim)] if self.aim else []
        mask = os.umask(0o077)
        os.umask(mask)
        Law(aims, bytes, mask).check(Stretch(start, end, first=True, last=True))
        assert not any(tree.begun for tree in end.trees.values())
        self.check_soundness()

    def check_soundness(self) -> None:
        fsck = [*["git", "fsck", "--no-dangling", "--no-progress"]]
        said = subprocess.run(fsck, cwd=self.known.path, capture_output=True)
        assert (said.returncode, said.stdout) == (0, b""), said

    def whole_after(self, *points: Point) -> str:
        """A delivery that dies at the first point, its recovery at each of the others, then one
        that is left alone: "old" or "new". What is old is delivered after that."""
        self.go_back()
        start = self.seen()
        with self.killed(points[0]):
            self.deliver()
        for point in points[1:]:
            with self.killed(point):
                self.finish()
        found = self.finish()
        assert found is None or (found.held, found.moved) == (None, False), found
        end = self.seen()
        self.check(start, end)
        came = start.refs != end.refs
        assert came == (found is not None)
        if not came:
            assert self.deliver().held is None
            self.check(start, self.seen())
            assert self.seen().refs != start.refs
        return "new" if came else "old"


def _after(whole: Meddle, *words: Any, **more: Any) -> Any:
    whole(*words, **more)
    raise Killed


@contextmanager
def _dying_in(point: Point) -> Iterator[None]:
    """The owner's own calls: before the n-th it is gone."""
    whole, count = getattr(os, point.call), 0

    def dying(*words: Any, **more: Any) -> None:
        nonlocal count
        count += 1
        if count == point.number:
            raise Killed
        whole(*words, **more)

    with mock.patch.object(os, point.call, dying):
        yield


def _changing(log: Path) -> Iterator[tuple[str, int]]:
    """Each call that changes something that is not ours alone, with its number in its process."""
    seen: dict[tuple[str, str], int] = {}
    for line in log.read_text(errors="replace").splitlines():
        found = LINE.match(line)
        if found is None:
            continue
        call, words = found["call"], found["words"]
        number = seen[found["pid"], call] = seen.get((found["pid"], call), 0) + 1
        if any(name in words for name in OUR_OWN):
            continue
        if call != "openat" or OPENS.search(words):
            yield call, number

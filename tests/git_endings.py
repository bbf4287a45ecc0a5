"""A delivery of some hundred files that is ended anywhere, as often as a test likes."""

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from git_world import World

from roundtable_desktop.adapters.git import begun
from roundtable_desktop.model.ports import Delivered, GitFailed

STRACE = shutil.which("strace")
SIGNALS = (signal.SIGTERM, signal.SIGKILL)
CALLS = {
    # what a merge of ours does to the disk, with a number a little above how often it does that
    "openat": 700,
    "close": 700,
    "write": 500,
    "unlink": 300,
    "mkdir": 10,
    "rmdir": 10,
    "rename": 6,
    "symlink": 2,
}
TAKING_BACK = ("--force-remove", "checkout-index", "--refresh", "diff-files", "diff-index")
"""Words of the gits of a recovery."""
MINE = {
    "mine.txt": "mine\n",
    "many/mine.txt": "mine\n",
    "kept.txt": "mine too\n",
    "build/o": "mine\n",
}
STAGED = {"staged.txt": "mine, staged\n"}


@dataclass(frozen=True, slots=True)
class Ending:
    """signal: of the git that has `word` among its arguments; at the n-th such call, or, where
    that is None, after a part of the time that a merge takes."""

    signal: signal.Signals
    word: str
    call: str | None
    number: int
    part: float


def any_endings(chance: random.Random) -> list[Ending]:
    """One of a merge, and up to two of its recovery."""
    words = ["--ff-only", *chance.choices(TAKING_BACK, k=chance.randrange(3))]
    return [_any(chance, word) for word in words]


def _any(chance: random.Random, word: str) -> Ending:
    call = chance.choice([*CALLS, None]) if STRACE else None
    number = int(CALLS.get(call or "", 1) ** chance.random() + chance.random())
    return Ending(chance.choice(SIGNALS), word, call, max(number, 1), chance.random())


class Endings:
    """One repository with a delivery in it, brought back to the beginning as often as needed."""

    def __init__(self, world: World, files: int) -> None:
        self.world = world
        each = range(files)
        old = {f"many/{n % 7}/{n}.txt": f"{n} old\n" * (n % 50) for n in each}
        more = {"staged.txt": "s\n", "kept.txt": "k\n", "turns": "a file\n", "goes/x/y.txt": "y\n"}
        world.commit({**old, **more, "folder/a.txt": "a\n", "run.sh": "x\n"})
        (world.repo / "link").symlink_to("a.txt")
        self.old = world.commit({})
        self.new = self._propose(old)
        world.write(MINE)
        self._stage()
        self.trees = {self.old: self._tree()}
        started = time.monotonic()
        assert world.deliver(self.new).held is None
        self._seconds = time.monotonic() - started
        self.trees[self.new] = self._tree()
        self._go_back()
        assert self._tree() == self.trees[self.old]
        self._folder = world.root / "ending"
        self._folder.mkdir()

    def _propose(self, old: dict[str, str]) -> str:
        """Most files change, some go, some come; files become folders, links and the reverse."""
        world, copy = self.world, self.world.make_copy()
        for number, name in enumerate(old):
            change = f"{number} new\n" * (number % 40 * 20) if number % 5 else None
            world.write({name: change}, copy)
            if number % 3 == 0:
                world.write({f"come/{number % 4}/{number}": f"{number}\n" * 30}, copy)
        (copy / "link").unlink()
        (copy / "link").symlink_to("b.txt")
        (copy / "run.sh").chmod(0o755)
        shutil.rmtree(copy / "folder")
        world.write({"turns": None, "goes/x/y.txt": None, "folder": "a file now\n"}, copy)
        world.write({"turns/inside.txt": "in it\n", "b.txt": None}, copy)
        (copy / "b.txt").symlink_to("turns/inside.txt")
        head = world.collect(copy=copy).head
        assert head is not None
        return head

    def _stage(self) -> None:
        self.world.write(STAGED)
        self.world.plain("add", *STAGED)

    def _go_back(self) -> None:
        """As a person would, without touching what is not the delivery's."""
        self.world.plain("reset", "-q", "--keep", self.old)
        self._stage()

    def _tree(self) -> dict[str, str]:
        return self.world.tree(self.world.repo, ".git/")

    def end(self, ending: Ending, *then: Ending) -> str:
        """A delivery that is ended so; its recovery, ended by each of `then`; then one that is
        left alone. Whole afterwards, and deliverable: "old", "new", or "whole" when the ending
        came too late to end anything."""
        intended = datetime.now(UTC)
        if self._ended(ending, self._deliver) is not None:
            self._assert_whole(self.new)
            self._go_back()
            return "whole"
        for other in then:
            self._ended(other, lambda: self._finish(intended))
        found = self._finish(intended)
        assert found is None or (found.held, found.moved) == (None, False), (ending, then, found)
        self._assert_whole(self.old if found is None else self.new)
        if found is None:
            assert self._deliver().held is None
            self._assert_whole(self.new)
        self._go_back()
        return "old" if found is None else "new"

    def _deliver(self) -> Delivered:
        return self.world.deliver(self.new, old=self.old)

    def _finish(self, intended: datetime) -> Delivered | None:
        repository = self.world.repository
        return self.world.git.finish(
            repository, "main", old=self.old, new=self.new, intended_at=intended
        )

    def _ended(self, ending: Ending, act: Callable[[], Delivered | None]) -> Delivered | None:
        """What the act answered; None when git was ended in it."""
        before = os.environ["PATH"]
        pid = self._folder / "pid"
        pid.unlink(missing_ok=True)
        over = threading.Event()
        hand = threading.Thread(target=self._signal, args=(ending, pid, over))
        os.environ["PATH"] = f"{self._path(ending)}:{before}"
        hand.start()
        try:
            with suppress(GitFailed):
                return act()
            return None
        finally:
            os.environ["PATH"] = before
            over.set()
            hand.join()

    def _path(self, ending: Ending) -> Path:
        git, pid = shutil.which("git"), self._folder / "pid"
        run = f"{{ echo $$ > {pid}.new; mv {pid}.new {pid}; exec {git}"
        if ending.call:
            name = ending.signal.name.removeprefix("SIG")
            inject = f"inject={ending.call}:signal={name}:when={ending.number}"
            run = f"{{ exec {STRACE} -f -qqq -o /dev/null -e trace={ending.call} -e {inject} {git}"
        program = self._folder / "git"
        program.write_text(
            f'#!/bin/sh\nfor word; do [ "$word" = {ending.word} ] && {run} "$@"; }}; done\n'
            f'exec {git} "$@"\n'
        )
        program.chmod(0o755)
        return self._folder

    def _signal(self, ending: Ending, pid: Path, over: threading.Event) -> None:
        if ending.call:
            return
        while not pid.exists():
            if over.wait(0.001):
                return
        over.wait(ending.part * self._seconds)
        with suppress(ProcessLookupError):
            os.kill(int(pid.read_text()), ending.signal)

    def _assert_whole(self, commit: str) -> None:
        world = self.world
        assert world.branch_head() == commit
        assert self._tree() == self.trees[commit]
        assert world.plain("diff", "--cached", "--name-only").split() == [*STAGED]
        edited = world.plain("diff", "--name-only").split()
        assert edited == ["kept.txt"]
        git_dir = world.repo / ".git"
        assert [*git_dir.rglob("*.lock"), *git_dir.glob("MERGE_HEAD")] == []
        assert not begun.has_begun(str(git_dir), self.new)

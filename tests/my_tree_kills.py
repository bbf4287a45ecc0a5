"""Stands between the product and each git of it: there it dies, or the user does something.

Deaths: git at one of its system calls; the owner before it starts that git, after it has ended, or
in the midst of it, while the git that it has started goes on.
"""

import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from git_on_path import path_with_git

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.git import Alone, HardenedGit
from roundtable_desktop.model.ports import GitFailed

CALLS = {"openat": 60, "write": 20, "close": 60, "unlink": 12, "rename": 5, "mkdir": 3}
WORDS = {
    "deliver": ("merge", "merge", "merge", "update-ref", "merge-tree", "commit-tree"),
    "collect": ("unpack-objects", "update-ref", "update-index", "write-tree"),
    "recover": ("checkout-index", "update-index", "update-ref"),
    "launch": ("read-tree", "update-ref"),
    "free": ("update-ref", "write-tree"),
}
"""Of the gits that write most."""
STRACE = shutil.which("strace")
WAYS = ("git", "git", "git", "outlived", "before", "after")[0 if STRACE else 4 :]
SLOW = "write,unlink,rename:delay_enter=10000"
Run = Callable[..., Any]


class Killed(BaseException):
    """Nothing of the owner comes after this."""


class Hands:
    """The git of one owner after another. interrupt: the user does something now.

    counts: how often what was planned came about.
    """

    def __init__(
        self, root: Path, user: Path, chance: random.Random, interrupt: Callable[[], None]
    ) -> None:
        self._root, self._user, self._chance = root, user, chance
        self._interrupt = interrupt
        self._plan: dict[int | str, str] = {}
        self._way = ""
        self._count, self._left = 0, list[subprocess.Popen[bytes]]()
        self._spawns = {"deliver": 25, "collect": 15, "launch": 10, "recover": 20, "free": 10}
        self.counts: Counter[str] = Counter()
        self.git = self._owners()

    def renew(self) -> HardenedGit:
        """The next owner's; what the one before has started may still be at work."""
        self.git.stop()
        self.git = self._owners()
        return self.git

    def _owners(self) -> HardenedGit:
        alone = Alone(self._root / "git.lock", processes.sweep)
        git = HardenedGit(self._root / "empty", self._user, alone=alone)
        runner: Any = git._runner
        whole = runner.run
        runner.run = lambda *words, **more: self._run(whole, *words, **more)
        return git

    def close(self) -> None:
        self.git.stop()
        self.wait()

    @property
    def outlived(self) -> bool:
        """Whether a git of a dead owner may still be at work."""
        return bool(self._left)

    def wait(self) -> None:
        while self._left:
            self._left.pop().communicate()

    def do(self, act_name: str, act: Callable[[], object], *, calm: bool = False) -> bool:
        """Whether it came to its end. calm: whatever the dice would say."""
        self._plan, self._count = {} if calm else self._meddling(act_name), 0
        planned = bool(self._plan)
        try:
            act()
        except (Killed, GitFailed, OSError) as died:
            # A dead owner would not tidy up, and so not meet the git that outlived it.
            expected = self.outlived if isinstance(died, OSError) else planned
            if not expected or (isinstance(died, GitFailed) and not died.broken_off):
                raise
            self.counts[f"killed: {act_name} ({self._way})"] += 1
            return False
        finally:
            self._spawns[act_name] = max(self._count, self._spawns[act_name] * 3 // 4, 5)
            self._plan = {}
        return True

    def _meddling(self, act_name: str) -> dict[int | str, str]:
        """Which git of the act is not just run: by its number from one, or by its first word."""
        numbers = range(1, self._spawns[act_name] + 1)
        plan: dict[int | str, str] = {}
        if self._chance.random() < 0.6:
            which = self._chance.choice((numbers, WORDS[act_name]))
            plan[self._chance.choice(which)] = self._chance.choice(WAYS)
        if self._chance.random() < 0.25:
            plan[self._chance.choice(numbers)] = "user"
        return plan

    def _run(self, whole: Run, *words: Any, **more: Any) -> Any:
        self._count += 1
        at = self._count if self._count in self._plan else words[0][0]
        way = self._plan.pop(at, "")
        self._way = way or self._way
        match way:
            case "user":
                self._interrupt()
            case "git":
                return self._killed_by(self._injected(), whole, *words, **more)
            case "before":
                raise Killed
            case "after":
                whole(*words, **more)
                raise Killed
            case "outlived":
                return self._outlived(whole, *words, **more)
        return whole(*words, **more)

    def _injected(self) -> str:
        call = self._chance.choice([*CALLS])
        number = int(CALLS[call] ** self._chance.random())
        return f"{call}:signal=KILL:when={max(number, 1)}"

    def _killed_by(self, inject: str, whole: Run, *words: Any, **more: Any) -> Any:
        calls = inject.partition(":")[0]
        strace = f"exec {STRACE} -f -qqq -o /dev/null -e trace={calls} -e inject={inject}"
        folder, before = self._root / "shim", os.environ["PATH"]
        shutil.rmtree(folder, ignore_errors=True)
        path = path_with_git(folder, "--no-pager", f'{strace} {shutil.which("git")} "$@"')
        os.environ["PATH"] = path
        try:
            return whole(*words, **more)
        finally:
            os.environ["PATH"] = before

    def _outlived(self, whole: Run, *words: Any, **more: Any) -> Any:
        runner: Any = self.git._runner
        start = runner._start

        def begin(*given: Any) -> Any:
            self._left.append(start(*given))
            raise Killed

        runner._start = begin
        return self._killed_by(SLOW, whole, *words, **more)

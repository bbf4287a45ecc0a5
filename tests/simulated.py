"""A simulated world for tests: the real engine and database, pretend agents, a mortal owner."""

import random
from bisect import insort
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ground import NOW, CountingIds, Ground

from roundtable_desktop.adapters.pretend import DONE, Ending, NoSecrets, PretendGit, PretendLauncher
from roundtable_desktop.adapters.system import StandingClock
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.simulate import Deed, Simulation
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.store import settings
from roundtable_desktop.store.db import Store, Tx


class Killed(BaseException):
    """The owner dies here; no handler of the product's sees it."""


class MortalStore(Store):
    """Dies after so many transactions: before one begins, or when it is committed."""

    left = -1
    after = False

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        with super().transaction() as tx:
            yield tx
        if self.left == 0 and self.after:
            raise Killed


class World:
    """`ending` is asked how each run will end."""

    def __init__(self, root: Path, seed: int = 0) -> None:
        self.chance = random.Random(seed)
        self.clock, self.ids = StandingClock(), CountingIds()
        self.clock.move_to(NOW)
        self.ground = Ground(root, self.clock, self.ids)
        self.ground.store.close()
        self.store = self.ground.store = MortalStore(self.ground.path, self.clock)
        self.store.db.execute_sql("PRAGMA synchronous = off")  # nobody pulls a plug here
        self.ending: Callable[[LaunchOrder], Ending] = lambda order: DONE
        self.launcher = PretendLauncher(self.clock, lambda order: self.ending(order))
        git, secrets = PretendGit(), NoSecrets()
        nobody: Any = None  # looks at a repository's file
        none = lambda ps: []  # noqa: E731
        ids, launcher = self.ids, self.launcher
        self.desk = Desk(self.store, git, secrets, ids, launcher, none, none, "UTC", nobody)
        self.simulation = Simulation(
            self.store,
            self.ground.reader,
            self.clock,
            self.ids,
            self.chance.random,
            self.launcher,
            git,
            secrets,
            copies=root / "copies",
            zone="UTC",
        )
        self.script: deque[Deed] = deque()
        self.kills = 0

    def at(self, moment: datetime, act: Callable[[], object]) -> None:
        def deed() -> None:
            act()

        insort(self.script, Deed(moment, deed), key=lambda one: one.at)

    def run(self, span: timedelta) -> None:
        """A life that is cut short is followed by another one."""
        until = self.clock.now() + span
        while True:
            try:
                return self.simulation.run(until, self.script)
            except Killed:
                self.kills += 1
                self.simulation.kill()

    def die_in(self, transactions: int, *, after: bool = False) -> None:
        self.store.left, self.store.after = transactions, after

    def set(self, **values: Any) -> None:
        with self.store.transaction() as tx:
            settings.put_home(tx, **values)

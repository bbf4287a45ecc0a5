"""The same engine on one thread, with a clock that jumps to what is due and a pretend launcher."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from roundtable_desktop.engine.launching import Equipment
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.ports import (
    Dice,
    Git,
    Ids,
    MovableClock,
    PretendLauncher,
    Secrets,
)
from roundtable_desktop.store.db import Reader, Store


@dataclass(slots=True)
class InTurn:
    """Fulfils `pool.Acts`: what is handed in waits here until it is played."""

    failing: set[str] = field(default_factory=set)
    waiting: deque[Callable[[], None]] = field(default_factory=deque)

    def submit(self, key: str, act: Callable[[], None]) -> None:
        self.waiting.append(act)


@dataclass(frozen=True, slots=True)
class Deed:
    """What somebody does at an instant of a simulation."""

    at: datetime
    act: Callable[[], None]


class Simulation:
    """Everything that would happen, in its order; nothing outside of `store` and `copies` is
    touched. A crash of the owner is `kill`: what it had in memory is gone."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        clock: MovableClock,
        ids: Ids,
        dice: Dice,
        launcher: PretendLauncher,
        git: Git,
        secrets: Secrets,
        *,
        copies: Path,
        zone: str,
    ) -> None:
        self._clock, self._launcher = clock, launcher
        self._acts = InTurn()
        equipment = Equipment(
            mcp_url="",
            issue=lambda: ("", ids.secret()),
            bridge=(),
            demo=(),
            demo_state="",
        )
        self._build: Callable[[], Scheduler] = lambda: Scheduler(
            store,
            reader,
            git,
            launcher,
            secrets,
            ids,
            clock,
            dice,
            copies=copies,
            environ={},
            equipment=equipment,
            zone=zone,
            acts=self._acts,
        )
        self._scheduler = self._build()
        self._scheduler.recover()

    def kill(self) -> None:
        """The owner dies here and another one starts; the runners live on."""
        self._acts.waiting.clear()
        self._scheduler = self._build()
        self._scheduler.recover()

    def run(
        self,
        until: datetime,
        script: deque[Deed] | None = None,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> bool:
        """From one instant at which something is due to the next; deeds are done when theirs has
        come, and taken from `script`. False when it may not go on before it has come to `until`:
        then the clock stands where it stopped."""
        ahead = script if script is not None else deque()
        while may_go_on():
            due = self._settle()
            nearest = min(
                (one for one in (due, *(deed.at for deed in ahead)) if one), default=until
            )
            self._clock.move_to(max(min(nearest, until), self._clock.now()))
            while ahead and ahead[0].at <= self._clock.now():
                ahead.popleft().act()
            if nearest >= until:
                self._settle()
                return True
        return False

    def step(self) -> bool:
        """Reads what runners have written, and plays the next act; False when there is none."""
        for run in self._launcher.take_news():
            self._scheduler.consume(run)
        if self._acts.waiting:
            self._acts.waiting.popleft()()
            return True
        return False

    def _settle(self) -> datetime | None:
        """All that can happen now; when there will be more."""
        while True:
            ends = self._launcher.pass_time()
            due = self._scheduler.tick()
            if not self.step():
                return min((one for one in (ends, due) if one), default=None)
            while self.step():
                pass

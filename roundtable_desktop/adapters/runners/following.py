"""Waits for news of many runs on one thread, without waking while there is none."""

import socket
import threading
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path

from roundtable_desktop.adapters.runners.channel import Channel, hear, open_channel, tell
from roundtable_desktop.adapters.runners.folder import Address, read_address
from roundtable_desktop.adapters.runners.spools import size_of, state_of
from roundtable_desktop.model.ports import RunnerGone, SpoolState

LOOK = 0.1
CONNECT_SECONDS = 1.0
PATIENCE = 50
"""Looks between two tries at a runner that does not answer, at most: each try may take a second
from all the others."""


class _Followed:
    """One run. over: its runner is gone and that has been told."""

    def __init__(self, folder: Path) -> None:
        self.channel: Channel | None = None
        self.over = False
        self._folder = folder
        self._address: Address | None = None
        self._size = 0
        self._pause = 0
        self._rest = 0

    @property
    def lost(self) -> bool:
        return self.channel is None and not self.over

    def look(self) -> bool:
        """Without a channel the spool itself must be asked; True when it has something new."""
        match state_of(self._folder):
            case SpoolState.ABSENT:
                return False
            case SpoolState.FREE:
                self.over = True
                return True
        self._connect()
        before, self._size = self._size, size_of(self._folder)
        return self.channel is not None or self._size != before

    def hear(self) -> None:
        """Takes one nudge off the channel, or notices that it is closed."""
        if self.channel is None:
            return
        try:
            hear(self.channel)
        except RunnerGone:
            self.close()

    def close(self) -> None:
        if self.channel is not None:
            self.channel.close()
            self.channel = None

    def _connect(self) -> None:
        if self._rest:
            self._rest -= 1
            return
        self._address = self._address or read_address(self._folder)
        if self._address is None or not Path(self._address.path).exists():
            return
        try:
            self.channel = open_channel(self._address, CONNECT_SECONDS)
            tell(self.channel, {"do": "follow"})
        except RunnerGone:
            self.close()
            self._rest = self._pause = min(PATIENCE, 2 * self._pause + 1)
        else:
            self._pause = 0


class Following:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._followed: dict[str, _Followed] = {}
        self._left: list[_Followed] = []
        self._closed = False
        self._ear, self._hand = socket.socketpair()
        self._ear.setblocking(False)
        self._hand.setblocking(False)

    def attach(self, run: str, folder: Path) -> None:
        with self._lock:
            self._followed.setdefault(run, _Followed(folder))
        self.nudge()

    def detach(self, run: str) -> None:
        """The channel is closed by the thread that waits on it."""
        with self._lock:
            if run in self._followed:
                self._left.append(self._followed.pop(run))
        self.nudge()

    def nudge(self) -> None:
        with suppress(BlockingIOError):  # it is full of nudges already
            self._hand.send(b"\0")

    def close(self) -> None:
        self._closed = True
        self.nudge()

    def wait(self, timeout: float) -> set[str]:
        """The port's `wait`; one thread only."""
        while not self._closed:
            followed = self._present()
            lost = (run for run, one in followed.items() if one.lost)
            news = {run for run in lost if not self._closed and followed[run].look()}
            if news:
                return news
            step = min(LOOK, timeout) if any(one.lost for one in followed.values()) else timeout
            channels = [one.channel for one in followed.values() if one.channel]
            ready = wait([self._ear, *channels], step)
            news = {run for run, one in followed.items() if one.channel in ready}
            for run in news:
                followed[run].hear()
            if self._ear in ready:
                self._hush()
            if ready:
                return news
            timeout -= step
            if timeout <= 0:
                break
        return set()

    def _present(self) -> dict[str, _Followed]:
        with self._lock:
            left, self._left = self._left, []
            present = dict(self._followed)
        for one in left:
            one.close()
        return present

    def _hush(self) -> None:
        with suppress(BlockingIOError):
            while self._ear.recv(4096):
                pass

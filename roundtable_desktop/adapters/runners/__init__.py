"""Starts and follows runners on this machine: the Launcher port."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from roundtable_desktop.adapters.runners import artifacts
from roundtable_desktop.adapters.runners.channel import hear, open_channel, tell
from roundtable_desktop.adapters.runners.folder import (
    ERRORS,
    create,
    drop_secrets,
    drop_socket,
    last_line,
    new_socket,
    read_address,
    working_folder,
    write_folder,
)
from roundtable_desktop.adapters.runners.following import Following
from roundtable_desktop.adapters.runners.kernel_groups import end_group
from roundtable_desktop.adapters.runners.spools import create_void, has_begun, read_lines, state_of
from roundtable_desktop.adapters.runners.tying import Tying
from roundtable_desktop.model.artifacts import KeptFile
from roundtable_desktop.model.ports import (
    LaunchFailed,
    LaunchHeld,
    LaunchOrder,
    RunnerGone,
    SpoolState,
)
from roundtable_desktop.model.states import ErrorKind

log = logging.getLogger(__name__)

CONTROL_SECONDS = 5.0
FENCE_SECONDS, FENCE_STEP = 3.0, 0.01
"""For runners that were started just now to start their agents."""
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")
"""All that a runner has of our environment; its agent has nothing of it (S-72)."""


def own_program(part: str) -> list[str]:
    """How this product starts one of its own programs, also in a frozen build."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--part", part]
    return [sys.executable, "-I", "-m", "roundtable_desktop", "--part", part]


class LocalRunners:
    """home_runs: a folder per run. sweep: ends what carries a mark, gives the pids that are left
    (`processes.sweep`; adapters do not know each other)."""

    def __init__(
        self,
        home_runs: Path,
        sockets: Path,
        *,
        sweep: Callable[[str], Sequence[int]],
        program: Callable[[str], list[str]] = own_program,
        umask: int = -1,
    ) -> None:
        """umask: the user's, for their agents; -1: our own."""
        self._runs = home_runs.absolute()
        self._sockets = sockets.absolute()
        self._sweep = sweep
        self._program, self._umask = program, umask
        self._following = Following()
        self._tying = Tying(self._runs.parent / "tied.lock")
        self._lock, self._gate = threading.Lock(), threading.Lock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._unborn: dict[str, str] = {}
        self._young: set[str] = set()

    def keep_files(self, run: str, copy: str, paths: Sequence[str]) -> list[KeptFile]:
        return artifacts.keep(self._folder(run), copy, paths)

    def kept_file(self, run: str, number: int) -> bytes | None:
        return artifacts.kept(self._folder(run), number)

    def launch(self, order: LaunchOrder, may: Callable[[], bool] = lambda: True) -> None:
        folder = self._folder(order.run)
        try:
            os.makedirs(self._runs, 0o700, exist_ok=True)
            write_folder(folder, order, new_socket(self._sockets))
        except OSError as fault:
            raise LaunchFailed(ErrorKind.SPAWN_FAILED, str(fault)) from fault
        try:
            with self._gate:
                if not may():
                    raise LaunchHeld(order.run)
                child = self._start(folder)
                self._young.add(order.run)
                with self._lock:
                    self._children[order.run] = child
        except OSError as fault:
            self.void(order.run)
            raise LaunchFailed(ErrorKind.SPAWN_FAILED, str(fault)) from fault
        self._reap()

    def fence(self) -> None:
        with self._gate:
            young = set(self._young)
        until = time.monotonic() + FENCE_SECONDS
        while young and time.monotonic() < until:
            young = {run for run in young if not has_begun(self._folder(run), self._ended(run))}
            if young:
                time.sleep(FENCE_STEP)
        with self._gate:
            self._young &= young

    def _ended(self, run: str) -> bool:
        with self._lock:
            child = self._children.get(run)
        return child is None or child.poll() is not None

    def state(self, run: str) -> SpoolState:
        return state_of(self._folder(run))

    def unborn(self, run: str) -> str | None:
        self._reap()
        with self._lock:
            return self._unborn.get(run)

    def void(self, run: str) -> bool:
        created = create_void(self._folder(run))
        if created:
            drop_secrets(self._folder(run))
        return created

    def read(self, run: str, offset: int) -> bytes:
        return read_lines(self._folder(run), offset)

    def attach(self, run: str) -> None:
        self._following.attach(run, self._folder(run))

    def detach(self, run: str) -> None:
        self._following.detach(run)
        self._reap()
        with self._lock:
            self._unborn.pop(run, None)
        with self._gate:
            self._young.discard(run)

    def wait(self, timeout: float) -> set[str]:
        self._reap()
        return self._following.wait(timeout)

    def nudge(self) -> None:
        self._following.nudge()

    def close(self) -> None:
        self._following.close()

    def control(self, run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        folder = self._folder(run)
        address = read_address(folder)
        if address is None:
            raise RunnerGone("it has no folder")
        if state_of(folder) is not SpoolState.LOCKED:
            raise RunnerGone("nobody writes its spool")  # a copied home has the other's addresses
        channel = open_channel(address, CONTROL_SECONDS)
        with channel:
            tell(channel, request)
            return hear(channel)

    def tie(self, tied: bool) -> None:
        try:
            self._tying.tie(tied)
        except OSError as fault:  # asked again at the next look: nothing else waits for it
            log.warning("runners not told whether to end with the app: %s", fault)

    def living(self) -> Sequence[str]:
        try:
            names = sorted(os.listdir(self._runs))
        except FileNotFoundError:
            return ()
        return [name for name in names if self._is_locked(name)]

    def _is_locked(self, run: str) -> bool:
        try:
            return self.state(run) is SpoolState.LOCKED
        except OSError:  # no folder of a run
            return False

    def sweep(self, run: str) -> Sequence[int]:
        """The run's group first: what is left then has left the group or never had one."""
        inside = end_group(self._folder(run))
        left = sorted({*inside, *self._sweep(f"ROUNDTABLE_RUN={run}")})
        if self.state(run) is SpoolState.FREE:
            drop_secrets(self._folder(run))
            drop_socket(self._folder(run))
        return left

    def works_in(self, run: str) -> str | None:
        return working_folder(self._folder(run))

    def _folder(self, run: str) -> Path:
        return self._runs / run

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        errors = create(folder / ERRORS)
        try:
            return subprocess.Popen(
                [*self._program("runner"), str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=folder,
                env={name: os.environ[name] for name in KEPT if name in os.environ},
                start_new_session=True,
                umask=self._umask,
            )
        finally:
            os.close(errors)

    def _reap(self) -> None:
        """No zombies, and of runners that have ended only what their spools cannot tell."""
        with self._lock:
            ended = [run for run, child in self._children.items() if child.poll() is not None]
            for run in ended:
                code = self._children.pop(run).returncode
                if self.state(run) is SpoolState.ABSENT:
                    said = last_line(self._folder(run) / ERRORS)
                    self._unborn[run] = f"the runner ended ({code}) before it began. {said}".strip()

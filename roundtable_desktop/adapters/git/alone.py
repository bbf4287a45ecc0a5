"""Sees to it that no git of an earlier owner is at work any more when the first of ours begins."""

import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from roundtable_desktop.model.ports import STOPPED, GitFailed

MARK = "ROUNDTABLE_GIT"
PATIENCE = 1.0
"""Seconds that a git whose owner was killed gets to end by itself, before it is ended."""
SWEEPS = 2
GATE_SECONDS = 0.5
_LOOK = 0.02
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Alone:
    """A lock that this process hands on to every git that it starts: the kernel frees it when the
    last of them is gone, whoever started it. So who holds it is alone in the user's repositories.

    file: of the home, which has one owner at a time. sweep: ends what carries a mark.
    """

    def __init__(self, file: Path, sweep: Callable[[str], Sequence[int]]) -> None:
        self._file = file
        self._sweep = sweep
        self._gate = threading.Lock()
        self._descriptor: int | None = None
        self._users = 0
        self._over = False
        self._refused = 0
        self._why: GitFailed | None = None

    @property
    def mark(self) -> dict[str, str]:
        """The environment by which a git of this home is known."""
        return {MARK: str(self._file)}

    @contextmanager
    def held(self) -> Iterator[int]:
        """The descriptor for a git to inherit as it is started. Raises GitFailed: `git_left_over`,
        one of before cannot be ended; `git_lock_unusable`; `git_stopped` after `let_go`."""
        before = self._refused
        with self._gate:
            self._go_on()
            if self._descriptor is None:
                self._descriptor = self._take_or_refuse(before)
            descriptor = self._descriptor
            self._users += 1
        try:
            yield descriptor
        finally:
            with self._gate:
                self._users -= 1
                self._close()

    def let_go(self) -> None:
        """What was started keeps it; nothing more is started. Whoever holds the gate for longer
        is still waiting for the lock, and gives that up by itself."""
        self._over = True
        if self._gate.acquire(timeout=GATE_SECONDS):
            try:
                self._close()
            finally:
                self._gate.release()

    def _go_on(self) -> None:
        if self._over:
            raise GitFailed(STOPPED)

    def _close(self) -> None:
        """Not while it is being handed on: its number might mean another file by then."""
        if self._over and not self._users and self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _take_or_refuse(self, before: int) -> int:
        """before: how many tries had failed when this caller came. One that failed since is the
        answer of all who waited for it: else each would wait for a try of its own."""
        if self._why is not None and self._refused != before:
            raise GitFailed(self._why.code, self._why.text)
        try:
            return self._take()
        except GitFailed as why:
            if why.code != STOPPED:
                self._refused, self._why = self._refused + 1, why
            raise

    def _take(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._file, flags, 0o600)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise
            said = f"{self._file}: {error.strerror}; remove it, then try again"
            raise GitFailed("git_lock_unusable", said) from error
        try:
            for _ in range(SWEEPS):
                if self._locked(descriptor):
                    return descriptor
                self._sweep(f"{MARK}={self._file}")
            if self._locked(descriptor):
                return descriptor
            raise GitFailed("git_left_over", str(self._file))
        except BaseException:
            os.close(descriptor)
            raise

    def _locked(self, descriptor: int) -> bool:
        end = time.monotonic() + PATIENCE
        while True:
            self._go_on()
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    return False
                time.sleep(_LOOK)
            else:
                return True

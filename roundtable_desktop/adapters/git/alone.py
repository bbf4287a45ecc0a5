"""Sees to it that no git of an earlier owner is at work any more when the first of ours begins."""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from roundtable_desktop.model.ports import GitFailed

MARK = "ROUNDTABLE_GIT"
PATIENCE = 1.0
"""Seconds that a git whose owner was killed gets to end by itself, before it is ended."""
SWEEPS = 2
_LOOK = 0.02


class Alone:
    """A lock that this process hands on to every git that it starts: the kernel frees it when the
    last of them is gone, whoever started it. So who holds it is alone in the user's repositories.

    file: of the home, which has one owner at a time. sweep: ends what carries a mark.
    """

    def __init__(self, file: Path, sweep: Callable[[str], Sequence[int]]) -> None:
        self._file = file
        self._sweep = sweep
        self._gate = threading.Lock()
        self._held: int | None = None

    @property
    def mark(self) -> dict[str, str]:
        """The environment by which a git of this home is known."""
        return {MARK: str(self._file)}

    def hold(self) -> int:
        """The descriptor for a git to inherit. Raises GitFailed(`git_left_over`): one of before
        cannot be ended."""
        with self._gate:
            if self._held is None:
                self._held = self._take()
            return self._held

    def let_go(self) -> None:
        with self._gate:
            if self._held is not None:
                os.close(self._held)
                self._held = None

    def _take(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        for _ in range(SWEEPS):
            if _locked(descriptor, PATIENCE):
                return descriptor
            self._sweep(f"{MARK}={self._file}")
        if _locked(descriptor, PATIENCE):
            return descriptor
        os.close(descriptor)
        raise GitFailed("git_left_over", str(self._file))


def _locked(descriptor: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK)
        else:
            return True

"""The lock by which runners know that this app lives, where agents are to end with it (F-05)."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

_TRIES, _STEP = 40, 0.005


class Tying:
    """It is released by the kernel, however this process ends."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held: int | None = None
        self._untied = False

    def tie(self, tied: bool) -> None:
        """Tied: from now on. Not tied: the file goes, and with it what an earlier life wanted."""
        if tied and self._held is None:
            self._held = self._take()
            self._untied = False
        elif not tied and not self._untied:
            self._file.unlink(missing_ok=True)
            self._release()
            self._untied = True

    def _take(self) -> int | None:
        """A runner that has just found it free holds it for an instant."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        for _ in range(_TRIES):
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            time.sleep(_STEP)
        os.close(descriptor)
        return None

    def _release(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

"""The run's birth certificate, its sign of life, and the numbered messages that matter."""

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self


def micros() -> int:
    """UTC microseconds."""
    return time.time_ns() // 1000


class Spool:
    """An append-only file that this process alone writes, and locks as long as it lives."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = 0
        self.seq = 0
        self.bells: set[Callable[[], None]] = set()

    @classmethod
    def born(cls, folder: Path, **hello: object) -> Self:
        """Creates spool.ndjson with its first line. Raises FileExistsError: somebody was first.

        A file created under its own name would for a moment be there without a lock, and
        recovery would read that as a runner that came and went. So it is made, locked and
        written under a private name and then linked: the lock is the inode's and comes along,
        and link(2) refuses an existing name just as O_EXCL does.
        """
        private = folder / f".spool.{os.getpid()}"
        flags = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        spool = cls(os.open(private, flags, 0o600))
        try:
            fcntl.flock(spool._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            spool.put("hello", **hello)
            os.link(private, folder / "spool.ndjson", follow_symlinks=False)
        except BaseException:
            os.close(spool._descriptor)
            raise
        finally:
            os.unlink(private)
        return spool

    def put(self, kind: str, **body: object) -> None:
        """Writes one whole line, or nothing and raises OSError (a full disk).

        No buffer of ours: what was put survives a SIGKILL in the next instruction.
        """
        message: dict[str, Any] = {"seq": self.seq + 1, "at": micros(), "kind": kind, **body}
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        line = text.encode("utf-8", "replace") + b"\n"
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):
                raise OSError("the spool took only part of a line")
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(line)
        self.seq += 1
        for ring in tuple(self.bells):
            ring()

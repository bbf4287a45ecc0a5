"""Hears that the app has gone, where the person wants agents to end with it (F-05)."""

import fcntl
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

LOOK = 5.0
"""Seconds between two looks whether the person wants it at all."""
GRACE = 4.0
"""Seconds for an app that comes back: an update, or a quick restart after a fault."""


def file_of(run_folder: Path) -> Path:
    """Beside the runs of its home. It is there while agents are to end with the app, and locked by
    the app as long as that lives: no pid that somebody else may get, and no parent's death signal,
    which comes already when a thread ends."""
    return run_folder.absolute().parent.parent / "tied.lock"


def watch(file: Path, gone: Callable[[], None]) -> None:
    """Calls `gone` once, from a thread of its own that ends with the process."""
    threading.Thread(target=_watch, args=(file, gone), daemon=True, name="tie").start()


def _watch(file: Path, gone: Callable[[], None]) -> None:
    while True:
        if not _is_free(file, wait=True):
            time.sleep(LOOK)
            continue
        time.sleep(GRACE)
        if _is_free(file, wait=False):
            return gone()


def _is_free(file: Path, *, wait: bool) -> bool:
    """Whether it is there and nobody holds it. wait: until that is so; the kernel wakes us."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | (0 if wait else fcntl.LOCK_NB))
        return os.fstat(descriptor).st_nlink > 0  # else it was taken away while we waited
    except OSError:
        return False
    finally:
        os.close(descriptor)

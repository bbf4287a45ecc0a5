"""Keeps an agent that starts processes without end from taking the whole machine (F-36)."""

import os
import resource
import sys
from contextlib import suppress

from roundtable_desktop.runner.identity import HAS_PROC, PROC

LOOK = 1.0
"""Seconds between two glances; one costs a read of a few bytes."""
JUMP = 128
"""So many new tasks on the machine since the last glance are worth a look at our own tree."""
ROOM = 1024
"""Tasks that the kernel lets the agent's tree add to what its user has now. It counts threads, and
those of the user's other programs too, so there is room beyond the limit that we count ourselves;
it holds for nobody with root's rights."""


def tasks_on_machine() -> int:
    """Processes and threads of everybody; 0 where the system does not tell."""
    try:
        return int((PROC / "loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def wall(pid: int) -> None:
    """From now on that process and whatever it starts cannot grow beyond the room there is."""
    if sys.platform != "linux" or not HAS_PROC:
        return
    with suppress(OSError, ValueError):
        _, hard = resource.prlimit(pid, resource.RLIMIT_NPROC)
        most = _tasks_of_user() + ROOM
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.prlimit(pid, resource.RLIMIT_NPROC, (most, most))


def _tasks_of_user() -> int:
    count = 0
    for name in os.listdir(PROC):
        if name.isdigit():
            with suppress(OSError):
                folder = PROC / name
                if folder.stat().st_uid == os.getuid():
                    count += int((folder / "stat").read_bytes().rpartition(b")")[2].split()[17])
    return count

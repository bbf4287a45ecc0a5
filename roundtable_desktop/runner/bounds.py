"""Keeps an agent that starts processes without end, or takes memory without end, from taking the
whole machine (F-36, F-37)."""

import os
import resource
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from roundtable_desktop.runner.identity import HAS_PROC, PROC

LOOK = 0.5
"""Seconds between two glances; one costs a read of a few bytes."""
SOON, MANY_ENDED = 0.05, 32
"""After so many ended orphans we look again that soon: corpses take a number each, and with the
numbers of five seconds a storm of forks fills what the machine has of them."""
JUMP = 128
"""So many new tasks on the machine since the last glance are worth a look at our own tree."""
ROOM = 1024
"""Tasks that the kernel lets the agent's tree add to what its user has now. It counts threads, and
those of the user's other programs too, so there is room beyond the limit that we count ourselves;
it holds for nobody with root's rights."""
FIRST_TO_GO = 800
"""Of 1000: where the kernel has no memory left it ends these before the person's own programs, a
browser's pages (300) among them."""
OWN_TURN = PROC / "self" / "oom_score_adj"
SMALLEST_FALL = 64 << 20
"""Bytes; a machine at work has less to give now and then, and that is worth no look at a tree."""


def tasks_on_machine() -> int:
    """Processes and threads of everybody; 0 where the system does not tell."""
    try:
        return int((PROC / "loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def until_next(ended: int) -> float:
    """Seconds until the next glance. ended: orphans since the last one."""
    return SOON if ended >= MANY_ENDED else LOOK


def walls() -> Callable[[], None]:
    """What a new agent does between its fork and its exec: from then on it, and whatever it
    starts, cannot grow beyond the room there is, and the kernel takes it before anything else.

    The agent does it to itself, because one that is told from outside has had time to start some.
    """
    if sys.platform != "linux" or not HAS_PROC:
        return lambda: None
    most = _tasks_of_user() + ROOM

    def raise_them() -> None:
        with suppress(OSError, ValueError):
            _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
            if hard == resource.RLIM_INFINITY or most < hard:
                resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        with suppress(OSError, ValueError):
            if int(OWN_TURN.read_text()) < FIRST_TO_GO:
                OWN_TURN.write_text(str(FIRST_TO_GO))

    return raise_them


def most_memory(asked: int) -> int:
    """Bytes that the tree may use; half of the machine's where nobody says how many. 0: there is
    no telling here, and so no limit."""
    if not _memory():
        return 0
    return asked or _memory().get("MemTotal", 0) // 2


def room() -> int:
    """Bytes of memory that could still be had, swap included."""
    seen = _memory()
    return seen.get("MemAvailable", 0) + seen.get("SwapFree", 0)


def worth_a_look(most: int, used: int) -> int:
    """By how many bytes the room has to fall until the tree may be near its limit."""
    return max(SMALLEST_FALL, (most - used) // 2)


def used(pids: Iterable[int]) -> int:
    """Bytes that go when these go: pages that several share count once, and those in swap count."""
    return sum(map(_share, pids))


def kernel_kills() -> int:
    """How often since its start the kernel has ended something because no memory was left."""
    with suppress(OSError, ValueError):
        for row in (PROC / "vmstat").read_text().splitlines():
            if row.startswith("oom_kill "):
                return int(row.split()[1])
    return 0


class Kernel:
    """What it ends for want of memory. Its count is of the whole machine and of a long time, so
    what was counted before the last two looks was not ours: we were alive then."""

    def __init__(self) -> None:
        self._seen = deque([kernel_kills()], maxlen=2)

    def look(self) -> None:
        """While the agent lives."""
        self._seen.append(kernel_kills())

    def struck(self) -> bool:
        """Whether it ended something since the look before the last."""
        return kernel_kills() > self._seen[0]


def _share(pid: int) -> int:
    """0 of one that is gone, or whose memory is not ours to see."""
    try:
        rows = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(_bytes(row) for row in rows if row.startswith(("Pss:", "SwapPss:")))


def _memory() -> dict[str, int]:
    """Of the machine; nothing where the system does not tell."""
    try:
        rows = (PROC / "meminfo").read_text().splitlines()
    except OSError:
        return {}
    wanted = ("MemTotal:", "MemAvailable:", "SwapFree:")
    return {row.partition(":")[0]: _bytes(row) for row in rows if row.startswith(wanted)}


def _bytes(row: str) -> int:
    """`Name:   123 kB`"""
    return int(row.split()[1]) << 10


def _tasks_of_user() -> int:
    count = 0
    for name in os.listdir(PROC):
        if name.isdigit():
            with suppress(OSError):
                folder = PROC / name
                if folder.stat().st_uid == os.getuid():
                    count += int((folder / "stat").read_bytes().rpartition(b")")[2].split()[17])
    return count

"""Says which process is meant: a pid alone may belong to somebody else by now (law 10)."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
HAS_PROC = (PROC / "self/stat").exists()
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Process:
    """One look at a process. ticks: its kernel start time; with the pid it is its identity.

    cpu: seconds of its own and of its children that it has waited for. memory: bytes that it has
    in use, with those that others use too.
    """

    pid: int
    parent: int
    group: int
    ticks: int
    name: str
    dead: bool
    cpu: float
    memory: int = 0


def boot() -> str:
    """The identity of this boot; pids and ticks mean nothing beyond it. "" where there is none."""
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def look_at(pid: int) -> Process | None:
    """None when there is no such process (or no /proc to ask)."""
    try:
        raw = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name is in brackets and may hold anything, brackets too: proc_pid_stat(5).
    head, _, rest = raw.rpartition(b")")
    fields = rest.split()
    zombie = fields[0] == b"Z"
    return Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        ticks=int(fields[19]),
        name=head.partition(b"(")[2].decode("utf-8", "replace"),
        # A leader that is gone while its threads still run is no corpse yet.
        dead=zombie and int(fields[17]) <= 1,
        cpu=sum(map(int, fields[11:15])) / TICKS_PER_SECOND,
        memory=int(fields[21]) * PAGE,
    )


def ticks(pid: int) -> int:
    """The kernel start time of a process; 0 when it cannot be told."""
    process = look_at(pid)
    return process.ticks if process else 0


def send(pid: int, started: int, number: signal.Signals) -> None:
    """Signals exactly that process: its pidfd is opened first, then its start time compared."""
    try:
        if not HAS_PROC:
            os.kill(pid, number)
            return
        handle = os.pidfd_open(pid)
        try:
            if ticks(pid) == started:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
    except (ProcessLookupError, PermissionError):
        return  # gone already, or not ours to end: the next look tells

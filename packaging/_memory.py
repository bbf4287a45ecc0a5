"""Where the folders of the tests lie: in memory where there is plenty, else as pytest has it."""

from __future__ import annotations

import os
from pathlib import Path

MEMORY, MEMINFO = Path("/dev/shm"), Path("/proc/meminfo")
ROOM = 6 << 30
"""Bytes that must be free: what a whole run holds at one time is far less."""


def in_memory(memory: Path = MEMORY) -> list[str]:
    """Words for pytest, which also reads the environment. A commit waits milliseconds for a disk,
    and the tests make tens of thousands; none asks what the disk does, but what it was told.

    What a green test leaves is removed at once: only the folders of failures stay.
    """
    if not has_room(memory):
        return []
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    return ["-o", "tmp_path_retention_policy=failed", "-o", "tmp_path_retention_count=1"]


def has_room(memory: Path, room: int = ROOM) -> bool:
    """That of a container is small, and may run no program."""
    try:
        seen = os.statvfs(memory)
        told = MEMINFO.read_text().partition("MemAvailable:")[2].split()
        free = min(seen.f_bavail * seen.f_frsize, int(told[0]) * 1024)
    except (OSError, LookupError):  # a kernel that is no Linux, or an old one, tells less
        return False
    return free > room and not seen.f_flag & os.ST_NOEXEC and os.access(memory, os.W_OK)

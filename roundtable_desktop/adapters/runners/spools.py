"""Asks a spool who holds it and what it says; creates it where nobody was born."""

import fcntl
import json
import os
import secrets
from pathlib import Path

from roundtable_desktop.adapters.runners.folder import SPOOL, create
from roundtable_desktop.model.ports import SpoolState

CHUNK = 256 * 1024


def spool_of(folder: Path) -> Path:
    return folder / SPOOL


def state_of(folder: Path) -> SpoolState:
    """The kernel's lock is the truth: no pid, no reuse, gone with its process."""
    try:
        descriptor = os.open(spool_of(folder), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return SpoolState.ABSENT
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return SpoolState.LOCKED
    finally:
        os.close(descriptor)
    return SpoolState.FREE


def create_void(folder: Path) -> bool:
    """Makes the spool appear with its one line, as a runner does; False when one was first.

    link(2) refuses an existing name, so exactly one of the two wins.
    """
    os.makedirs(folder, 0o700, exist_ok=True)
    private = folder / f".void.{secrets.token_hex(4)}"
    descriptor = create(private)
    try:
        with open(descriptor, "wb") as file:
            # The file's own time: an adapter reads no clock (law 6).
            at = os.fstat(descriptor).st_mtime_ns // 1000
            file.write(json.dumps({"seq": 1, "at": at, "kind": "void"}).encode() + b"\n")
        os.link(private, spool_of(folder), follow_symlinks=False)
    except FileExistsError:
        return False
    finally:
        os.unlink(private)
    return True


def read_lines(folder: Path, offset: int) -> bytes:
    """Whole lines only: a torn last one waits until it is whole."""
    try:
        with open(spool_of(folder), "rb") as file:
            file.seek(offset)
            chunk = file.read(CHUNK)
    except FileNotFoundError:
        return b""
    return chunk[: chunk.rfind(b"\n") + 1]


def size_of(folder: Path) -> int:
    try:
        return spool_of(folder).stat().st_size
    except FileNotFoundError:
        return 0


def has_begun(folder: Path, ended: bool) -> bool:
    """Whether the runner has started its agent, or never will. ended: its process has."""
    if ended:
        return True
    lines = read_lines(folder, 0).splitlines()
    return any(b'"agent"' in line or b'"end"' in line or b'"void"' in line for line in lines[:8])

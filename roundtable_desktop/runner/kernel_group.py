"""Holds a run's processes in a control group of the kernel's (cgroup v2): no fork leaves it."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from roundtable_desktop.runner.identity import PROC

RECORD = "kernel-group"
"""In the run's folder: where its group is. Whoever cleans up after us reads it."""
OLD = 3600.0
"""Seconds."""
_MEMBERS, _KILL, _FREEZE, _EVENTS = "cgroup.procs", "cgroup.kill", "cgroup.freeze", "cgroup.events"


class KernelGroup:
    """A child of the group that we are in ourselves; we never enter it. It comes on top of
    the looks at /proc: an agent that has the rights to leave it is found by those."""

    def __init__(self, path: Path | None = None, record: Path | None = None) -> None:
        """path: None where the machine gives us none; then nothing here does anything."""
        self._path, self._record = path, record

    @classmethod
    def made(cls, run_folder: Path, proc: Path = PROC) -> Self:
        """Recorded before it is there, so that a crash in between leaves nothing unknown."""
        above = own(proc)
        if above is None:
            return cls()
        path, record = above / name_of(run_folder), run_folder / RECORD
        try:
            _write(record, str(path), os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
            _tidy(above, path)
            path.mkdir()
        except OSError:  # not ours to make: most sessions that are no desktop's
            record.unlink(missing_ok=True)
            return cls()
        return cls(path, record)

    def enter(self) -> None:
        """What a new process does before it becomes the agent; from then on all of it is here."""
        if self._path:
            with suppress(OSError):
                _write(self._path / _MEMBERS, "0")

    def pids(self) -> set[int]:
        """Of what lives in it; corpses are in no group. A threaded one that the agent made below
        tells none; the one above it tells them all."""
        found: set[int] = set()
        for folder in self._folders():
            with suppress(OSError):
                found |= set(map(int, (folder / _MEMBERS).read_bytes().split()))
        return found

    def kill(self) -> None:
        """The kernel's own stroke reaches what is being forked at this moment, too. Before Linux
        5.14 they are frozen first: what is frozen forks no more, but dies."""
        if self._path is None or self.empty():
            return
        if os.getpid() in self.pids():  # the agent put us there
            with suppress(OSError):
                _write(self._path.parent / _MEMBERS, "0")
        try:
            _write(self._path / _KILL, "1")
        except OSError:
            with suppress(OSError):
                _write(self._path / _FREEZE, "1")
            for pid in self.pids() - {os.getpid()}:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def empty(self) -> bool:
        """As the kernel says it, of the groups below as well."""
        if self._path is None:
            return True
        try:
            return b"populated 0" in (self._path / _EVENTS).read_bytes()
        except OSError:
            return True  # it is gone

    def remove(self) -> None:
        """With those that the agent made below; what still holds something stays, and its record
        with it."""
        for folder in self._folders():
            with suppress(OSError):
                folder.rmdir()
        if self._record and self._path and not self._path.exists():
            self._record.unlink(missing_ok=True)

    def _folders(self) -> Iterator[Path]:
        """The deepest first."""
        if self._path:
            for folder, _, _ in os.walk(self._path, topdown=False):
                yield Path(folder)


def name_of(run_folder: Path) -> str:
    """By the folder's identity and not by its name: a home that was moved keeps its groups, and
    one that was copied has none of the other's."""
    seen = run_folder.stat()
    return f"roundtable-{seen.st_dev:x}-{seen.st_ino:x}"


def own(proc: Path = PROC) -> Path | None:
    """The folder of the group that we are in; None without cgroup v2, or where what the kernel
    tells does not fit together, as in some containers."""
    try:
        ours = (proc / "self" / "cgroup").read_text().splitlines()
        mounts = (proc / "self" / "mountinfo").read_text().splitlines()
        [inside] = [row.removeprefix("0::") for row in ours if row.startswith("0::")]
    except (OSError, ValueError):
        return None
    for row in mounts:
        fields, _, source = row.partition(" - ")
        if source.startswith("cgroup2 "):
            root, point = fields.split()[3:5]
            path = Path(point) / os.path.relpath(inside, root)
            if ".." not in path.parts and _holds_us(path):
                return path
    return None


def _tidy(above: Path, ours: Path) -> None:
    """Empty ones that nobody takes away: of a home that is gone, or a folder that had our number.
    A young one may be about to be entered."""
    for group in above.glob("roundtable-*"):
        with suppress(OSError):
            if group == ours or time.time() - group.stat().st_mtime > OLD:
                group.rmdir()


def _holds_us(path: Path) -> bool:
    try:
        return str(os.getpid()) in (path / _MEMBERS).read_text().split()
    except OSError:
        return False


def _write(path: Path, text: str, flags: int = 0) -> None:
    """Into a file that is there; by itself it makes none."""
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags, 0o600)
    try:
        os.write(handle, os.fsencode(text))
    finally:
        os.close(handle)

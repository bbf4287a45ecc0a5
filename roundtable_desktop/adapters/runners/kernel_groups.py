"""Ends what is left in the kernel's control group of a run whose runner has gone."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

RECORD = "kernel-group"
"""In the run's folder; its runner writes there where the group is."""
KILL = "cgroup.kill"
TERM_SECONDS, KILL_SECONDS, STORM_SECONDS = 2.0, 3.0, 9.0
PATH_BYTES = 4096
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PROC = Path("/proc")
_LOOK = 0.05


def end_group(run_folder: Path) -> Sequence[int]:
    """SIGTERM, 2 s, then the kernel's stroke until nothing lives in it; the group goes, and its
    record. The pids that are left when 3 s more have taken none of them away; none where the run
    has no group.

    The kernel knows its members for certain: those without the run's mark are among them, and none
    outruns it by forking.
    """
    group = group_of(run_folder)
    if group is None:
        return ()
    _step_out(group)
    _tell(group, signal.SIGTERM)
    if not _until(lambda: _is_empty(group), TERM_SECONDS):
        _strike(group)
    _remove(group, run_folder / RECORD)
    return sorted(_pids(group))


def group_of(run_folder: Path, proc: Path = _PROC) -> Path | None:
    """As its runner recorded it, where that is true of this very folder and of this machine. A copy
    of a home has the other one's records and must not end its agents; and the agents can write
    here as well as we."""
    try:
        with open(os.open(run_folder / RECORD, _READ), "rb") as file:
            group = Path(os.fsdecode(file.read(PATH_BYTES)))
        seen = run_folder.stat()
        rows = (proc / "self" / "mountinfo").read_text().splitlines()
    except (OSError, ValueError):
        return None
    pairs = (row.partition(" - ")[::2] for row in rows)
    points = {Path(field.split()[4]) for field, source in pairs if source.startswith("cgroup2 ")}
    if group.name != f"roundtable-{seen.st_dev:x}-{seen.st_ino:x}" or ".." in group.parts:
        return None
    return group if points & set(group.parents) else None


def _strike(group: Path) -> None:
    """Until it is empty, or nothing of it went for 3 s: thousands take their time to die. Before
    Linux 5.14 they are frozen first: what is frozen forks no more, but dies."""
    began = fewer_at = time.monotonic()
    fewest = len(_pids(group))
    while not _is_empty(group):
        _step_out(group)
        if not _write(group / KILL, "1"):
            _write(group / "cgroup.freeze", "1")
            _tell(group, signal.SIGKILL)
        time.sleep(_LOOK)
        left, now = len(_pids(group)), time.monotonic()
        if left < fewest:
            fewest, fewer_at = left, now
        if now > min(fewer_at + KILL_SECONDS, began + STORM_SECONDS):
            return


def _tell(group: Path, number: signal.Signals) -> None:
    """Each that is in it: a pid is opened first, and looked for in the group again then."""
    handles: dict[int, int] = {}
    try:
        for pid in _pids(group):
            with suppress(OSError):
                handles[pid] = os.pidfd_open(pid)
        for pid in _pids(group) & handles.keys():
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(handles[pid], number)
    finally:
        for handle in handles.values():
            os.close(handle)


def _step_out(group: Path) -> None:
    """An agent may have put us there."""
    if os.getpid() in _pids(group):
        _write(group.parent / "cgroup.procs", "0")


def _pids(group: Path) -> set[int]:
    """A threaded group that the agent made tells none; the one above it tells them all."""
    found: set[int] = set()
    for folder in _folders(group):
        with suppress(OSError):
            found |= set(map(int, (folder / "cgroup.procs").read_bytes().split()))
    return found


def _is_empty(group: Path) -> bool:
    """As the kernel says it, of the groups below as well."""
    try:
        return b"populated 0" in (group / "cgroup.events").read_bytes()
    except OSError:
        return True  # it is gone


def _remove(group: Path, record: Path) -> None:
    """What still holds something stays, and its record with it."""
    for folder in _folders(group):
        with suppress(OSError):
            folder.rmdir()
    if not group.exists():
        record.unlink(missing_ok=True)


def _folders(group: Path) -> Iterator[Path]:
    """The deepest first."""
    for folder, _, _ in os.walk(group, topdown=False):
        yield Path(folder)


def _write(path: Path, text: str) -> bool:
    """Into a file that is there; False when it is not, or not ours to write."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(handle, text.encode())
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _until(done: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(_LOOK)
    return True

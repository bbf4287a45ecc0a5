"""Tells processes apart for good, and ends those that a vanished runner left behind."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import psutil

from roundtable_desktop.model.ports import ProcessFacts
from roundtable_desktop.model.records import Process

TERM_SECONDS = 2.0
KILL_SECONDS = 3.0
STORM_SECONDS = 12.0
"""For what forks as fast as it is killed; then it has been told and killed in less than 15 s."""
_LOOK = 0.05
_MOST_PIDS = 1 << 22
"""More than this no kernel gives."""
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Identity:
    """A pid is used again, a pid with its kernel start time in one boot is not (law 10)."""

    boot: str
    pid: int
    ticks: int


def boot_id() -> str:
    """ "" where the kernel does not tell."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def identify(pid: int) -> Identity | None:
    """None when there is no such process, or only its corpse is left."""
    ticks = _living_ticks(pid)
    return None if ticks is None else Identity(boot_id(), pid, ticks)


def is_alive(identity: Identity) -> bool:
    return identify(identity.pid) == identity


def marked(mark: str, lock: Path | None = None) -> list[Identity]:
    """Living processes whose environment holds `mark` ("NAME=value"), as far as we may look. lock:
    of a home; those of another one are left out."""
    return list(_Hunt(mark, lock).each())


class _Hunt:
    """Looks for one mark, again and again. met: one that carries it was seen. sure: nothing came
    or went during the last look, so that it missed none."""

    def __init__(self, mark: str, lock: Path | None) -> None:
        self.met, self.sure = False, True
        self._name, _, self._value = mark.partition("=")
        self._lock = lock
        self._mute: set[int] = set()

    def each(self) -> Iterator[Identity]:
        """One by one, so that it is no old news when something is done about it."""
        self.sure = True
        for pid, known in _environments(self._name, self._missed):
            ours = known.get(self._name) == self._value and not _of_another(known, self._lock)
            if ours and pid != os.getpid() and (one := identify(pid)):
                self.met = True
                yield one

    def over(self) -> bool:
        """None is left by this look; one that missed some says nothing of a storm of forks. The
        first one will do: to read what a process began with is to wait for its turn, if it is
        forking just then."""
        return next(self.each(), None) is None and (self.sure or not self.met)

    def _missed(self, pid: int) -> None:
        """It went, or has nothing to say: a corpse that was one before, and the kernel's own
        threads, are no news."""
        if pid not in self._mute:
            self.sure = False
            self._mute.add(pid)


def _environments(
    name: str, missed: Callable[[int], None] = lambda pid: None
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """What each process that we may look at was started with, if that has `name`; the newest first,
    for those are the first to go. missed: told of those that went meanwhile or have none at all."""
    if not _PROC.joinpath("self/stat").exists():
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                yield process.pid, process.environ()
        return
    wanted = os.fsencode(f"{name}=")
    for pid in _newest_first():
        try:
            with open(f"{_PROC}/{pid}/environ", "rb") as file:
                raw = file.read()
        except PermissionError:
            continue
        except OSError:
            raw = b""
        if not raw:
            missed(pid)
        if wanted in raw:
            pairs = (one.partition("=") for one in os.fsdecode(raw).split("\0"))
            yield pid, {key: value for key, _, value in pairs}


def _newest_first() -> list[int]:
    """Numbers are given in a circle; the last one that was given is in the machine's load."""
    pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    last = int(_PROC.joinpath("loadavg").read_text().split()[-1])
    return sorted(pids, key=lambda pid: (last - pid) % _MOST_PIDS)


@dataclass(frozen=True, slots=True)
class Marked:
    """Processes with the mark of a run of this home. A home that was copied has the runs of the
    other one in its database, and must not end them there. lock: the home's own."""

    lock: Path

    def of_runs(self) -> dict[str, list[int]]:
        """Living ones by their run, as far as we may look; a home that has no such run may be
        theirs too."""
        found: dict[str, list[int]] = {}
        for pid, known in _environments("ROUNDTABLE_RUN"):
            run = known.get("ROUNDTABLE_RUN")
            if run and not _of_another(known, self.lock) and identify(pid):
                found.setdefault(run, []).append(pid)
        return found

    def sweep(self, mark: str) -> Sequence[int]:
        return sweep(mark, self.lock)


def _of_another(known: Mapping[str, str], lock: Path | None) -> bool:
    """By where the agent was told to leave its report, while that home is still there: one that
    was moved since keeps its runs."""
    told = known.get("ROUNDTABLE_RESULT_FILE")
    if lock is None or not told:
        return False
    try:
        return not os.path.samefile(Path(told).parents[2] / lock.name, lock)
    except (OSError, ValueError, IndexError):
        return False


def send(identity: Identity, number: signal.Signals) -> None:
    """Signals exactly that process: its pidfd is opened first, then its identity compared."""
    try:
        if not hasattr(os, "pidfd_open"):
            if is_alive(identity):
                os.kill(identity.pid, number)
            return
        handle = os.pidfd_open(identity.pid)
        try:
            if is_alive(identity):
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
    except (ProcessLookupError, PermissionError):
        return  # gone already, or not ours to end: the next look tells


def sweep(mark: str, lock: Path | None = None) -> Sequence[int]:
    """SIGTERM, 2 s, SIGKILL until nothing carries the mark; the pids that are left after 3 s, or
    after 12 s of a storm. lock: as in `marked`."""
    hunt, end = _Hunt(mark, lock), time.monotonic() + TERM_SECONDS
    for one in hunt.each():
        send(one, signal.SIGTERM)
        if time.monotonic() > end:
            break  # it forks faster than we read
    if _gone(hunt.over, end):
        return []
    return _kill(hunt)


def _kill(hunt: _Hunt) -> Sequence[int]:
    """Without a pause while there is something to hit, for between two looks a storm grows again.
    It gets more time as long as it shows new ones: what cannot be ended at all is the same each
    time. A look ends with that time, too: one that forks makes each that reads it wait."""
    known: set[Identity] = set()
    new_at = time.monotonic()
    last = new_at + STORM_SECONDS
    while True:
        seen = set()
        for one in hunt.each():
            _strike(one)
            seen.add(one)
            if time.monotonic() > last:
                break
        if seen - known:
            new_at = time.monotonic()
        elif seen:
            time.sleep(_LOOK)
        known |= seen
        if not seen and _gone(hunt.over, time.monotonic() + KILL_SECONDS / 15):
            return []
        if time.monotonic() > min(new_at + KILL_SECONDS, last):
            left = [one for one in known if is_alive(one)]
            return sorted(one.pid for one in left or islice(hunt.each(), 1))


def _strike(one: Identity) -> None:
    """With its group, in which no fork succeeds from then on: what is marked leads its session or
    descends from who does, so that it has no stranger in its group. It is stopped first: what is
    stopped cannot fork away, and keeps the group's number from reuse."""
    if not hasattr(os, "pidfd_open"):
        return send(one, signal.SIGKILL)
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(one.pid)
        try:
            if _living_ticks(one.pid) == one.ticks:
                signal.pidfd_send_signal(handle, signal.SIGSTOP)
                group = os.getpgid(one.pid)
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                if group not in (os.getpgrp(), 0, 1):
                    os.killpg(group, signal.SIGKILL)
        finally:
            os.close(handle)


def _gone(over: Callable[[], bool], end: float) -> bool:
    """Twice in a row: one look may miss what forks and exits meanwhile. On a busy machine a look
    alone takes its time, so it is the clock that counts, and not the looks."""
    empty = 0
    while True:
        empty = empty + 1 if over() else 0
        if empty == 2:
            return True
        if not empty and time.monotonic() > end:
            return False
        time.sleep(_LOOK)


def _living_ticks(pid: int) -> int | None:
    """The kernel start time; where there is no /proc, psutil's in hundredths of a second."""
    try:
        if not _PROC.joinpath("self/stat").exists():
            process = psutil.Process(pid)
            corpse = process.status() == psutil.STATUS_ZOMBIE
            return None if corpse else int(process.create_time() * 100)
        # The name is in brackets and may hold anything, brackets too: proc_pid_stat(5).
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except (psutil.Error, OSError):
        return None
    # A leader that is gone while its threads still run is no corpse yet.
    corpse = fields[0] == b"Z" and int(fields[17]) <= 1
    return None if corpse else int(fields[19])


def holds(pid: int, file: Path) -> bool:
    """Whether that process has the file open; False when it is not ours to ask."""
    try:
        return any(Path(one.path) == file for one in psutil.Process(pid).open_files())
    except psutil.Error:
        return False


def ask_to_end(pid: int, file: Path, seconds: float) -> None:
    """Tells the process that has the file open to end, and waits until it did. One that is gone
    meanwhile, or has not opened it yet, is left alone."""
    known = identify(pid)
    if known is None or not holds(pid, file):
        return
    send(known, signal.SIGTERM)
    until = time.monotonic() + seconds
    while is_alive(known) and time.monotonic() < until:
        time.sleep(0.05)


def lives(process: Process) -> bool:
    """Whether that very process of a run is there now."""
    return is_alive(Identity(process.boot_id, process.pid, process.start_ticks))


def facts(known: Sequence[Process]) -> Sequence[ProcessFacts]:
    """The stored processes of a run as the machine shows them now, but since when as stored, and
    the children below them while they live (N-18). What cannot be measured is None, never 0."""
    shown = [_fact(process) for process in known]
    pids = {fact.pid for fact in shown}
    living = [fact.pid for fact in shown if fact.alive]
    children = {child.pid: child for pid in living for child in _below(pid)}
    return shown + [_measured(children[pid], "child") for pid in children if pid not in pids]


def end(seen: Sequence[ProcessFacts]) -> Sequence[ProcessFacts]:
    """Ends those that still live, each asked itself: a child whose parent has gone is still
    there. Answers those that are left after a second."""
    left = [fact for fact in seen if _still(fact)]
    for fact in left:
        assert fact.ticks is not None
        send(Identity(boot_id(), fact.pid, fact.ticks), signal.SIGKILL)
    for _ in range(int(1 / _LOOK)):
        if not (left := [fact for fact in left if _still(fact)]):
            break
        time.sleep(_LOOK)
    return left


def _still(fact: ProcessFacts) -> bool:
    return fact.ticks is not None and _living_ticks(fact.pid) == fact.ticks


def _fact(process: Process) -> ProcessFacts:
    if lives(process):
        with contextlib.suppress(psutil.Error):
            seen = _measured(psutil.Process(process.pid), process.role)
            return replace(seen, started_at=process.started_at)
    return ProcessFacts(
        pid=process.pid,
        name=None,
        role=process.role,
        started_at=process.started_at,
        alive=False,
        cpu=None,
        rss=None,
    )


def _measured(process: psutil.Process, role: str) -> ProcessFacts:
    with process.oneshot():
        times, memory = None, None
        with contextlib.suppress(psutil.Error):
            times, memory = process.cpu_times(), process.memory_info()
        return ProcessFacts(
            pid=process.pid,
            name=process.name() if process.is_running() else None,
            role=role,
            started_at=datetime.fromtimestamp(process.create_time(), UTC),
            alive=process.is_running(),
            cpu=times.user + times.system if times else None,
            rss=memory.rss if memory else None,
            ticks=_living_ticks(process.pid),
        )


def _below(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []

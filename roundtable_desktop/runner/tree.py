"""Finds and ends every process of the run: all below us, all in its group, all with its mark."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from roundtable_desktop.runner.identity import HAS_PROC, PROC, Process, look_at, send
from roundtable_desktop.runner.kernel_group import KernelGroup

MARK = "ROUNDTABLE_RUN"
BLOW = 0.3
"""Seconds that one blow lasts; between two of them what is not below us is looked for."""
CORPSES = 4096
"""So many are taken leave of at once; where more come, there is other work in between."""
_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Orphans of the agent come to us, not to init: a double fork does not escape (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Use:
    """memory: bytes; what several processes share is counted for each."""

    pids: Sequence[int]
    cpu: float
    memory: int


class Tree:
    """The processes of one run. leader: the agent's own process, reaped by its own waiter."""

    def __init__(self, run: str, leader: int, group: KernelGroup | None = None) -> None:
        self._mark = f"{MARK}={run}".encode()
        self._group = group or KernelGroup()
        self.leader = leader
        self._reaped = 0

    def members(self) -> list[Process]:
        """Everything that must be gone before the run may end."""
        if not HAS_PROC:
            return self._leader_only()
        everybody, inside = self._seen()
        below = _below(everybody, os.getpid()) | inside
        return [
            process
            for process in everybody.values()
            if not process.dead
            and process.pid != os.getpid()
            and (process.pid in below or self._marked(process.pid))
        ]

    def held(self) -> int:
        """How many the kernel counts in our group: at once, however many there are."""
        return len(self._group.pids())

    def usage(self) -> Use:
        """Of what is below us or in our group, and the CPU seconds that the run has used so far.

        What a child used goes to its parent when that waits for it, and to us as the last one:
        the sum only grows.
        """
        everybody, inside = self._seen()
        pids = (_below(everybody, os.getpid()) | inside) - {os.getpid()}
        below = [everybody[pid] for pid in pids]
        times = os.times()
        reaped = times.children_user + times.children_system
        return Use(
            pids=[one.pid for one in below if not one.dead],
            cpu=reaped + sum(one.cpu for one in below),
            memory=sum(one.memory for one in below),
        )

    def send(self, members: Iterable[Process], number: signal.Signals) -> None:
        for process in members:
            send(process.pid, process.ticks, number)

    def strike(self) -> dict[int, Process]:
        """Kills for a moment whatever comes to be below us; what was hit, by its pid.

        A storm of forks outruns every look at /proc: the look waits for its turn among them, and
        what it finds is gone by then. But a child whose parent goes becomes ours at once, and the
        few bytes that name our children are read and used within one turn.
        """
        self._group.kill()
        if not HAS_PROC:
            return self._kill_group_of_leader()
        hit: dict[int, Process] = {}
        until = time.monotonic() + BLOW
        while self.reap() and time.monotonic() < until:
            before = len(hit)
            for pid in _children():
                if (process := look_at(pid)) and not process.dead:
                    self._kill(process)
                    hit[pid] = process
            if len(hit) == before:
                time.sleep(0.001)  # they have to come to their turn to die
        return hit

    def _kill(self, child: Process) -> None:
        """With its group, in which no fork succeeds from now on. Our agent leads its session, so a
        group with one of ours in it has no stranger; and until we take leave of the child, nobody
        else gets its number or its group's. The leader is taken leave of by its own waiter."""
        if child.group not in (os.getpgrp(), 0, 1):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.group, signal.SIGKILL)
        if child.pid == self.leader:
            return send(child.pid, child.ticks, signal.SIGKILL)
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child.pid, signal.SIGKILL)

    def _kill_group_of_leader(self) -> dict[int, Process]:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, signal.SIGKILL)
        return {}

    def empty(self) -> bool:
        """Nothing is left. Below us the kernel itself says so: a look at /proc may miss what
        forks and exits while we look."""
        return not self.reap() and self._group.empty() and not self.members()

    def reap(self) -> bool:
        """Takes leave of orphans that ended; never of the leader, whose exit code is wanted.
        False when we have no child any more (or, on macOS before Python 3.13, cannot know)."""
        if not hasattr(os, "waitid"):
            return False
        try:
            for _ in range(CORPSES):
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if not ended or ended.si_pid == self.leader:
                    break  # its own waiter is about to take it
                os.waitpid(ended.si_pid, os.WNOHANG)
                self._reaped += 1
        except ChildProcessError:
            return False
        return True

    def count_ended(self) -> int:
        """How many orphans it took leave of since this was asked last."""
        self.reap()
        ended, self._reaped = self._reaped, 0
        return ended

    def take_leave(self) -> None:
        """After the end: of the last orphans, and of our group."""
        self.reap()
        self._group.remove()

    def _seen(self) -> tuple[dict[int, Process], set[int]]:
        """Everybody, and who of them is in our group; what was forked meanwhile is among them."""
        everybody = _everybody() if HAS_PROC else {}
        inside = self._group.pids()
        late = (look_at(pid) for pid in inside - everybody.keys())
        everybody |= {process.pid: process for process in late if process}
        return everybody, inside & everybody.keys()

    def _marked(self, pid: int) -> bool:
        try:
            return self._mark in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def _leader_only(self) -> list[Process]:
        try:
            os.kill(self.leader, 0)
        except OSError:
            return []
        return [Process(self.leader, os.getpid(), self.leader, 0, "", False, 0.0)]


def _everybody() -> dict[int, Process]:
    looks = (look_at(int(name)) for name in os.listdir(PROC) if name.isdigit())
    return {process.pid: process for process in looks if process}


def _children() -> list[int]:
    """Ours, living or dead; orphans come to the thread that we began with."""
    me = os.getpid()
    try:
        return [int(pid) for pid in (PROC / f"self/task/{me}/children").read_bytes().split()]
    except OSError:  # a kernel without it
        return [process.pid for process in _everybody().values() if process.parent == me]


def _below(everybody: dict[int, Process], top: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for process in everybody.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    ahead = list(children.get(top, ()))
    while ahead:
        pid = ahead.pop()
        if pid not in found:
            found.add(pid)
            ahead += children.get(pid, ())
    return found

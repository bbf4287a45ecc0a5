"""Finds every process of the run: all below us, plus all that carry our mark."""

import ctypes
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from roundtable_desktop.runner.identity import HAS_PROC, PROC, Process, look_at, send

MARK = "ROUNDTABLE_RUN"
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

    def __init__(self, run: str, leader: int) -> None:
        self._mark = f"{MARK}={run}".encode()
        self.leader = leader

    def members(self) -> list[Process]:
        """Everything that must be gone before the run may end."""
        if not HAS_PROC:
            return self._leader_only()
        everybody = _everybody()
        below = _below(everybody, os.getpid())
        return [
            process
            for process in everybody.values()
            if not process.dead
            and process.pid != os.getpid()
            and (process.pid in below or self._marked(process.pid))
        ]

    def usage(self) -> Use:
        """Of what is below us, and the CPU seconds that the run has used so far.

        What a child used goes to its parent when that waits for it, and to us as the last one:
        the sum only grows.
        """
        everybody = _everybody() if HAS_PROC else {}
        below = [everybody[pid] for pid in _below(everybody, os.getpid())]
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

    def kill_groups(self) -> None:
        """A chain of forks outruns every look at /proc, but not a signal to its group: no fork
        succeeds while one is pending. Our agent leads its session, so a group with one of ours
        in it has no stranger; the corpses count, for they keep the group's number from reuse."""
        everybody = _everybody() if HAS_PROC else {}
        groups = {everybody[pid].group for pid in _below(everybody, os.getpid())}
        if not HAS_PROC:
            groups = {self.leader}
        for group in groups - {os.getpgrp(), 0, 1}:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)

    def empty(self) -> bool:
        """Nothing is left. Below us the kernel itself says so: a look at /proc may miss what
        forks and exits while we look."""
        return not self.reap() and not self.members()

    def reap(self) -> bool:
        """Takes leave of orphans that ended; never of the leader, whose exit code is wanted.
        False when we have no child any more (or, on macOS before Python 3.13, cannot know)."""
        if not hasattr(os, "waitid"):
            return False
        try:
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if ended.si_pid == self.leader:
                    break  # its own waiter is about to take it
                os.waitpid(ended.si_pid, os.WNOHANG)
        except ChildProcessError:
            return False
        return True

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

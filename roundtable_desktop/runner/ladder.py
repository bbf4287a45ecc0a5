"""Ends a whole tree, gently first, and makes sure that it is gone (law 11)."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from roundtable_desktop.runner.identity import Process
from roundtable_desktop.runner.tree import Tree

LOOK = 0.05
KILL_SECONDS = 5.0
NAMED = 50
"""Processes that are named in a message; a spool line stays small."""


@dataclass(frozen=True, slots=True)
class Rung:
    """What is tried, and the seconds that it gets. done: it need not wait any longer."""

    act: Callable[[], None]
    seconds: float
    done: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Fall:
    """killed: what a signal was sent to, and swept: how many of these the agent had left, all of
    them counted; survivors: what did not go even then."""

    killed: list[dict[str, object]]
    survivors: list[dict[str, object]]
    swept: int = 0


async def end_tree(tree: Tree, gentle: Sequence[Rung], term_seconds: float) -> Fall:
    """The gentle rungs, SIGTERM, then SIGKILL until nothing is left; looked at anew each time.
    Without seconds for SIGTERM it is not tried: in a storm, a look at all of it takes them alone.
    """
    for rung in gentle:
        rung.act()
        if await _gone(tree, rung.seconds, rung.done):
            return Fall([], [])
    hit: dict[int, Process] = {}
    if term_seconds:
        hit = {process.pid: process for process in tree.members()}
        tree.send(hit.values(), signal.SIGTERM)
    if not await _gone(tree, term_seconds):
        hit |= await _kill(tree)
    swept = len(hit.keys() - {tree.leader})
    return Fall(_named(hit.values()), _named(tree.members()), swept)


async def _kill(tree: Tree) -> dict[int, Process]:
    """What is below us first, blow by blow; the rest is stopped before it is killed: what is
    stopped cannot fork away."""
    hit: dict[int, Process] = {}
    loop = asyncio.get_running_loop()
    until = loop.time() + KILL_SECONDS
    while loop.time() < until and not tree.empty():
        hit |= tree.strike()
        tree.send(tree.members(), signal.SIGSTOP)
        members = tree.members()
        hit |= {process.pid: process for process in members}
        tree.send(members, signal.SIGKILL)
        await _gone(tree, 0.2)
    return hit


async def _gone(tree: Tree, seconds: float, done: Callable[[], bool] = lambda: False) -> bool:
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        if tree.empty():
            return True
        if done() or loop.time() >= until:
            return False
        await asyncio.sleep(LOOK)


def _named(processes: Iterable[Process]) -> list[dict[str, object]]:
    return [{"pid": one.pid, "name": one.name} for one in islice(processes, NAMED)]

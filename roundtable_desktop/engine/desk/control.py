"""Control of everything at once: take nothing new, stop it now, let it go on."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from roundtable_desktop.engine.desk import Asked, Desk
from roundtable_desktop.model.ports import ProcessFacts, RunnerGone, SpoolState
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.model.states import Kind
from roundtable_desktop.store import journal, runs, settings, wakeups
from roundtable_desktop.store.db import Tx

PATIENCE = 14.0
"""Seconds for the ladder of one run, all of them at once (C-71: verified gone in 15 s)."""
_STEP = 0.05
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Stopped:
    """What ran when it was asked for, and what of it is left; both as pid, name, role."""

    killed: Sequence[ProcessFacts]
    survivors: Sequence[ProcessFacts]


def force_stop(desk: Desk, asked: Asked) -> Stopped:
    """No launch after this has begun; every process of every agent ended, verified (W-29).

    The wakeups go back to the queue at no cost: nothing is lost, and `resume` lets them run.
    """
    with desk.store.transaction() as tx:
        _set_intake(tx, asked, "stopped")
        live = runs.live(tx)
        known = {run.id: runs.processes(tx, run.id) for run in live}
    seen = [fact for run in live for fact in desk.measure(known[run.id]) if fact.alive]
    swept: list[int] = []
    if live:
        with ThreadPoolExecutor(min(len(live), _AT_ONCE)) as pool:
            swept = [pid for left in pool.map(lambda run: _end(desk, run), live) for pid in left]
    left = list(desk.end_left(seen))
    pids = {fact.pid for fact in left}
    left += [_unseen(pid) for pid in swept if pid not in pids]
    return Stopped([fact for fact in seen if fact.pid not in pids], left)


def _unseen(pid: int) -> ProcessFacts:
    """It carries a run's mark and came after we had looked."""
    return ProcessFacts(
        pid=pid, name=None, role="child", started_at=None, alive=True, cpu=None, rss=None
    )


def pause(desk: Desk, asked: Asked) -> None:
    """Nothing is claimed after this returns; what was launched goes on (C-22). A stop stays one."""
    with desk.store.transaction() as tx:
        if settings.of_home(tx).intake == "open":
            _set_intake(tx, asked, "paused")


def resume(desk: Desk, asked: Asked) -> None:
    """Waiting wakeups are taken up again, at once also those that were broken off."""
    with desk.store.transaction() as tx:
        wakeups.take_up(tx, "interrupted")
        _set_intake(tx, asked, "open")


def _set_intake(tx: Tx, asked: Asked, to: str) -> None:
    if settings.of_home(tx).intake != to:
        settings.put_home(tx, asked.actor, intake=to)
        subject = Subject("owner", "intake")
        told = {"intake": to}
        journal.tell(
            tx, Kind.CONTROL_CHANGED, subject, workspace_id=None, actor=asked.actor, data=told
        )
    tx.nudge("queue")


def _end(desk: Desk, run: Run) -> Sequence[int]:
    """Its runner ends the tree; what has no runner is swept; what was not born is voided."""
    launcher = desk.launcher
    if launcher.state(run.id) is SpoolState.ABSENT and launcher.void(run.id):
        return ()
    waiting, pause = PATIENCE, Event()
    try:
        launcher.control(run.id, {"do": "cancel", "reason": "interrupted"})
    except RunnerGone:
        waiting = 0.0
    while waiting > 0 and launcher.state(run.id) is SpoolState.LOCKED:
        pause.wait(_STEP)
        waiting -= _STEP
    return launcher.sweep(run.id)

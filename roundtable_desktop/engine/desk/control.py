"""Control of everything at once: take nothing new, stop it now, let it go on."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

from roundtable_desktop.engine import worries
from roundtable_desktop.engine.desk import Asked, Desk, done_before, remember
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import ProcessFacts, RunnerGone, SpoolState
from roundtable_desktop.model.records import Json, Run, Subject
from roundtable_desktop.store import events, journal, runs, settings, wakeups
from roundtable_desktop.store.db import Tx, View

PATIENCE = 14.0
"""Seconds for the ladder of one run, all of them at once (C-71: verified gone in 15 s)."""
INTAKE = Subject("owner", "intake")
_LISTS = ("killed", "survivors")
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
    Asked again with the same key it answers what it did; one that was broken off goes on, but
    not after a `resume`.
    """
    stop = Subject("stop", desk.ids.new())
    with desk.store.transaction() as tx:
        before = done_before(tx, asked)
        if before is None:
            _set_intake(tx, asked, "stopped")
            remember(tx, asked, stop)
        elif (told := _told(tx, before)) or settings.of_home(tx).intake != "stopped":
            return told or Stopped((), ())
        else:
            stop = before
        live = runs.live(tx)
        for run in live:
            if not (run.ended or {}).get("end"):
                runs.keep_ended(tx, run, {"stopped": True})
        known = {run.id: runs.processes(tx, run.id) for run in live}
    seen = [fact for run in live for fact in desk.measure(known[run.id]) if fact.alive]
    swept: list[int] = []
    if live:
        with ThreadPoolExecutor(min(len(live), _AT_ONCE)) as pool:
            swept = [pid for left in pool.map(lambda run: _end(desk, run), live) for pid in left]
    left = list(desk.end_left(seen))
    pids = {fact.pid for fact in left}
    left += [_named(pid, None, "child") for pid in swept if pid not in pids]  # came after we looked
    stopped = Stopped([fact for fact in seen if fact.pid not in pids], left)
    with desk.store.transaction() as tx:
        data = {key: _names(getattr(stopped, key)) for key in _LISTS}
        journal.tell(
            tx, Kind.CONTROL_STOPPED, stop, workspace_id=None, actor=asked.actor, data=data
        )
    return stopped


def _told(view: View, stop: Subject) -> Stopped | None:
    """How that one ended; None while it has not."""
    for event in events.of(view, stop):
        data: Any = event.data
        killed, survivors = ([_named(**one) for one in data[key]] for key in _LISTS)
        return Stopped(killed, survivors)
    return None


def _names(processes: Iterable[ProcessFacts]) -> list[Json]:
    return [{"pid": one.pid, "name": one.name, "role": one.role} for one in processes]


def _named(pid: int, name: str | None, role: str) -> ProcessFacts:
    """As it was when it was seen; no more is known of it."""
    return ProcessFacts(
        pid=pid, name=name, role=role, started_at=None, alive=True, cpu=None, rss=None
    )


def pause(desk: Desk, asked: Asked) -> None:
    """Nothing is claimed after this returns; what was launched goes on (C-22). A stop stays one."""
    with desk.store.transaction() as tx:
        if _is_new(tx, asked) and settings.of_home(tx).intake == "open":
            _set_intake(tx, asked, "paused")


def resume(desk: Desk, asked: Asked) -> None:
    """Waiting wakeups are taken up again, at once also those that were broken off."""
    with desk.store.transaction() as tx:
        if _is_new(tx, asked):
            resume_now(tx, asked)


def resume_now(tx: Tx, asked: Asked) -> None:
    wakeups.take_up(tx, "interrupted")
    _set_intake(tx, asked, "open")
    worries.over(tx, worries.RESTORED)


def _is_new(tx: Tx, asked: Asked) -> bool:
    """A repeat, perhaps an hour late, changes nothing any more."""
    if done_before(tx, asked) is not None:
        return False
    remember(tx, asked, INTAKE)
    return True


def _set_intake(tx: Tx, asked: Asked, to: str) -> None:
    if settings.of_home(tx).intake != to:
        settings.put_home(tx, asked.actor, intake=to)
        told = {"intake": to}
        journal.tell(
            tx, Kind.CONTROL_CHANGED, INTAKE, workspace_id=None, actor=asked.actor, data=told
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

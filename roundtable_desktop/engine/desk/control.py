"""Control of everything at once: take nothing new, end it in time or now, let it go on."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from roundtable_desktop.engine import copied, worries
from roundtable_desktop.engine.calling_off import break_off
from roundtable_desktop.engine.desk import Asked, Desk, done_before, ending, remember
from roundtable_desktop.engine.desk.ending import AT_ONCE, Stopped, end_all, end_runs
from roundtable_desktop.engine.desk.waking import LATEST
from roundtable_desktop.engine.intake import (
    INTAKE,
    LEAVING,
    OPEN,
    PAUSED,
    STOPPED,
    mark_stopped,
    turn,
    waits_for_a_person,
)
from roundtable_desktop.model.errors import Broken, Busy, Full, Illegal, Invalid, Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import RunnerGone
from roundtable_desktop.model.records import Subject
from roundtable_desktop.store import events, journal, runs, settings
from roundtable_desktop.store.db import Tx, View

LEAVE_AFTER = timedelta(minutes=10)
"""For who leaves and does not say when."""


def force_stop(desk: Desk, asked: Asked) -> Stopped:
    """No launch after this has begun; every process of every agent ended, verified (W-29).

    The wakeups go back to the queue at no cost: nothing is lost, and `resume` lets them run.
    Asked again with the same key it answers what it did; one that was broken off goes on, but
    not after a `resume`.

    Raises Broken(`stopped_unwritten`) where nothing can be written: all is ended all the same.
    """
    stop = Subject("stop", desk.ids.new())
    try:
        return _force_stop(desk, asked, stop)
    except (Broken, Busy, Full) as why:
        raise _unwritten(desk, why) from why


def _force_stop(desk: Desk, asked: Asked, stop: Subject) -> Stopped:
    with desk.store.transaction() as tx:
        before = done_before(tx, asked)
        if before is None:
            turn(tx, asked.actor, STOPPED)
            remember(tx, asked, stop)
        elif (told := _told(tx, before)) or settings.of_home(tx).intake != STOPPED:
            return told or Stopped((), ())
        else:
            stop = before
        live = runs.live(tx)
        mark_stopped(tx)
        known = {run.id: runs.processes(tx, run.id) for run in live}
    stopped = end_runs(desk, known)
    with desk.store.transaction() as tx:
        data = ending.told(stopped)
        journal.tell(
            tx, Kind.CONTROL_STOPPED, stop, workspace_id=None, actor=asked.actor, data=data
        )
    return stopped


def _unwritten(desk: Desk, why: Refused) -> Broken:
    """What lives is known by its folder then, and nothing can be launched that is not there yet."""
    desk.launcher.fence()
    living = desk.launcher.living()
    left = end_all(desk, living)
    code = "stopped_unwritten_left" if left else "stopped_unwritten"
    return Broken(code, count=len(living), left=left, why={"code": why.code, **why.values})


def _told(view: View, stop: Subject) -> Stopped | None:
    """How that one ended; None while it has not."""
    for event in events.of(view, stop):
        return ending.read(event.data)
    return None


def pause(desk: Desk, asked: Asked, until: datetime | None = None) -> None:
    """Nothing is claimed and no process is started after this returns; what runs goes on (C-22);
    what was decided and is not started goes back to the queue. until: when it ends
    by itself; None: when somebody resumes it."""
    with desk.store.transaction() as tx:
        if _is_new(tx, asked):
            check_until(until, tx.now)
            if until is not None and waits_for_a_person(tx):
                code = "until_after_copy" if copied.waits(tx) else "until_after_restore"
                raise Invalid(code, "/until")
            intake = settings.of_home(tx).intake
            if intake not in (OPEN, PAUSED):
                why = {"code": "resume_comes_first"}
                raise Illegal("illegal_run_transition", action="pause", state=intake, why=why)
            turn(tx, asked.actor, PAUSED, until)
    desk.launcher.fence()


def stop(desk: Desk, asked: Asked) -> None:
    """Nothing is claimed after this returns; live runs end by themselves, and until the last has it
    is `draining` (W-29, F-54)."""
    with desk.store.transaction() as tx:
        if _is_new(tx, asked):
            turn(tx, asked.actor, STOPPED)
    desk.launcher.fence()


def leave(desk: Desk, asked: Asked, until: datetime | None = None) -> None:
    """As `stop`, and what still runs at `until` is broken off so that it can go on after `resume`
    (N-10). Where each can go on is kept."""
    with desk.store.transaction() as tx:
        if _is_new(tx, asked):
            check_until(until, tx.now)
            turn(tx, asked.actor, LEAVING, until or tx.now + LEAVE_AFTER)
    desk.launcher.fence()


def resume(desk: Desk, asked: Asked) -> None:
    """Waiting wakeups are taken up again, at once also those that were broken off."""
    desk.parting.over()
    with desk.store.transaction() as tx:
        if _is_new(tx, asked):
            resume_now(tx, asked)


def resume_now(tx: Tx, asked: Asked) -> None:
    turn(tx, asked.actor, OPEN)
    worries.over(tx, worries.RESTORED)
    copied.resume(tx)


def end_session(desk: Desk) -> None:
    """The desktop session ends, or the machine goes down: what runs is broken off in a hurry, at no
    cost, and goes on at the next start (C-101). The intake stays as it is; until the session goes
    on after all, nothing takes the places that come free."""
    with desk.store.transaction() as tx:
        desk.parting.begin(tx.now)
        marked = mark_stopped(tx)
    if marked:
        with ThreadPoolExecutor(min(len(marked), AT_ONCE)) as pool:
            list(pool.map(lambda run_id: _break_off(desk, run_id), marked))


def _break_off(desk: Desk, run_id: str) -> None:
    with contextlib.suppress(RunnerGone):  # then its mark counts, at the next start
        break_off(desk.launcher, run_id, hurry=True)


def check_until(until: datetime | None, now: datetime) -> None:
    if until is not None and until <= now:
        raise Invalid("until_has_passed", "/until")
    if until is not None and until > now + LATEST:
        raise Invalid("too_far_ahead", "/until", days=LATEST.days)


def _is_new(tx: Tx, asked: Asked) -> bool:
    """A repeat, perhaps an hour late, changes nothing any more."""
    if done_before(tx, asked) is not None:
        return False
    remember(tx, asked, INTAKE)
    return True

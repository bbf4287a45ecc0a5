"""Opens and closes the intake, and does what a closed one does by itself when its time is over."""

from datetime import datetime

from roundtable_desktop.engine import copied, worries
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Subject
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.rules.leaving import asks_at
from roundtable_desktop.store import journal, runs, settings, wakeups
from roundtable_desktop.store.db import Tx, View

INTAKE = Subject("owner", "intake")
STOPPED = "stopped"
"""In what is kept of a run's end: everything was stopped around it, so its end costs nothing."""
OPEN, PAUSED, LEAVING = "open", "paused", "leaving"


def turn(tx: Tx, actor: Actor, to: str, until: datetime | None = None) -> None:
    """From this commit on. until: of a pause, when it opens again; of a leave, when what still
    runs is broken off, and agents are asked where they are before that."""
    now, at = settings.of_home(tx), until and micros(until)
    asks = micros(asks_at(tx.now, until)) if to == LEAVING and until is not None else None
    if to == OPEN:
        wakeups.take_up(tx, "interrupted")
    wanted = {"intake": to, "intake_until": at}
    changed = {key: value for key, value in wanted.items() if getattr(now, key) != value}
    if changed:
        settings.put_home(tx, actor, **changed, intake_asks_at=asks)
        journal.tell(tx, Kind.CONTROL_CHANGED, INTAKE, workspace_id=None, actor=actor, data=wanted)
    tx.nudge("queue")


def pass_time(tx: Tx) -> list[str]:
    """A pause whose time is over ends by itself, but not where a person is to say it; of a leave,
    the runs that are to be broken off now. They are marked first, so that the next owner goes on
    with it."""
    home = settings.of_home(tx)
    if home.intake_until is None or home.intake_until > micros(tx.now):
        return []
    if home.intake == PAUSED:
        turn(tx, SYSTEM, PAUSED if waits_for_a_person(tx) else OPEN)
    return mark_stopped(tx) if home.intake == LEAVING else []


def waits_for_a_person(view: View) -> bool:
    """Whether it is not to open by itself: what waits may have run already."""
    return copied.waits(view) or worries.is_open(view, worries.RESTORED)


def mark_stopped(tx: Tx) -> list[str]:
    """The live runs that had no such mark and no end."""
    marked = []
    for run in runs.live(tx):
        ended = run.ended or {}
        if not ended.get("end") and not ended.get(STOPPED):
            runs.keep_ended(tx, run, {STOPPED: True})
            marked.append(run.id)
    return marked


def next_due(view: View, now: datetime) -> datetime | None:
    """When it changes by itself, or agents are to be asked where they are."""
    home = settings.of_home(view)
    due = [one for one in (home.intake_asks_at, home.intake_until) if one is not None]
    return min((instant(one) for one in due if one > micros(now)), default=None)

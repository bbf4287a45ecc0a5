"""What the tray shows of a glance: shape, texts and entries as plain values, made of values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.engine.desk.look_tray import NO_HOURS, AtWork, ByHand, Hours
from roundtable_desktop.model.glance import Glance, Standing
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.phrases import _, n_, one_line
from roundtable_desktop.phrases.marking import N_

NEWEST, MOST_RUNS, MOST_ROUTINES = 3, 5, 6
"""Entries of the menu; of more there is a page."""
_WIDE, _NAME = 60, 40  # characters
_MOST_COUNTED = 9  # a badge has room for one digit

FAILS = N_("Something fails, see the log")
TROUBLES: Mapping[str, str] = {
    "disk_full": N_("The disk is full"),
    "database_busy": N_("Database busy: another program holds it"),
    "database_fault": N_("The database cannot be written"),
    "database_damaged": N_("The database is damaged: stop and start again"),
    "database_read": N_("Another program keeps the database's log growing"),
}


class Shape(StrEnum):
    """Told apart without colour."""

    STARTING = "starting"  # a ring of dots
    IDLE = "idle"  # a ring
    WAITING = "waiting"  # a ring with the hands of a clock
    RUNNING = "running"  # a ring with a filled centre
    PAUSED = "paused"  # two bars
    DEAD = "dead"  # a ring with a slash


@dataclass(frozen=True, slots=True)
class Face:
    """The icon. badge: a number, "9+", "!" when something fails, or nothing."""

    shape: Shape
    badge: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An open inbox item, or a proposal: title and body of a notification, label in the menu, path
    of its page. answers: what a press on the notification does at once, code and label."""

    id: str
    severity: Severity
    title: str
    body: str
    label: str
    path: str
    answers: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Next:
    """The next fire by time. when: in words, for whoever looks today."""

    when: str
    name: str


@dataclass(frozen=True, slots=True)
class Slept:
    """The machine did, from and to in words; what was due, and what of it is made up for."""

    begin: str
    end: str
    due: int
    run: int


@dataclass(frozen=True, slots=True)
class Crash:
    """The scheduler's, by the number of its event."""

    number: int
    error: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What the watcher saw at one instant. waiting: open items, newest first; ready: proposals
    that nobody has decided, which have a page of their own. test: the number of the event that
    asked for a test notification last, 0 for none."""

    glance: Glance
    waiting: Sequence[Waiting]
    ready: Sequence[Waiting] = ()
    at_work: Sequence[AtWork] = ()
    coming: Next | None = None
    by_hand: Sequence[ByHand] = ()
    hours: Hours = NO_HOURS
    slept: Slept | None = None
    crash: Crash | None = None
    test: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """path: of its page. key: of what it is about, where it does something by itself."""

    text: str
    path: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """status: the disabled first line. needs_you: empty when nothing waits. only_needed, muted:
    what the person chose about notifications; muted and quiet are until when, or nothing."""

    face: Face
    status: str
    tooltip: str
    needs_you: str
    entries: Sequence[Entry]
    intake_open: bool
    running: int
    state: Standing = Standing.ACTIVE
    dead: bool = False
    runs: Sequence[Entry] = ()
    routines: Sequence[Entry] = ()
    only_needed: bool = False
    muted: str = ""
    quiet: str = ""


STANDS = {
    Standing.PAUSED: N_("Paused"),
    Standing.DRAINING: N_("Stopping"),
    Standing.STOPPED: N_("Stopped"),
    Standing.LEAVING: N_("Leaving"),
    Standing.LEFT: N_("Safe to close the lid"),
}


def shown(seen: Seen | None) -> Shown:
    """None: the owner is being started."""
    if seen is None:
        status = _("Starting…")
        tooltip = _("Roundtable: {status}").format(status=status)
        return Shown(Face(Shape.STARTING), status, tooltip, "", (), True, 0)
    glance = seen.glance
    coming = seen.coming if _comes(glance) else None
    status = _status(glance)
    facts = [status]
    needs_you = ""
    if glance.needs_you:
        facts.append(n_("{count} needs you", "{count} need you", glance.needs_you))
        needs_you = _("Needs you ({count})").format(count=glance.needs_you)
    if coming is not None:
        facts.append(_("next {when}").format(when=coming.when))
        name = one_line(coming.name, _NAME)
        status = f"{status} · " + _("next {when} {name}").format(when=coming.when, name=name)
    return Shown(
        face=Face(_shape(glance), _badge(glance)),
        status=status,
        tooltip=_("Roundtable: {status}").format(status=", ".join(facts)),
        needs_you=needs_you,
        entries=[Entry(one_line(one.label, _WIDE), one.path) for one in seen.waiting[:NEWEST]],
        intake_open=glance.intake == "open",
        running=glance.running,
        state=glance.state,
        dead=glance.health is Health.DEAD,
        runs=[_run(one) for one in reversed(seen.at_work[-MOST_RUNS:])],
        routines=[_routine(one) for one in seen.by_hand[:MOST_ROUTINES]],
        only_needed=seen.hours.only_needed,
        muted=_until(seen.hours.muted_until),
        quiet=_until(seen.hours.quiet_until),
    )


def _until(moment: datetime | None) -> str:
    return "" if moment is None else _local(moment)


def _comes(glance: Glance) -> bool:
    """Nothing comes by time while nothing is taken up."""
    return glance.intake == "open" and glance.health is not Health.DEAD


def _run(one: AtWork) -> Entry:
    name, path = one_line(one.name, _NAME), f"/runs/{one.run_id}"
    since = _("starting") if one.minutes is None else _since(one.minutes)
    return Entry(f"{name} — {since}", path, one.run_id)


def _since(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    if hours:
        return _("{hours} h {minutes} m").format(hours=hours, minutes=rest)
    return _("{minutes} m").format(minutes=rest)


def _routine(one: ByHand) -> Entry:
    """One that has to be given values is run on its page."""
    name, path = one_line(one.name, _NAME), f"/routines/{one.routine_id}"
    return Entry(f"{name}…" if one.asks else name, path, "" if one.asks else one.routine_id)


def _shape(glance: Glance) -> Shape:
    if glance.health is Health.DEAD:
        return Shape.DEAD
    if glance.intake != "open":
        return Shape.PAUSED
    if glance.running:
        return Shape.RUNNING
    return Shape.WAITING if glance.limited_until else Shape.IDLE


def _badge(glance: Glance) -> str:
    """None where the scheduler stands still: a small one would hide the slash."""
    if glance.health is Health.DEAD:
        return ""
    if glance.needs_you > _MOST_COUNTED:
        return f"{_MOST_COUNTED}+"
    if glance.needs_you:
        return str(glance.needs_you)
    return "!" if glance.health is Health.DEGRADED else ""


def _status(glance: Glance) -> str:
    runs = n_("{count} run", "{count} runs", glance.running) if glance.running else ""
    if glance.health is Health.DEAD:
        words = _("The scheduler has stopped")
    elif glance.trouble is not None:
        words = _(TROUBLES.get(glance.trouble, FAILS))
    elif glance.state is Standing.PAUSED and glance.until is not None:
        words = _("Paused until {time}").format(time=_local(glance.until))
    elif glance.state in STANDS:
        words = _(STANDS[glance.state])
    elif glance.health is Health.DEGRADED:
        words = _(FAILS)
    elif runs or glance.limited_until is None:
        words = _("Running") if runs else _("Idle")
    else:
        words = _("Waits for a limit until {time}").format(time=_local(glance.limited_until))
    silent = _("{count} silent").format(count=glance.at_work.silent)
    return " · ".join(
        [words, *([runs] if runs else []), *([silent] if glance.at_work.silent else [])]
    )


def _local(moment: datetime) -> str:
    here = moment.astimezone()
    return f"{here.day} {here:%b %H:%M}"


def when(moment: datetime, now: datetime) -> str:
    """As short as it can be said at `now`: the time of today, the day of a week around it."""
    here, today = moment.astimezone(), now.astimezone().date()
    days = (here.date() - today).days
    if days == 0:
        return f"{here:%H:%M}"
    return f"{here:%a %H:%M}" if -7 < days < 7 else _local(moment)

"""What the tray shows of a glance: shape, texts and entries as plain values, made of values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.glance import Glance, Standing
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.phrases import _, n_, one_line
from roundtable_desktop.phrases.marking import N_

NEWEST = 3
_WIDE = 60  # characters
_MOST_COUNTED = 9  # a badge has room for one digit

FAILS = N_("Something fails, see the log")
TROUBLES: Mapping[str, str] = {
    "disk_full": N_("The disk is full"),
    "database_busy": N_("Database busy: another program holds it"),
    "database_fault": N_("The database cannot be written"),
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
    """An open inbox item: title and body of a notification, label in the menu, path of its page."""

    id: str
    severity: Severity
    title: str
    body: str
    label: str
    path: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What the watcher saw at one instant. waiting: open items, newest first."""

    glance: Glance
    waiting: Sequence[Waiting]


@dataclass(frozen=True, slots=True)
class Entry:
    text: str
    path: str


@dataclass(frozen=True, slots=True)
class Shown:
    """status: the disabled first line. pause: the words of the one action that turns the intake,
    which is open or not. needs_you: empty when nothing waits."""

    face: Face
    status: str
    tooltip: str
    needs_you: str
    entries: Sequence[Entry]
    pause: str
    intake_open: bool
    running: int
    state: Standing = Standing.ACTIVE


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
        return Shown(Face(Shape.STARTING), status, tooltip, "", (), _("Pause"), True, 0)
    glance = seen.glance
    status = _status(glance)
    facts = [status]
    needs_you = ""
    if glance.needs_you:
        facts.append(n_("{count} needs you", "{count} need you", glance.needs_you))
        needs_you = _("Needs you ({count})").format(count=glance.needs_you)
    return Shown(
        face=Face(_shape(glance), _badge(glance)),
        status=status,
        tooltip=_("Roundtable: {status}").format(status=", ".join(facts)),
        needs_you=needs_you,
        entries=[Entry(one_line(one.label, _WIDE), one.path) for one in seen.waiting[:NEWEST]],
        pause=_("Pause") if glance.intake == "open" else _("Resume"),
        intake_open=glance.intake == "open",
        running=glance.running,
        state=glance.state,
    )


def _shape(glance: Glance) -> Shape:
    if glance.health is Health.DEAD:
        return Shape.DEAD
    if glance.intake != "open":
        return Shape.PAUSED
    if glance.running:
        return Shape.RUNNING
    return Shape.WAITING if glance.limited_until else Shape.IDLE


def _badge(glance: Glance) -> str:
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

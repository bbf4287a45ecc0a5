"""The first ten minutes: what is set up so far, and the acts of its steps that are its alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    agents,
    done_before,
    once,
    remember,
    routines,
)
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.programs import Found, Programs
from roundtable_desktop.model.records import PERSON, Agent, Subject
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import Adapter, RoutineStatus
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.rules.preview import preview
from roundtable_desktop.store import events, journal, settings
from roundtable_desktop.store.db import Reader, Tx
from roundtable_desktop.store.routines import present

TEST = Subject("notification", "test")
WELCOME = Subject("settings", "welcome")


class Step(StrEnum):
    REPOSITORY = "repository"
    AGENTS = "agents"
    TEST = "test"
    ROUTINE = "routine"
    NOTIFICATION = "notification"


class AtLogin(Protocol):
    """Whether Roundtable starts with the person's session (D-10)."""

    def is_on(self) -> bool | None:
        """None: there is no such thing here yet."""

    def turn(self, on: bool) -> None:
        """Raises OSError where the file cannot be written."""

    def file(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Notified:
    """The test notification. asked_at: when it was asked for last; sent_at: when the tray handed
    that one to the desktop; pressed_at: when a button of one was pressed first."""

    asked_at: datetime | None
    sent_at: datetime | None
    pressed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Coming:
    """A schedule before it is there, in this machine's zone."""

    words: str
    at: datetime


class Welcome:
    """What only this page looks at. programs: those that agents are started with."""

    def __init__(
        self, reader: Reader, clock: Clock, zone: str, programs: Programs, login: AtLogin
    ) -> None:
        self._reader, self._clock, self._zone = reader, clock, zone
        self.programs, self.login = programs, login

    def skipped(self) -> Sequence[str]:
        with self._reader.snapshot() as view:
            return settings.of_home(view).welcome_skipped

    def notified(self) -> Notified:
        with self._reader.snapshot() as view:
            asked = events.newest_of(view, TEST, Kind.NOTIFICATION_ASKED)
            sent = events.newest_of(view, TEST, Kind.NOTIFICATION_SENT)
            pressed = settings.of_home(view).notification_pressed_at
        answers = asked is not None and sent is not None and sent.id > asked.id
        return Notified(
            asked_at=asked.at if asked else None,
            sent_at=sent.at if sent and answers else None,
            pressed_at=None if pressed is None else instant(pressed),
        )

    def coming(self, cron: str) -> Coming:
        seen = preview(cron, self._zone, self._zone, self._clock.now(), 1)
        return Coming(seen.words, seen.fires[0])


def add_found(desk: Desk, asked: Asked, workspace_id: str, found: Found) -> Agent | None:
    """None where one of that name is there already: it is left as it is."""
    name, command = found.name, list(found.command)
    try:
        return agents.add(
            desk, asked, workspace_id, name=name, adapter=Adapter.ACP, command=command
        )
    except Conflict as taken:
        if taken.code != "name_taken":
            raise
        return None


def begin_routine(desk: Desk, asked: Asked, wanted: NewRoutine, *, paused: bool) -> Routine:
    """Paused, it never fires before somebody resumes it: both are one decision."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            made = routines.create_now(tx, desk, asked, wanted)
            if paused:
                status = RoutineStatus.PAUSED
                routines.edit_now(tx, desk, Asked(asked.actor), made.id, status, None, {})
            return made

        return once(tx, asked, act, present)


def skip(desk: Desk, asked: Asked, step: Step, *, skipped: bool) -> None:
    """Or takes that back."""
    with desk.store.transaction() as tx:
        before = settings.of_home(tx).welcome_skipped
        rest = [one for one in before if one != step]
        after = sorted([*rest, step.value]) if skipped else rest
        if after == before:
            return
        settings.put_home(tx, asked.actor, welcome_skipped=after)
        data = {"step": step.value, "skipped": skipped}
        _tell(tx, Kind.WELCOME_SKIPPED, WELCOME, asked, data)


def notify(desk: Desk, asked: Asked) -> None:
    """Asks whoever shows notifications for one with a button; the tray hears it by the event."""
    with desk.store.transaction() as tx:
        if done_before(tx, asked) is None:
            remember(tx, asked, TEST)
            _tell(tx, Kind.NOTIFICATION_ASKED, TEST, asked, {})


def sent(desk: Desk) -> None:
    """The tray has handed it to the desktop."""
    with desk.store.transaction() as tx:
        _tell(tx, Kind.NOTIFICATION_SENT, TEST, Asked(PERSON), {})


def pressed(desk: Desk) -> None:
    """Its button was pressed: a person has seen it. The first time counts."""
    with desk.store.transaction() as tx:
        if settings.of_home(tx).notification_pressed_at is None:
            settings.put_home(tx, PERSON, notification_pressed_at=micros(tx.now))
        _tell(tx, Kind.NOTIFICATION_PRESSED, TEST, Asked(PERSON), {})


def _tell(tx: Tx, kind: Kind, about: Subject, asked: Asked, data: Mapping[str, object]) -> None:
    journal.tell(tx, kind, about, workspace_id=None, actor=asked.actor, data=data)

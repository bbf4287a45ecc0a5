"""What the tray shows of a glance, as plain values."""

from dataclasses import replace
from datetime import datetime

import pytest

from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.tray.shown import Face, Next, Seen, Shape, Waiting, shown

pytestmark = pytest.mark.proves("D-04")


def seen(
    *,
    health: Health = Health.OK,
    intake: str = "open",
    running: int = 0,
    needs_you: int = 0,
    trouble: str | None = None,
) -> Seen:
    waiting = tuple(
        Waiting(
            str(number),
            Severity.ATTENTION,
            "A worker asks",
            "of a task",
            f"worker {number}: May I?",
            f"/inbox/{number}",
        )
        for number in range(needs_you)
    )
    glance = Glance(
        health=health, intake=intake, running=running, needs_you=needs_you, trouble=trouble
    )
    return Seen(glance, waiting)


def waits(*, running: int = 0, intake: str = "open") -> Seen:
    """Work waits for a provider's limit, until half past four in this machine's zone."""
    until = datetime(2026, 3, 2, 16, 30).astimezone()
    glance = Glance(
        health=Health.OK, intake=intake, running=running, needs_you=0, limited_until=until
    )
    return Seen(glance, ())


@pytest.mark.proves("B-069")
@pytest.mark.parametrize(
    ("given", "face", "status"),
    [
        (waits(), Face(Shape.WAITING), "Waits for a limit until 2 Mar 16:30"),
        (waits(running=1), Face(Shape.RUNNING), "Running · 1 run"),
        (waits(intake="paused"), Face(Shape.PAUSED), "Paused"),
    ],
)
def test_who_waits_for_a_limit_is_not_idle(given: Seen, face: Face, status: str) -> None:
    found = shown(given)
    assert (found.face, found.status) == (face, status)


@pytest.mark.proves("F-18", "F-22", "F-23")
@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        ("disk_full", "The disk is full"),
        ("database_busy", "Database busy: another program holds it"),
        ("database_fault", "The database cannot be written"),
        ("database_damaged", "The database is damaged: stop and start again"),
        ("database_read", "Another program keeps the database's log growing"),
        ("anything else", "Something fails, see the log"),
    ],
)
def test_what_the_database_cannot_do_is_said(trouble: str, status: str) -> None:
    found = shown(seen(health=Health.DEGRADED, intake="paused", trouble=trouble))
    assert (found.face, found.status) == (Face(Shape.PAUSED, "!"), status)


@pytest.mark.parametrize(
    ("given", "face", "status"),
    [
        (None, Face(Shape.STARTING), "Starting…"),
        (seen(), Face(Shape.IDLE), "Idle"),
        (seen(running=1), Face(Shape.RUNNING), "Running · 1 run"),
        (seen(running=2, needs_you=1), Face(Shape.RUNNING, "1"), "Running · 2 runs"),
        (seen(needs_you=9), Face(Shape.IDLE, "9"), "Idle"),
        (seen(needs_you=10), Face(Shape.IDLE, "9+"), "Idle"),
        (seen(intake="paused"), Face(Shape.PAUSED), "Paused"),
        (seen(intake="paused", running=1), Face(Shape.PAUSED), "Paused · 1 run"),
        (seen(intake="stopped", needs_you=2), Face(Shape.PAUSED, "2"), "Stopped"),
        (seen(health=Health.DEGRADED), Face(Shape.IDLE, "!"), "Something fails, see the log"),
        (
            seen(health=Health.DEGRADED, running=1, needs_you=1),
            Face(Shape.RUNNING, "1"),
            "Something fails, see the log · 1 run",
        ),
        (seen(health=Health.DEAD), Face(Shape.DEAD), "The scheduler has stopped"),
        (
            seen(health=Health.DEAD, intake="paused", running=3, needs_you=2),
            Face(Shape.DEAD),
            "The scheduler has stopped · 3 runs",
        ),
    ],
)
def test_a_state_has_a_face_and_words(given, face, status):
    found = shown(given)
    assert (found.face, found.status) == (face, status)
    assert found.tooltip.startswith(f"Roundtable: {status}")


def test_what_comes_next_is_said_while_it_comes():
    coming = Next("14:05", "PR triage " * 9)
    found = shown(replace(seen(running=2, needs_you=3), coming=coming))
    assert found.status.startswith("Running · 2 runs · next 14:05 PR triage PR")
    assert len(found.status) < 80
    assert found.tooltip == "Roundtable: Running · 2 runs, 3 need you, next 14:05"
    for still in (seen(intake="paused"), seen(health=Health.DEAD)):
        assert "next" not in shown(replace(still, coming=coming)).tooltip


def test_what_waits_is_counted_whole_and_named_in_part():
    found = shown(seen(needs_you=5))
    assert found.needs_you == "Needs you (5)"
    assert [(one.text, one.path) for one in found.entries] == [
        (f"worker {number}: May I?", f"/inbox/{number}") for number in range(3)
    ]
    assert found.tooltip == "Roundtable: Idle, 5 need you"
    assert shown(seen(needs_you=1)).tooltip == "Roundtable: Idle, 1 needs you"
    assert (shown(seen()).needs_you, shown(seen()).entries) == ("", [])


def test_text_of_an_agent_is_one_short_line():
    hostile = Waiting("1", Severity.ATTENTION, "", "", "demo\n\n\x1b[31m" + "\u202eevil " * 50, "/")
    [entry] = shown(Seen(seen().glance, (hostile,))).entries
    assert len(entry.text) <= 60 and entry.text.isprintable()

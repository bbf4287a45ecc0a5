"""The tray's ways to pause and stop: the menu, what it says, and the lid."""

from datetime import UTC, datetime, timedelta

import pytest
from desktops.recorder import Recorder
from desktops.screen import Screen, until
from desktops.tray_home import TrayHome

from roundtable_desktop.model.glance import AtWork, Glance
from roundtable_desktop.model.states import Health
from roundtable_desktop.tray.shown import Seen, shown
from roundtable_desktop.tray.stopping import morning_after

LATER = datetime(2026, 3, 8, 6, 30, tzinfo=UTC)
LOCAL = f"{LATER.astimezone().day} {LATER.astimezone():%b %H:%M}"
WAYS = "Pause"


@pytest.mark.proves("W-20")
@pytest.mark.parametrize(
    ("intake", "running", "until_", "silent", "status"),
    [
        ("paused", 0, LATER, 0, f"Paused until {LOCAL}"),
        ("stopped", 2, None, 0, "Stopping · 2 runs"),
        ("stopped", 0, None, 0, "Stopped"),
        ("leaving", 1, LATER, 0, "Leaving · 1 run"),
        ("leaving", 0, LATER, 0, "Safe to close the lid"),
        ("open", 2, None, 1, "Running · 2 runs · 1 silent"),
    ],
)
def test_the_first_line_says_how_it_stands(
    intake: str, running: int, until_: datetime | None, silent: int, status: str
) -> None:
    glance = Glance(
        health=Health.OK,
        intake=intake,
        running=running,
        needs_you=0,
        until=until_,
        at_work=AtWork(claimed=running, live=running, silent=silent),
    )
    assert shown(Seen(glance, ())).status == status


def test_the_night_is_over_at_nine_where_the_machine_is() -> None:
    for hour in range(24):
        now = LATER + timedelta(hours=hour)
        end = morning_after(now).astimezone()
        assert (end.hour, end.minute, end.date()) == (
            9,
            0,
            (now.astimezone() + timedelta(days=1)).date(),
        )


@pytest.mark.slow
@pytest.mark.proves("F-54", "N-10 leave", "D-04")
def test_the_menu_leaves_stops_all_and_says_when_the_lid_may_close(
    shown: TrayHome, desktop: Recorder, screen: Screen
) -> None:
    agent = shown.agent("demo")
    run = shown.live(shown.work(agent, "Long", "@demo once\n@demo sleep 60"))
    until(lambda: desktop.menu()[0].label == "Running · 1 run")
    desktop.choose(WAYS, "I am leaving in 10 minutes")
    until(lambda: shown.get("/control")["state"] == "leaving")
    until(lambda: desktop.menu()[0].label == "Leaving · 1 run")
    desktop.choose("Stop all runs…")
    screen.press("Return", "Roundtable")
    until(lambda: shown.get("/control")["state"] == "stopped")
    left = lambda: [one for one in shown.get(f"/runs/{run['id']}")["processes"] if one["alive"]]  # noqa: E731
    assert {one["role"] for one in left()} <= {"runner"}, "it is the last to go"
    until(lambda: not left())

    shown.post("/control", {"action": "resume"})
    until(lambda: [one for one in shown.get("/runs", status="running")["items"]])
    shown.post("/control", {"action": "leave", "until": soon(3)})
    [note] = until(lambda: [one for one in desktop.notes if "close the lid" in one.title])
    assert "Nothing runs" in note.body
    until(lambda: desktop.menu()[0].label == "Safe to close the lid")
    desktop.choose(WAYS, "Stop when all runs have ended")
    until(lambda: shown.get("/control")["state"] == "stopped")
    desktop.choose("Resume")
    until(lambda: "Resume" not in [line.label for line in desktop.menu()])
    desktop.choose(WAYS, "For 30 minutes")
    until(lambda: shown.get("/control")["until"])


def soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

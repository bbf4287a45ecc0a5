"""What a person does at the real icon: runs, routines, notifications, the login, a press."""

from pathlib import Path

import pytest
from desktops.recorder import Line, Recorder
from desktops.screen import Screen, until
from desktops.tray_home import TrayHome


def labels(lines: list[Line]) -> list[str]:
    return [line.label for line in lines]


def entry(desktop: Recorder, label: str) -> Line | None:
    return next((one for one in desktop.menu() if one.label.startswith(label)), None)


@pytest.mark.slow
@pytest.mark.proves("D-04", "D-10")
def test_runs_and_routines_are_in_the_menu_and_what_is_chosen_holds(
    shown: TrayHome, desktop: Recorder, screen: Screen
) -> None:
    agent = shown.agent("demo")
    shown.routine("demo", "Triage", "@demo sleep 600")
    until(lambda: entry(desktop, "Run now"))
    desktop.choose("Run now", "Triage")
    until(lambda: entry(desktop, "Triage — 0 m"))
    line = entry(desktop, "Triage —")
    assert line is not None and labels(line.below) == ["Watch", "Send message…", "Stop…"]
    [run] = shown.get("/runs", status="running")["items"]
    desktop.choose(line.label, "Send message…")
    [page] = until(shown.opened)
    assert f"next=%2Fruns%2F{run['id']}%23say" in page
    desktop.choose(line.label, "Stop…")
    screen.press("Return", "Roundtable")
    until(lambda: shown.get(f"/runs/{run['id']}")["status"] == "cancelled")
    until(lambda: entry(desktop, "Triage —") is None)

    login = Path(shown.env["HOME"]) / ".config" / "autostart" / "roundtable-desktop.desktop"
    desktop.choose("Start at login")
    until(login.exists)
    assert f"--home {shown.home}" in login.read_text()
    desktop.choose("Start at login")
    until(lambda: not login.exists())

    desktop.choose("Notifications", "Only when I'm needed")
    until(lambda: shown.setting("notifications") == "needed")
    desktop.choose("Notifications", "Mute for 1 hour")
    until(lambda: any("Muted until" in one for one in notices(desktop)))
    shown.ask(agent, "Add tea", "May I?")
    until(lambda: entry(desktop, "Needs you (1)"))
    assert desktop.notes == []
    muted = next(one for one in notices(desktop) if "Muted" in one)
    desktop.choose("Notifications", muted)
    [note] = until(lambda: desktop.notes)
    assert note.title == "demo asks for permission", "the mute was taken back, and it is told"


def notices(desktop: Recorder) -> list[str]:
    line = entry(desktop, "Notifications")
    assert line is not None
    return labels(line.below)


@pytest.mark.slow
@pytest.mark.proves("D-05 press")
def test_a_failure_is_tried_again_from_its_notification(shown: TrayHome, desktop: Recorder) -> None:
    task = shown.work(shown.agent("demo"), "Add tea", "@demo once\n@demo block Buy tea")
    [note] = until(lambda: desktop.notes)
    assert note.title == "demo cannot go on" and "Buy tea" in note.body and "T-1" in note.body
    assert note.actions[::2] == ["default", "retry", "later"]
    assert note.hints["resident"].value is True
    desktop.press(note, "retry")
    said = until(lambda: [one for one in desktop.notes if one.title == "It is tried again"])
    assert "Buy tea" in said[0].body
    until(lambda: len(shown.attempts(task)) == 2)


@pytest.mark.slow
@pytest.mark.proves("N-11 notices", "N-01 told")
def test_quiet_hours_and_a_sleep_of_the_machine(home: TrayHome, desktop: Recorder) -> None:
    """By a clock that the test moves: what is quiet ends while it sleeps."""
    home.env["ROUNDTABLE_TEST_CLOCK"] = "1"
    home.env["TZ"] = "UTC"
    desktop.show_notifications()
    desktop.show_panel()
    home.begin()
    home.post("/test/clock", {"now": "2026-04-25T22:30:00Z"})
    home.cli("settings", "set", "quiet_hours", "daily 22:00-07:00")
    home.agent("demo")
    home.cli("agent", "edit", "demo", "--no-skip-idle")
    home.routine("demo", "Hourly", "@demo say It is time.", "--cron", "0 * * * *", "--tz", "UTC")
    home.ask(home.agent("other"), "Add tea", "May I?")
    until(lambda: entry(desktop, "Needs you (1)"))
    assert desktop.notes == []
    home.post("/test/clock", {"sleep": 10 * 3600})
    found = until(lambda: len(desktop.notes) > 1 and {one.title: one for one in desktop.notes})
    assert "other asks for permission" in found
    body = found["While the machine slept"].body
    assert body == "Asleep Sat 22:30 to 08:30: 10 fires missed, 1 of them is made up for."


@pytest.mark.slow
@pytest.mark.proves("D-05 proposals")
def test_a_proposal_is_told_and_goes_when_it_is_decided(shown: TrayHome, desktop: Recorder) -> None:
    task = shown.work(shown.agent("demo"), "Add tea", "@demo write TEA.md tea")
    [note] = until(lambda: desktop.notes)
    assert (note.title, note.body) == (
        "demo has finished something for you",
        "T-1 Add tea: 1 file is changed.",
    )
    assert note.actions[::2] == ["default", "later"], "it is not delivered unseen"
    assert entry(desktop, "Needs you (1)") is not None, "one number for what needs you (W-21)"
    shown.deliver(task)
    until(lambda: note.closed)
    assert len(desktop.notes) == 1

"""The tray on a desktop that records: icon, menu, notifications, and how it ends."""

import os
import sqlite3
import time
from contextlib import closing

import pytest
from desktops.recorder import NOTIFICATIONS, WATCHER, Line, Recorder
from desktops.screen import Screen, until
from desktops.tray_home import TrayHome

AT_REST = [
    "Open dashboard",
    "Pause",
    "Stop all runs…",
    "Notifications",
    "Start at login",
    "Preferences…",
    "Doctor",
    "Quit…",
]
"""The menu below its first line, while nothing is at work."""


NOTHING = "say Thank you."
"""What leaves no proposal, which would be told of too."""


def labels(lines: list[Line]) -> list[str]:
    return [line.label for line in lines]


@pytest.mark.slow
@pytest.mark.proves("D-04")
def test_pause_in_the_menu_pauses_and_becomes_resume(shown: TrayHome, desktop: Recorder) -> None:
    lines = until(lambda: desktop.items and desktop.menu())
    until(lambda: labels(desktop.menu())[0] == "Idle")
    until(lambda: labels(desktop.menu())[-2].startswith("Doctor"))
    assert [one.partition(" (")[0] for one in labels(desktop.menu())] == ["Idle", *AT_REST]
    assert not lines[0].enabled
    assert desktop.icon()["ToolTip"][2] == "Roundtable: Idle"
    sizes = {(width, height) for width, height, _data in desktop.icon()["IconPixmap"]}
    assert {(16, 16), (22, 22), (64, 64)} <= sizes
    idle = desktop.icon()["IconPixmap"]

    desktop.choose("Pause", "Until I resume")
    until(lambda: shown.get("/control")["intake"] == "paused")
    until(lambda: labels(desktop.menu())[:3] == ["Paused", "Open dashboard", "Resume"])
    assert desktop.icon()["IconPixmap"] != idle

    desktop.choose("Resume")
    until(lambda: shown.get("/control")["intake"] == "open")
    until(lambda: "Resume" not in labels(desktop.menu()))

    shown.cli("pause")
    until(lambda: labels(desktop.menu())[0] == "Paused")
    desktop.click_icon("SecondaryActivate")
    until(lambda: shown.get("/control")["intake"] == "open")


@pytest.mark.slow
@pytest.mark.proves("D-05", "S-28", "S-43 modes")
def test_an_ask_is_one_notification_that_opens_its_page(shown: TrayHome, desktop: Recorder) -> None:
    item = shown.ask(
        shown.agent("demo"), "Add tea & cake", "Is <b>this_one</b> & that right?", NOTHING
    )
    [note] = until(lambda: desktop.notes)
    assert note.title == "demo asks for permission"
    assert "Is &lt;b&gt;this_one&lt;/b&gt; &amp; that right?" in note.body and "T-1" in note.body
    assert note.actions == ["default", "Open", "later", "Later"]

    until(lambda: labels(desktop.menu())[1] == "Needs you (1)")
    assert labels(desktop.menu())[0] == "Running · 1 run"
    below = labels(desktop.menu()[1].below)
    assert below == ["demo: Is <b>this_one</b> & that right?", "Open inbox"]

    desktop.press(note, "default")
    [page] = until(shown.opened)
    assert f"next=%2Finbox%23item-{item['id']}" in page
    token = (shown.home / "token").read_text().strip()
    assert token not in page
    mask = os.umask(0o077)
    os.umask(mask)
    said = shown.opened_file.with_suffix(".umask").read_text()
    assert int(said, 8) == mask, "a browser that begins now keeps the user's"

    desktop.choose("Needs you (1)", below[0])
    until(lambda: len(shown.opened()) == 2)
    assert f"next=%2Finbox%23item-{item['id']}" in shown.opened()[1]
    desktop.click_icon()
    until(lambda: len(shown.opened()) == 3)
    assert shown.opened()[2].count("next=%2Finbox") and item["id"] not in shown.opened()[2]

    shown.cli("inbox", "act", item["id"], "allow_once")
    shown.ended(item["task"])
    until(lambda: labels(desktop.menu())[0] == "Idle")
    assert len(desktop.notes) == 1 and desktop.notes[0].times == 1
    desktop.click_icon()
    until(lambda: len(shown.opened()) == 4)
    assert "next=%2F&" in shown.opened()[3] or 'next=%2F"' in shown.opened()[3]


@pytest.mark.slow
@pytest.mark.proves("D-05", "N-12")
def test_a_notification_goes_with_its_answer_and_several_come_as_one(
    shown: TrayHome, desktop: Recorder
) -> None:
    first = shown.ask(shown.agent("first"), "Add tea", "May I?", NOTHING)
    until(lambda: desktop.notes)
    for name in ("second", "third"):
        shown.ask(shown.agent(name), "More", "And now?", NOTHING)
    until(lambda: labels(desktop.menu())[1] == "Needs you (3)")
    shown.answer(first)
    until(lambda: desktop.notes[0].closed)
    assert len(desktop.notes) == 1, "another one within 20 s waits"

    shown.stop()
    shown.start()
    until(lambda: len(desktop.notes) == 2)
    assert desktop.notes[1].title == "2 items need you"
    one, other = shown.waiting()
    shown.answer(one, "reject_once")
    until(lambda: desktop.notes[1].title == "1 item needs you")
    assert not desktop.notes[1].closed
    shown.answer(other, "reject_once")
    until(lambda: desktop.notes[1].closed)
    until(lambda: labels(desktop.menu())[1] == "Open dashboard")


@pytest.mark.slow
@pytest.mark.proves("D-05", "N-12")
def test_an_item_below_many_newer_ones_is_not_gone(shown: TrayHome, desktop: Recorder) -> None:
    first = shown.ask(shown.agent("first"), "Add tea", "May I?", NOTHING)
    [note] = until(lambda: desktop.notes)
    with closing(sqlite3.connect(shown.home / "roundtable.db", timeout=30)) as other, other:
        other.executemany(
            "INSERT INTO inbox_items SELECT id || ?1, workspace_id, kind, 'info', key || ?1,"
            " subject_type, subject_id || ?1, status, data, resolution, created_at, updated_at,"
            " resolved_at, revision FROM inbox_items WHERE id = ?2",
            [(f"{number:02}", first["id"]) for number in range(50)],
        )
    second = shown.ask(shown.agent("second"), "More", "And now?", NOTHING)
    until(lambda: labels(desktop.menu())[1] == "Needs you (52)")
    shown.answer(second)
    until(lambda: labels(desktop.menu())[1] == "Needs you (51)")
    assert not note.closed
    shown.answer(first)
    until(lambda: note.closed)
    assert note.times == 1 and len(desktop.notes) == 1, "no other one within 20 s"


@pytest.mark.slow
@pytest.mark.proves("D-05", "N-12")
def test_later_takes_the_notification_away_and_leaves_the_item(
    shown: TrayHome, desktop: Recorder
) -> None:
    item = shown.ask(shown.agent("demo"), "Add tea", "May I?")
    [note] = until(lambda: desktop.notes)
    desktop.press(note, "later")
    desktop.choose("Open dashboard")
    [page] = until(shown.opened)
    assert "item-" not in page, "the dashboard was asked for after it, and nothing else was"
    assert labels(desktop.menu())[1] == "Needs you (1)"
    assert [one["id"] for one in shown.waiting()] == [item["id"]]


@pytest.mark.slow
@pytest.mark.proves("D-01 waits")
def test_the_menu_answers_while_the_database_is_held_by_somebody(
    shown: TrayHome, desktop: Recorder
) -> None:
    until(lambda: desktop.items)
    with closing(sqlite3.connect(shown.home / "roundtable.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        desktop.choose("Pause", "Until I resume")
        for _look in range(5):
            began = time.monotonic()
            assert labels(desktop.menu())[0] == "Idle"
            assert time.monotonic() - began < 5, "the database is waited for up to ten seconds"
        other.execute("ROLLBACK")
    until(lambda: labels(desktop.menu())[0] == "Paused")


@pytest.mark.slow
@pytest.mark.proves("C-101")
def test_quit_leaves_the_agent_at_work_and_the_next_start_finds_it(
    shown: TrayHome, desktop: Recorder, screen: Screen
) -> None:
    item = shown.ask(shown.agent("demo"), "Add tea", "May I?")
    task = item["task"]
    run = shown.live(task)
    until(lambda: labels(desktop.menu())[0] == "Running · 1 run")
    desktop.choose("Quit…")
    screen.press("Escape", "Roundtable")
    until(lambda: "Roundtable" not in screen.windows())
    assert shown.get("/control")["intake"] == "open", "it goes on"

    desktop.choose("Quit…")
    screen.press("Return", "Roundtable")
    assert shown.leave() == 0
    assert not (shown.home / "owner.json").exists()

    shown.start()
    again = shown.live(task)
    assert again["id"] == run["id"]
    shown.answer(item)
    assert shown.ended(task)["outcome"] == "done"
    assert len(shown.attempts(task)) == 1


@pytest.mark.slow
@pytest.mark.proves("D-04")
def test_a_panel_that_comes_late_or_comes_back_has_one_icon(
    home: TrayHome, desktop: Recorder
) -> None:
    desktop.show_notifications()
    home.start()
    [note] = until(lambda: desktop.notes)
    assert note.title == "This desktop shows no tray icons"
    assert "no tray icons" in home.said()
    assert home.get("/control")["intake"] == "open", "the app goes on"
    until(lambda: len(home.opened()) == 1)  # though it was to be hidden
    desktop.press(note, "default")
    until(lambda: len(home.opened()) == 2)

    desktop.show_panel()
    until(lambda: desktop.items)
    until(lambda: labels(desktop.menu())[0] == "Idle")

    desktop.leave(WATCHER)
    desktop.show_panel()
    until(lambda: desktop.items)
    home.post("/control", {"action": "pause"})
    until(lambda: labels(desktop.menu())[0] == "Paused")
    assert len(desktop.items) == 1
    assert len(desktop.notes) == 1


@pytest.mark.slow
@pytest.mark.proves("D-04")
def test_the_icon_is_drawn_for_a_dark_or_a_light_desktop(home: TrayHome, desktop: Recorder) -> None:
    desktop.show_panel()
    desktop.prefer("light")
    home.start()
    until(lambda: desktop.items and ink(desktop) == "dark")
    desktop.change("dark")
    until(lambda: ink(desktop) == "light")


def ink(desktop: Recorder) -> str:
    """Of the ring, where it is thickest: the middle of its upper edge."""
    data = next(one for width, _height, one in desktop.icon()["IconPixmap"] if width == 64)
    alpha, red, _green, _blue = data[4 * (9 * 64 + 32) :][:4]
    return "none" if alpha < 255 else "light" if red > 127 else "dark"


@pytest.mark.slow
@pytest.mark.proves("D-05")
def test_without_a_server_an_ask_counts_in_the_menu_and_is_said_when_one_comes(
    home: TrayHome, desktop: Recorder
) -> None:
    """One that takes markup, which nobody could know before."""
    desktop.show_panel()
    home.begin()
    home.ask(home.agent("demo"), "Add tea", "Is <b>this</b> right?")
    until(lambda: labels(desktop.menu())[1] == "Needs you (1)")
    until(lambda: "nobody shows notifications" in home.log())
    desktop.show_notifications()
    [note] = until(lambda: desktop.notes)
    assert note.title == "demo asks for permission"
    assert "Is &lt;b&gt;this&lt;/b&gt; right?" in note.body
    desktop.press(note, "default")
    until(home.opened)


@pytest.mark.slow
@pytest.mark.proves("D-05")
def test_a_server_that_comes_back_gets_markup_and_numbers_of_its_own(
    shown: TrayHome, desktop: Recorder
) -> None:
    first = shown.ask(shown.agent("demo"), "Add tea", "Is <b>this</b> right?", NOTHING)
    until(lambda: desktop.notes)
    desktop.leave(NOTIFICATIONS)
    desktop.show_notifications()
    shown.answer(first)
    until(lambda: labels(desktop.menu())[0] == "Idle")
    shown.ask(shown.agent("second"), "More", "And <i>now</i>?")
    note = until(lambda: desktop.notes[1:])[0]
    assert "And &lt;i&gt;now&lt;/i&gt;?" in note.body
    assert not desktop.notes[0].closed, "the number was the other server's"

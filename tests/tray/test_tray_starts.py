"""How the tray starts: second starts, no display, what fails, and how it is told to end."""

import ctypes
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from desktops.recorder import Recorder
from desktops.screen import PATIENCE, Screen, until
from desktops.tray_home import TrayHome


def over(process: "subprocess.Popen[bytes]") -> int:
    return process.wait(PATIENCE)


def meeting_place(home: TrayHome) -> Path:
    """Where a second start meets the first one."""
    return home.home / "s" / hashlib.sha256(os.fsencode(home.home)).hexdigest()[:8]


@pytest.mark.slow
@pytest.mark.proves("C-102")
def test_a_second_start_hands_over_and_ends_with_0(home: TrayHome) -> None:
    home.start("--port", "0")
    [page] = until(home.opened)
    assert "next=%2F" in page
    assert over(home.spawn("--hidden")) == 0
    assert over(home.spawn()) == 0
    until(lambda: len(home.opened()) == 2)
    assert not home.owner_is_over()
    assert [one.stat().st_mode & 0o077 for one in (home.home / "s").iterdir()] == [0]


@pytest.mark.slow
@pytest.mark.proves("C-101", "C-102")
def test_a_start_beside_a_headless_owner_offers_to_take_over(
    home: TrayHome, desktop: Recorder, screen: Screen
) -> None:
    desktop.show_panel()
    home.headless()
    item = home.ask(home.agent("demo"), "Add tea", "May I?")
    run = home.live(item["task"])
    headless = home.owner

    declined = home.spawn("--port", "0")
    screen.press("Escape", "Roundtable")
    assert over(declined) == 4
    assert "Another owner is running" in home.said()

    home.owner = home.spawn("--hidden", "--port", "0")
    screen.press("Return", "Roundtable")
    assert headless is not None and over(headless) == 0
    home.ready()
    assert home.facts["pid"] == home.owner.pid
    assert home.live(item["task"])["id"] == run["id"], "the agent goes on"
    until(lambda: desktop.items and desktop.menu()[1].label == "Needs you (1)")


@pytest.mark.slow
@pytest.mark.proves("C-101", "C-102")
def test_a_take_over_that_was_agreed_to_ends_no_tray(home: TrayHome, screen: Screen) -> None:
    """Two starts ask; the first that may goes on, and the other one finds a tray by then."""
    home.headless()
    headless = home.owner
    both = [home.spawn("--hidden", "--port", "0") for _number in range(2)]
    try:
        until(lambda: screen.count("Roundtable") == 2)
        screen.press("Return", "Roundtable")
        assert headless is not None and over(headless) == 0
        until(meeting_place(home).exists)
        home.ready()
        [home.owner] = [one for one in both if one.pid == home.facts["pid"]]
        [other] = [one for one in both if one is not home.owner]
        screen.press("Return", "Roundtable")
        assert over(other) == 0
        assert not home.owner_is_over() and home.get("/control")["intake"] == "open"
    finally:
        for one in both:
            if one is not home.owner:
                one.kill()
                one.wait()


@pytest.mark.slow
@pytest.mark.proves("C-102")
def test_whoever_says_nothing_at_the_meeting_place_is_sent_away(home: TrayHome) -> None:
    home.start()
    until(meeting_place(home).exists)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.settimeout(PATIENCE)
        silent.connect(str(meeting_place(home)))
        assert silent.recv(1) == b""
    assert over(home.spawn()) == 0, "it still hears who speaks"
    until(home.opened)


@pytest.mark.slow
@pytest.mark.proves("D-01 headless")
@pytest.mark.parametrize(
    ("display", "why"),
    [("", "There is no display"), (":64000", "Qt finds no display: ")],
    ids=["none", "dead"],
)
def test_without_a_display_it_says_so_and_goes_on_as_start(
    home: TrayHome, display: str, why: str
) -> None:
    home.env["DISPLAY"] = display
    home.owner = home.spawn("--port", "0")
    assert home.owner.stdout is not None
    ready = json.loads(home.owner.stdout.readline())
    assert ready["event"] == "ready" and ready["home"] == str(home.home)
    first = home.said().splitlines()[0]
    assert first.startswith(why) and first.endswith("Going on as “roundtable start”.")
    assert over(home.spawn()) == 4
    home.owner.send_signal(signal.SIGTERM)
    assert home.leave() == 0


@pytest.mark.slow
@pytest.mark.proves("D-01 headless")
def test_what_keeps_it_from_starting_is_said_in_a_window_and_by_the_exit_code(
    home: TrayHome, screen: Screen
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        failing = home.spawn("--port", str(taken.getsockname()[1]))
        screen.press("Return", "Roundtable")
        assert over(failing) == 1
    assert "Choose another one with --port" in home.said()
    home.home.chmod(0o770)
    told = home.spawn("--port", "0")
    until(lambda: "Roundtable" in screen.windows())
    told.send_signal(signal.SIGTERM)
    assert over(told) == 0, "told to end, it does not wait for an answer"


def of_process(pid: int, number: signal.Signals) -> None:
    os.kill(pid, number)


def of_another_thread(pid: int, number: signal.Signals) -> None:
    """The kernel may choose any; `kill` would take the main one, whose number is the process's."""
    thread = max(int(one.name) for one in Path(f"/proc/{pid}/task").iterdir())
    assert thread != pid
    assert ctypes.CDLL(None).tgkill(pid, thread, number) == 0


@pytest.mark.slow
@pytest.mark.proves("C-101")
@pytest.mark.parametrize("tell", [of_process, of_another_thread])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_tray_in_order_and_its_agents_go_on(
    shown: TrayHome, number: signal.Signals, tell: Callable[[int, signal.Signals], None]
) -> None:
    item = shown.ask(shown.agent("demo"), "Add tea", "May I?")
    agent = next(
        one["pid"] for one in shown.live(item["task"])["processes"] if one["role"] == "agent"
    )
    assert shown.owner is not None and meeting_place(shown).exists()
    tell(shown.owner.pid, number)
    assert shown.leave() == 0
    os.kill(agent, 0)
    assert not (shown.home / "owner.json").exists()
    assert not meeting_place(shown).exists()


@pytest.mark.slow
@pytest.mark.proves("D-01 headless")
def test_the_owner_without_a_tray_loads_no_qt(tmp_path: Path) -> None:
    """Everything but `tray/` is imported by the command line; none of it asks for Qt."""
    script = (
        "import sys, roundtable_desktop.cli.main, roundtable_desktop.cli.desktop\n"
        "print([one for one in sys.modules if one.split('.')[0] in ('PySide6', 'jeepney')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.stdout == "[]\n", done.stderr

"""The scheduler's thread crashes again and again: icon, notification, page and menu say so."""

from pathlib import Path
from urllib.error import HTTPError

import pytest
from desktops.recorder import Recorder
from desktops.screen import until
from desktops.tray_home import TrayHome

SEEN = 5.0
"""Seconds until a dead scheduler is seen (F-52)."""

# Beside the program, in its own process alone: ends the thread as long as the file is there.
BREAK = """
import os, sys
if "roundtable-desktop" in " ".join(sys.orig_argv) and "--part" not in sys.orig_argv:
    from roundtable_desktop.engine import dispatcher
    step = dispatcher.Dispatcher.step
    def broken(self):
        if os.path.exists({flag!r}):
            raise SystemExit("crash")
        return step(self)
    dispatcher.Dispatcher.step = broken
"""


@pytest.mark.slow
@pytest.mark.proves("F-09", "F-52")
def test_a_scheduler_that_was_given_up_is_seen_and_can_be_started_again(
    home: TrayHome, desktop: Recorder, tmp_path: Path
) -> None:
    flag = tmp_path / "break"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(BREAK.format(flag=str(flag)))
    home.env["PYTHONPATH"] = str(tmp_path / "site")
    desktop.show_notifications()
    desktop.show_panel()
    home.begin()
    until(lambda: desktop.items and desktop.menu()[0].label == "Idle")
    idle = desktop.icon()["IconPixmap"]

    flag.touch()
    home.post("/control", {"action": "resume"})
    until(lambda: home.crashes() == 4)
    until(lambda: desktop.menu()[0].label == "The scheduler has stopped", SEEN)
    assert desktop.icon()["IconPixmap"] != idle
    titles = [one.title for one in desktop.notes]
    assert titles.count("The scheduler has stopped") == 1, titles
    dead = next(one for one in desktop.notes if one.title == "The scheduler has stopped")
    assert dead.actions[::2] == ["default", "log", "revive"]
    assert dead.hints["urgency"].value == 2

    with pytest.raises(HTTPError, match="503") as refused:
        home.agent("late")
    assert b"scheduler_stands_still" in refused.value.read()
    assert home.get("/agents")["items"] == [], "it can be read"
    home.post("/control", {"action": "pause"})
    home.post("/control", {"action": "resume"})

    flag.unlink()
    desktop.press(dead, "revive")
    until(lambda: desktop.menu()[0].label == "Idle")
    until(lambda: dead.closed)
    assert home.agent("late")

"""What the tray says of the scheduler itself."""

import sqlite3
from contextlib import closing
from urllib.error import HTTPError

import pytest
from desktops.recorder import Recorder
from desktops.screen import until
from desktops.tray_home import TrayHome

SOON = 90.0  # five failures in a row and the next look at the health, on a busy machine


def rename(home: TrayHome, names: dict[str, str]) -> None:
    with closing(sqlite3.connect(home.home / "roundtable.db", timeout=30)) as other:
        for old, new in names.items():
            other.execute(f"ALTER TABLE {old} RENAME TO {new}")


@pytest.mark.slow
@pytest.mark.proves("D-05", "N-12")
def test_a_failing_scheduler_is_said_once_and_taken_back_when_it_is_well(
    shown: TrayHome, desktop: Recorder
) -> None:
    """It cannot read what waits, and the tray cannot read what runs."""
    until(lambda: desktop.items and desktop.menu()[0].label == "Idle")
    away = {"agent_wakeup_requests": "no_wakeups", "runs": "no_runs"}
    rename(shown, away)
    with pytest.raises(HTTPError, match="500"):  # its answer would say what runs
        shown.post("/control", {"action": "pause"})
    [note] = until(lambda: desktop.notes, SOON)
    assert note.title == "Something fails in Roundtable"
    until(lambda: desktop.icon()["ToolTip"][2] == "Roundtable: Something fails, see the log")
    assert not note.closed
    rename(shown, {new: old for old, new in away.items()})
    until(lambda: note.closed, SOON)
    until(lambda: desktop.menu()[0].label == "Paused")
    assert len(desktop.notes) == 1 and note.times == 1

"""The trial of a display: it ends, and ends where it began."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from desktops.screen import PATIENCE, Screen

MISSING = """
import os
from roundtable_desktop.tray import display
print(display.missing(os.environ))
"""
# What Qt does when a part of it is of another version.
UNUSABLE = """
from PySide6 import QtGui

def unusable(words):
    raise RuntimeError("cannot be made")

QtGui.QGuiApplication = unusable
"""


def lines(script: str, name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def silent() -> Iterator[str]:
    """A display that takes a connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1] - 6000}"


@pytest.mark.slow
@pytest.mark.proves("D-01 headless")
def test_a_display_that_is_silent_counts_as_none(silent: str) -> None:
    assert lines(MISSING, silent) == ["Qt finds no display: it does not answer."]


@pytest.mark.proves("D-01 headless")
def test_what_fails_in_the_trial_ends_it_and_is_said_once(screen: Screen) -> None:
    assert lines(UNUSABLE + MISSING, screen.name) == ["Qt finds no display: cannot be made"]
    assert lines(MISSING, screen.name) == [""]

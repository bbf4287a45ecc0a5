"""G12: a runner's memory beside a bare Python with asyncio, the app's beside a bare tray."""

import json
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path

import pytest
from desktops.recorder import Recorder
from desktops.screen import Screen, session_bus, until
from desktops.tray_home import TrayHome

from benchmarks.table import Goal, measure
from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.model.ports import LaunchOrder

BARE = "import asyncio, time; print('up', flush=True); time.sleep(60)"


BARE_TRAY = """
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
app = QApplication([])
picture = QPixmap(64, 64)
picture.fill("red")
tray, menu = QSystemTrayIcon(QIcon(picture)), QMenu()
menu.addAction("Quit")
tray.setContextMenu(menu)
tray.show()
print("up", flush=True)
app.exec()
"""
SETTLED = 3.0  # seconds until what a start needs for a moment is given back


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def runner() -> float:
    """A runner in the middle of its run, with its channel open and nothing to do."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "s").mkdir()
        runners = LocalRunners(place / "runs", place / "s", sweep=processes.sweep)
        run = SystemIds().new()
        runners.launch(
            LaunchOrder(
                run=run,
                task=None,
                attempt=None,
                fence="f",
                control_key="k",
                adapter="command",
                command=["sleep", "60"],
                cwd=folder,
                prompt="",
                environment={"PATH": "/usr/bin:/bin"},
            )
        )
        runners.attach(run)
        threading.Event().wait(1.5)
        hello = json.loads(runners.read(run, 0).splitlines()[0])
        used = megabytes(hello["pid"])
        runners.control(run, {"do": "cancel"})
        while runners.state(run) != "free":
            threading.Event().wait(0.05)
        runners.detach(run)
        return used


def bare() -> float:
    with subprocess.Popen([sys.executable, "-I", "-c", BARE], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = megabytes(process.pid)
        process.kill()
    return used


def app(home: TrayHome, desktop: Recorder) -> float:
    """Tray, scheduler and dashboard in one process, before the first agent."""
    home.start()
    until(lambda: desktop.items)
    threading.Event().wait(SETTLED)
    used = megabytes(home.facts["pid"])
    home.stop()
    return used


def bare_tray(home: TrayHome, desktop: Recorder) -> float:
    command = [sys.executable, "-I", "-c", BARE_TRAY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=home.env) as process:
        assert process.stdout is not None
        process.stdout.readline()
        until(lambda: desktop.items)
        threading.Event().wait(SETTLED)
        used = megabytes(process.pid)
        process.kill()
    return used


@pytest.mark.proves("G12")
def tray() -> bool:
    goal = Goal("G12", "the whole app / a bare PySide6 tray", "{:.1f} MB", "{:.1f} MB", most=2.2)
    with tempfile.TemporaryDirectory(prefix="rt") as folder:
        place, screen = Path(folder), Screen()
        (place / "home").mkdir()
        try:
            with session_bus(place) as bus, closing(Recorder(bus)) as desktop:
                desktop.show_panel()
                home = TrayHome(place / "home", screen, bus)
                with closing(home):
                    return measure(goal, lambda: (app(home, desktop), bare_tray(home, desktop)))
        finally:
            screen.close()


@pytest.mark.proves("G12")
def memory() -> bool:
    goal = Goal(
        "G12", "runner of a command / python with asyncio", "{:.1f} MB", "{:.1f} MB", most=1.5
    )
    return measure(goal, lambda: (runner(), bare()))

"""G12: a runner's memory beside a bare Python with asyncio; the tray's comes with the tray."""

import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from benchmarks.table import Goal, measure
from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.model.ports import LaunchOrder

BARE = "import asyncio, time; print('up', flush=True); time.sleep(60)"


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


@pytest.mark.proves("G12")
def memory() -> bool:
    goal = Goal(
        "G12", "runner of a command / python with asyncio", "{:.1f} MB", "{:.1f} MB", most=1.5
    )
    return measure(goal, lambda: (runner(), bare()))

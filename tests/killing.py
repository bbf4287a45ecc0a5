"""Kills a scheduler at a place of a task's way, starts it again, and looks at what is left."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from engine_folders import Folders

from roundtable_desktop.adapters import processes

PROGRAM = Path(__file__).with_name("scheduler_child.py")


def rows(home: Path, text: str) -> list[Any]:
    with closing(sqlite3.connect(home / "a.db")) as connection:
        return connection.execute(text).fetchall()


def column(home: Path, text: str) -> list[Any]:
    return [row[0] for row in rows(home, text)]


class Killing:
    """One home; `run` starts the scheduler once."""

    def __init__(self, root: Path) -> None:
        self.home = root
        self.folders = Folders(root)
        self.sockets = Path(tempfile.mkdtemp(prefix="rt"))  # a socket's path is short

    def run(self, point: int = 0, victim: str = "self") -> bool:
        """Whether it was killed. It must end well otherwise."""
        words = [sys.executable, str(PROGRAM), str(self.home), str(point), victim]
        environment = {**os.environ, "SOCKETS": str(self.sockets)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100)
        if done.returncode == -signal.SIGKILL:
            return True
        assert done.returncode == 0, done.stderr[-4000:]
        return False

    def check(self, *, runs_hit: int = 0) -> None:
        """The first law: no wakeup is lost, none runs twice; and nothing is left lying about."""
        home = self.home
        assert column(home, "SELECT status || outcome FROM agent_wakeup_requests") == [
            "finishedexecuted"
        ]
        outcomes = column(home, "SELECT outcome FROM runs ORDER BY id")
        assert outcomes.count("done") == 1 and outcomes[-1] == "done", outcomes
        assert set(outcomes[:-1]) <= {"lost", "crashed"}, outcomes
        assert column(home, "SELECT status FROM proposals") == ["delivered"]
        assert column(home, "SELECT status FROM deliveries") == ["delivered"]
        assert column(home, "SELECT count(*) FROM leases") == [0]
        ended = column(home, "SELECT subject_id FROM events WHERE kind = 'run.ended'")
        assert sorted(ended) == column(home, "SELECT id FROM runs ORDER BY id")
        for kind in ("task.created", "wakeup.queued", "proposal.created", "task.completed"):
            assert column(home, f"SELECT count(*) FROM events WHERE kind = '{kind}'") == [1], kind
        assert column(home, "PRAGMA integrity_check") == ["ok"]
        assert self.folders.shown("made.txt") == "made"
        assert len(self.folders.plain("log", "--format=%H", "main").splitlines()) == 2
        marks = (home / "marks").read_text().split()
        assert len(marks) == len(set(marks)) <= 1 + runs_hit, marks
        for run in column(home, "SELECT id FROM runs"):
            assert processes.marked(f"ROUNDTABLE_RUN={run}") == []

    def close(self) -> None:
        if (self.home / "a.db").exists():
            for run in column(self.home, "SELECT id FROM runs"):
                processes.sweep(f"ROUNDTABLE_RUN={run}")
        shutil.rmtree(self.sockets, ignore_errors=True)

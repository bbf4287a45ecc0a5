"""Kills a scheduler at a place of a task's way, starts it again, and looks at what is left."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from engine_folders import Folders
from scheduler_child import TASKS, WAKES

from roundtable_desktop.adapters import processes

FIRINGS = "office_routine_runs"
PROGRAM = Path(__file__).with_name("scheduler_child.py")


def rows(home: Path, text: str) -> list[Any]:
    with closing(sqlite3.connect(home / "a.db")) as connection:
        return connection.execute(text).fetchall()


def column(home: Path, text: str) -> list[Any]:
    return [row[0] for row in rows(home, text)]


class Killing:
    """One home; `run` starts the scheduler once. work: as the child takes it."""

    def __init__(self, root: Path, work: str = "tasks") -> None:
        self.home, self.work = root, work
        self.folders = Folders(root)
        self.sockets = Path(tempfile.mkdtemp(prefix="rt"))  # a socket's path is short

    def run(self, point: int = 0, victim: str = "self") -> bool:
        """Whether it was killed. It must end well otherwise."""
        words = [sys.executable, str(PROGRAM), str(self.home), str(point), victim, self.work]
        environment = {**os.environ, "SOCKETS": str(self.sockets)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100)
        if done.returncode == -signal.SIGKILL:
            return True
        assert done.returncode == 0, done.stderr[-4000:]
        return False

    def freeze(self, point: int) -> bool:
        """Whether it stood still at that place for half a second; it ends well after that."""
        words = [sys.executable, str(PROGRAM), str(self.home), str(point), "frozen", self.work]
        environment = {**os.environ, "SOCKETS": str(self.sockets)}
        child = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
        stood = os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
        if stood:
            time.sleep(0.5)  # it is the time that it is frozen
            os.kill(child.pid, signal.SIGCONT)
        _, said = child.communicate(timeout=100)
        assert not stood or child.returncode == 0, said[-4000:]
        return stood

    def check(self, *, runs_hit: int = 0) -> None:
        """The first law: no wakeup is lost, none runs twice; and nothing is left lying about."""
        checks = {"tasks": self._check_tasks, "wakes": self._check_wakes, "tick": self._check_tick}
        checks[self.work]()
        home, most = self.home, {"tasks": TASKS, "wakes": WAKES, "tick": 1}[self.work]
        assert column(home, "SELECT count(*) FROM leases") == [0]
        ended = column(home, "SELECT subject_id FROM events WHERE kind = 'run.ended'")
        assert sorted(ended) == column(home, "SELECT id FROM runs ORDER BY id")
        assert column(home, "PRAGMA integrity_check") == ["ok"]
        marks = (home / "marks").read_text().split()
        assert len(marks) == len(set(marks)) <= most + runs_hit, marks
        for run in column(home, "SELECT id FROM runs"):
            assert processes.marked(f"ROUNDTABLE_RUN={run}") == []

    def _check_tasks(self) -> None:
        every = column(self.home, "SELECT id FROM tasks ORDER BY id")
        assert len(every) == TASKS
        for task in every:
            self._check_task(task)
        for kind in ("task.created", "wakeup.queued", "proposal.created", "task.completed"):
            told = column(self.home, f"SELECT count(*) FROM events WHERE kind = '{kind}'")
            assert told == [TASKS], kind

    def _check_wakes(self) -> None:
        """Each ran to its end once, what it left has its name, and no branch has it."""
        home = self.home
        every = rows(home, "SELECT id, status || outcome FROM agent_wakeup_requests")
        assert [ended for _, ended in every] == ["finishedexecuted"] * WAKES
        for wakeup, _ in every:
            here = f"FROM runs WHERE wakeup_id = '{wakeup}' ORDER BY id"
            *before, last = rows(home, f"SELECT id, outcome, left_commit, copy_kept {here}")
            assert {outcome for _, outcome, _, _ in before} <= {"lost", "crashed"}, before
            run, outcome, commit, kept = last
            assert (outcome, kept) == ("done", 0)
            assert self.folders.plain("rev-parse", f"refs/roundtable/left/{run}") == commit
            assert self.folders.plain("show", f"{commit}:left.txt") == "made"
        assert self.folders.plain("rev-list", "--count", "--branches") == "1"
        assert column(home, "SELECT count(*) FROM proposals") == [0]

    def check_fired(self) -> None:
        """At any moment: what is said to have fired has its firing, and what has not is due."""
        firings = column(self.home, "SELECT count(*) FROM office_routine_runs")
        here = "FROM office_routine_triggers WHERE kind = 'schedule'"
        fired = column(self.home, f"SELECT last_fired_at IS NOT NULL {here}")
        assert fired in ([], firings), (fired, firings)
        assert column(self.home, f"SELECT next_run_at {here}") != [None]

    def _check_tick(self) -> None:
        home = self.home
        self.check_fired()
        ((firing, wakeup, run),) = rows(home, "SELECT status, wakeup_id, run_id FROM " + FIRINGS)
        assert firing == "done"
        outcomes = column(
            home, f"SELECT outcome FROM runs WHERE wakeup_id = '{wakeup}' ORDER BY id"
        )
        assert outcomes[-1] == "done" and set(outcomes[:-1]) <= {"lost", "crashed"}, outcomes
        assert column(home, "SELECT id FROM runs ORDER BY id")[-1] == run

    def _check_task(self, task: str) -> None:
        home, here = self.home, f"WHERE task_id = '{task}'"
        wakeups = column(home, f"SELECT status || outcome FROM agent_wakeup_requests {here}")
        assert wakeups == ["finishedexecuted"]
        outcomes = column(home, f"SELECT outcome FROM runs {here} ORDER BY id")
        assert outcomes.count("done") == 1 and outcomes[-1] == "done", outcomes
        assert set(outcomes[:-1]) <= {"lost", "crashed"}, outcomes
        offered = rows(home, f"SELECT id, status FROM proposals {here}")
        assert [status for _, status in offered] == ["delivered"]
        tries = f"SELECT status FROM deliveries WHERE proposal_id = '{offered[0][0]}'"
        assert column(home, tries) == ["delivered"]
        assert self.folders.shown(f"{task}.txt") == "made"
        runs = column(home, f"SELECT id FROM runs {here}")
        told = self.folders.plain("log", "--format=%B", "main")
        assert sum(told.count(f"Roundtable-Run: {run}") for run in runs) == 1

    def close(self) -> None:
        if (self.home / "a.db").exists():
            for run in column(self.home, "SELECT id FROM runs"):
                processes.sweep(f"ROUNDTABLE_RUN={run}")
        shutil.rmtree(self.sockets, ignore_errors=True)

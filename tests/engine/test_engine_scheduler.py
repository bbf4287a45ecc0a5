"""The whole scheduler with its threads, real runners and real git."""

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_folders import Folders
from ground import JOAN, Ground
from killing import Killing

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.processes import Identity
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.engine.desk import Asked, Desk, agents, tasks, workspaces
from roundtable_desktop.engine.launching import Equipment
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import (
    Adapter,
    DeliveryMode,
    Health,
    RunOutcome,
    RunStatus,
    TaskStatus,
)
from roundtable_desktop.store import runs

ASKED = Asked(JOAN)
WAITS = """
import os, sys, time
open("begun.txt", "a").write("x")
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
open("made.txt", "w").write("made\\n")
print("done")
"""


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    limit = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.02)
    return found


NO_FILES: Any = None
"""Nothing here looks at a repository's file."""


class Life:
    """One home whose scheduler can be stopped and started anew."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folders = Folders(root)
        self.ground = Ground(root, SystemClock(), SystemIds())
        self.sockets = Path(tempfile.mkdtemp(prefix="rt"))
        self.git, self.secrets = self.folders.git(), self.folders.secrets()
        self.runners = LocalRunners(self.root / "runs", self.sockets, sweep=processes.sweep)
        self.desk = Desk(
            self.ground.store,
            self.git,
            self.secrets,
            self.ground.ids,
            self.runners,
            processes.facts,
            processes.end,
            "UTC",
            NO_FILES,
        )
        self.go = root / "go"
        self.scheduler = self.begin()

    def begin(self) -> Scheduler:
        runners = LocalRunners(self.root / "runs", self.sockets, sweep=processes.sweep)
        self.scheduler = Scheduler(
            self.ground.store,
            self.ground.reader,
            self.folders.git(),
            runners,
            self.secrets,
            self.ground.ids,
            self.ground.clock,
            lambda: 0.0,
            copies=self.folders.copies,
            environ=os.environ,
            zone="UTC",
            equipment=Equipment("", lambda: ("", ""), (), (), ""),
        )
        self.scheduler.start()
        return self.scheduler

    def again(self) -> None:
        self.scheduler.stop()
        self.begin()

    def task(self, *command: str, **limits: int) -> Task:
        workspace = workspaces.register(
            self.desk,
            ASKED,
            str(self.folders.repo),
            base_branch="main",
            delivery=DeliveryMode.AUTO,
        )
        agent = agents.add(
            self.desk,
            ASKED,
            workspace.id,
            name="Ada",
            adapter=Adapter.COMMAND,
            command=command or [sys.executable, "-I", "-S", "-c", WAITS, str(self.go)],
            **limits,
        )
        return tasks.create(
            self.desk, ASKED, workspace.id, title="Make it", assignee_agent_id=agent.id
        )

    def running(self) -> Run:
        def found() -> Run | None:
            known = self.ground.runs()
            return known[-1] if known and known[-1].status is RunStatus.RUNNING else None

        run: Run = until(found)
        until(lambda: len(self.processes(run)) == 2)
        until(lambda: list(self.folders.copies.glob("*/*/begun.txt")))
        return run

    def processes(self, run: Run) -> list[Any]:
        with self.ground.reader.snapshot() as view:
            return runs.processes(view, run.id)

    def kill(self, run: Run, role: str) -> None:
        [one] = [one for one in self.processes(run) if one.role == role]
        processes.send(Identity(one.boot_id, one.pid, one.start_ticks), signal.SIGKILL)

    def ended(self, run: Run) -> Run:
        def found() -> Run | None:
            known = self.ground.get_run(run.id)
            return known if known.ended_at else None

        return until(found)  # type: ignore[no-any-return]

    def close(self) -> None:
        self.scheduler.stop()
        for run in self.ground.runs():
            processes.sweep(f"ROUNDTABLE_RUN={run.id}")
        self.ground.close()
        shutil.rmtree(self.sockets, ignore_errors=True)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    made = Life(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.proves("A-35", "F-46", "F-04", "A-19")
def test_a_run_outlives_its_scheduler_and_is_settled_by_the_next(life: Life) -> None:
    task = life.task()
    run = life.running()
    for _ in range(2):
        life.again()
        assert life.ground.get_run(run.id).status is RunStatus.RUNNING
    life.go.touch()
    until(lambda: life.ground.get_task(task.id).status is TaskStatus.DONE)
    [only] = life.ground.runs()
    assert (only.id, only.outcome) == (run.id, RunOutcome.DONE)
    assert life.folders.shown("made.txt") == "made"
    assert [one.read_text() for one in life.folders.copies.glob("*/*/begun.txt")] == ["x"]
    kinds = life.ground.kinds()
    assert kinds.count("run.adopted") == 2
    assert kinds.count("run.started") == kinds.count("run.ended") == 1
    assert life.scheduler.health() is Health.OK


@pytest.mark.slow
@pytest.mark.proves("A-35", "C-58")
def test_a_run_that_ended_while_nobody_looked_is_settled_from_its_spool(life: Life) -> None:
    task = life.task()
    run = life.running()
    life.scheduler.stop()
    life.go.touch()
    until(lambda: processes.marked(f"ROUNDTABLE_RUN={run.id}") == [])
    time.sleep(0.3)
    life.begin()
    until(lambda: life.ground.get_task(task.id).status is TaskStatus.DONE)
    assert len(life.ground.runs()) == 1


@pytest.mark.slow
@pytest.mark.proves("A-35", "A-21", "F-06")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_runner_that_was_killed_is_swept_lost_and_tried_again(life: Life, stopped: bool) -> None:
    life.task()
    run = life.running()
    if stopped:
        life.scheduler.stop()
    life.kill(run, "runner")
    if stopped:
        life.begin()
    run = life.ended(run)
    assert (run.outcome, run.error_kind) == (RunOutcome.LOST, "lost")
    assert processes.marked(f"ROUNDTABLE_RUN={run.id}") == []
    [wakeup] = life.ground.rows("agent_wakeup_requests")
    assert (wakeup["status"], wakeup["held_by"], wakeup["retry_count"]) == ("queued", "retry", 1)
    assert list(life.folders.copies.glob("*/*/begun.txt"))


@pytest.mark.slow
@pytest.mark.proves("F-06")
def test_an_agent_that_was_killed_is_a_crash_and_tried_again(life: Life) -> None:
    life.task()
    run = life.running()
    life.kill(run, "agent")
    run = life.ended(run)
    assert (run.outcome, run.exit_code) == (RunOutcome.CRASHED, -9)
    assert life.ground.rows("agent_wakeup_requests")[0]["held_by"] == "retry"


@pytest.mark.slow
@pytest.mark.proves("A-20", "W-15")
def test_a_program_that_is_not_there_blocks_the_task(life: Life) -> None:
    task = life.task("no-such-program-anywhere")
    until(lambda: life.ground.get_task(task.id).status is TaskStatus.BLOCKED)
    [run] = life.ground.runs()
    assert (run.error_kind, run.outcome) == ("cli_missing", RunOutcome.CRASHED)
    assert life.ground.rows("agent_wakeup_requests")[0]["outcome"] == "incurable"


@pytest.mark.slow
@pytest.mark.proves("A-22")
def test_a_run_at_its_hard_limit_is_ended_and_tried_again(life: Life) -> None:
    life.task(hard_timeout_sec=1)
    run = life.ended(life.running())
    assert run.outcome is RunOutcome.TIMED_OUT
    assert processes.marked(f"ROUNDTABLE_RUN={run.id}") == []
    assert life.ground.rows("agent_wakeup_requests")[0]["retry_count"] == 1


@pytest.mark.slow
@pytest.mark.proves("D-03")
def test_an_innocent_process_with_a_runs_number_is_left_alone(life: Life) -> None:
    """The stored pid is ours, the start time another's; settling the loss must not end us."""
    life.task()
    run = life.running()
    with life.ground.store.transaction() as tx:
        tx.write_sql("UPDATE agent_processes SET pid = ? WHERE role = 'agent'", (os.getpid(),))
    [innocent] = [one for one in life.processes(run) if one.role == "agent"]
    facts = processes.facts([innocent])
    assert [fact.alive for fact in facts] == [False]
    life.scheduler.stop()
    runner = next(one for one in life.processes(run) if one.role == "runner")
    os.kill(runner.pid, signal.SIGKILL)
    life.begin()
    assert life.ended(run).outcome is RunOutcome.LOST
    assert processes.marked(f"ROUNDTABLE_RUN={run.id}") == []


@pytest.mark.slow
@pytest.mark.proves("F-03", "F-08")
@pytest.mark.parametrize("point", [9, 27, 45])
def test_a_scheduler_killed_on_the_way_loses_nothing(tmp_path: Path, point: int) -> None:
    """A few of the places that `dev.py faults` goes through one by one."""
    killing = Killing(tmp_path)
    try:
        killing.run(point)
        assert not killing.run()
        killing.check()
    finally:
        killing.close()


@pytest.mark.slow
@pytest.mark.proves("B-023")
@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_a_tick_that_was_due_has_its_run_though_the_scheduler_was_stopped_before_it(
    tmp_path: Path, how: str
) -> None:
    """At one of the places that `dev.py faults` goes through one by one."""
    killing = Killing(tmp_path, "tick")
    try:
        if how == "killed":
            assert killing.run(7)
            killing.check_fired()
            assert not killing.run()
        else:
            assert killing.freeze(7)
        killing.check()
    finally:
        killing.close()


@pytest.mark.slow
def test_a_stop_leaves_no_thread(life: Life) -> None:
    life.task()
    life.running()
    life.scheduler.stop()
    names = {thread.name.split("-")[0] for thread in threading.enumerate()}
    assert not {"scheduler", "follower", "act"} & names

"""The recovery sweep wakes for each task that nobody will be woken for, once, and for no other."""

import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import Ground, set_columns

from roundtable_desktop.engine.desk import board, pausing, tasks, workspaces
from roundtable_desktop.engine.sweeps import AT_ONCE, EVERY, Sweep
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import Agent, Task, Wakeup
from roundtable_desktop.model.states import Rank, TaskStatus, WakeupStatus
from roundtable_desktop.store import tasks as stored
from roundtable_desktop.store import wakeups


def sweep_on(ground: Ground) -> Sweep:
    return Sweep(ground.store, ground.reader, ground.clock, ground.ids)


def behind_our_back(ground: Ground, sql: str, *values: Any) -> None:
    """As somebody else's program would: without our door and without foreign keys."""
    with closing(sqlite3.connect(ground.path)) as raw, raw:
        raw.execute(sql, values)


def lose_wakeups(ground: Ground, task: Task) -> None:
    behind_our_back(ground, "DELETE FROM agent_wakeup_requests WHERE task_id = ?", task.id)


def of_task(ground: Ground, task: Task) -> list[Wakeup]:
    found = [row["id"] for row in ground.rows("agent_wakeup_requests") if row["task_id"] == task.id]
    return [ground.get_wakeup(one) for one in found]


@pytest.mark.proves("K-36", "K-69")
def test_a_wakeup_that_vanished_is_made_again_and_the_task_is_done(stage: Stage) -> None:
    """S1:611-678: the task waits, assigned, and no row will ever wake its agent."""
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    assert not stage.step()
    sweep = sweep_on(stage.ground)
    assert sweep.look() == 1
    (made,) = of_task(stage.ground, task)
    assert (made.source, made.reason) == ("task_assigned", "recovery_sweep")
    assert made.idempotency_key == f"recovery:{task.id}:1:1" and made.rank == 3
    told = {event.kind: event for event in stage.ground.events()}
    assert dict(told["recovery_dispatch"].data) == {
        "task_id": task.id,
        "agent": task.assignee_agent_id,
        "agent_id": task.assignee_agent_id,
    }
    assert dict(told["recovery_sweep_complete"].data) == {"dispatched_count": 1}
    stage.finish(stage.launch(), result={"status": "completed"})
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("K-69")
def test_a_recovery_that_is_lost_as_well_is_not_absorbed(stage: Stage) -> None:
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    sweep = sweep_on(stage.ground)
    for number in (1, 2, 3):
        assert sweep.look() == 1
        (queued,) = [one for one in of_task(stage.ground, task) if one.status == "queued"]
        assert queued.idempotency_key == f"recovery:{task.id}:1:{number}"
        with stage.store.transaction() as tx:
            set_columns(tx, "agent_wakeup_requests", queued.id, status="cancelled", outcome="stale")
        stage.clock.forward(seconds=EVERY.total_seconds())


@pytest.mark.proves("K-36", "K-69")
def test_two_sweeps_at_once_make_one_row(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    lost = [ground.task(_workspace(ground, agent), agent) for _ in range(AT_ONCE + 7)]
    sweeps = [sweep_on(ground) for _ in range(4)]
    counts: list[int] = []
    threads = [threading.Thread(target=lambda s=s: counts.append(s.look())) for s in sweeps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == len(lost)
    assert all(len(of_task(ground, task)) == 1 for task in lost[:10])
    assert ground.kinds().count("recovery_dispatch") == len(lost)


def _workspace(ground: Ground, agent: Agent) -> Any:
    from roundtable_desktop.store import workspaces as rooms

    with ground.reader.snapshot() as view:
        return rooms.get(view, agent.workspace_id)


@pytest.mark.proves("C-78")
def test_a_sweep_that_finds_nothing_is_told_once_in_a_life(stage: Stage) -> None:
    stage.assigned()
    sweep = sweep_on(stage.ground)
    for _ in range(3):
        assert sweep.look() == 0
        stage.clock.forward(minutes=1)
    told = [one for one in stage.ground.events() if one.kind == "recovery_sweep_complete"]
    assert [dict(one.data) for one in told] == [{"dispatched_count": 0}]


def test_a_busy_queue_is_not_swept_at_each_tick(stage: Stage) -> None:
    task = stage.assigned()
    sweep = sweep_on(stage.ground)
    sweep.look()
    lose_wakeups(stage.ground, task)
    stage.clock.forward(seconds=EVERY.total_seconds() - 1)
    assert sweep.look() == 0
    stage.clock.forward(seconds=1)
    assert sweep.look() == 1


OVER: list[tuple[str, str, bool]] = [
    ("finished", "executed", False),
    ("failed", "exhausted", False),
    ("failed", "incurable", False),
    ("failed", "quarantined", False),
    ("cancelled", "user_cancelled", False),
    ("skipped", "agent_paused", False),
    ("finished", "agent_paused", True),
    ("finished", "agent_stopped", True),
    ("cancelled", "stale", True),
    ("failed", "malformed", True),
]


@pytest.mark.proves("C-50", "C-10")
@pytest.mark.parametrize(("status", "outcome", "again"), OVER, ids=[one[1] for one in OVER])
def test_what_ran_or_ended_on_purpose_is_passed_over(
    stage: Stage, status: str, outcome: str, again: bool
) -> None:
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    with stage.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", wakeup.id, status=status, outcome=outcome)
    assert sweep_on(stage.ground).look() == int(again)


@pytest.mark.proves("C-50")
@pytest.mark.parametrize("ran", [True, False])
def test_what_was_merged_into_a_run_that_exists_is_passed_over(stage: Stage, ran: bool) -> None:
    task = stage.assigned()
    host = stage.wakeup(task)
    agent_id = task.assignee_agent_id
    with stage.store.transaction() as tx:
        cause = wakeups.Cause(
            workspace_id=task.workspace_id,
            agent_id=str(agent_id),
            task_id=task.id,
            source=host.source,
            reason="assigned",
            payload={"task_id": task.id},
            key=None,
        )
        merged = wakeups.enqueue(tx, stage.ids.new(), cause, joins=True)
        run = {"run_id": "r1"} if ran else {}
        set_columns(
            tx, "agent_wakeup_requests", host.id, status="cancelled", outcome="stale", **run
        )
    assert stage.ground.get_wakeup(merged).status == "coalesced"
    assert sweep_on(stage.ground).look() == int(not ran)


@pytest.mark.proves("C-50")
@pytest.mark.parametrize("how", ["retry", "move", "assign"])
def test_a_persons_word_starts_afresh(stage: Stage, how: str) -> None:
    """What failed before says nothing about a wake that came after it and was lost."""
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    with stage.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", wakeup.id, status="failed", outcome="exhausted")
        set_columns(tx, "tasks", task.id, status="interrupted")
    if how == "retry":
        stage.ask_run(task)
    elif how == "assign":
        other = stage.agent(workspaces_of(stage), name="Bea")
        tasks.assign(stage.desk, ASKED, task.id, other.id)
    else:
        with stage.store.transaction() as tx:
            standing = stored.get(tx, task.id)
            assert standing is not None
            stored.move(tx, standing, TaskStatus.TODO, actor=ASKED.actor)
    behind_our_back(stage.ground, "DELETE FROM agent_wakeup_requests WHERE id <> ?", wakeup.id)
    assert sweep_on(stage.ground).look() == 1


def workspaces_of(stage: Stage) -> Any:
    from roundtable_desktop.store import workspaces as rooms

    with stage.ground.reader.snapshot() as view:
        return rooms.at_path(view, str(stage.folders.repo))


@pytest.mark.proves("K-36")
def test_a_paused_agents_task_waits_for_the_resume(stage: Stage) -> None:
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    agent_id = str(task.assignee_agent_id)
    pausing.pause(stage.desk, ASKED, agent_id)
    sweep = sweep_on(stage.ground)
    assert sweep.look() == 0
    pausing.resume(stage.desk, ASKED, agent_id)
    stage.clock.forward(seconds=EVERY.total_seconds())
    assert sweep.look() == 1


@pytest.mark.proves("K-72 sweep")
@pytest.mark.parametrize("status", [one for one in TaskStatus if one is not TaskStatus.TODO])
def test_no_task_but_one_that_is_to_be_done_is_touched(stage: Stage, status: TaskStatus) -> None:
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=status)
    assert sweep_on(stage.ground).look() == 0
    assert stage.ground.get_task(task.id).status is status


@pytest.mark.proves("K-36", "K-53", "K-06")
@pytest.mark.parametrize("kind", ["blocker", "subtask"])
def test_a_task_that_waits_for_another_is_left_until_that_one_is_done(
    stage: Stage, kind: str
) -> None:
    """Their end wakes for it; only where that wake is lost as well is it found."""
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    whole = stage.task(workspace, agent, title="Whole")
    given = {"parent_id": whole.id} if kind == "subtask" else {}
    other = stage.task(workspace, None, title="Other", **given)
    if kind == "blocker":
        edges = [Edge(depends_on_task_id=other.id)]
        tasks.change(stage.desk, ASKED, whole.id, depends_on=edges)
    lose_wakeups(stage.ground, whole)
    sweep = sweep_on(stage.ground)
    assert sweep.look() == 0
    for to in (TaskStatus.IN_PROGRESS, TaskStatus.DONE):
        board.move(stage.desk, ASKED, other.id, to)
    stage.clock.forward(seconds=EVERY.total_seconds())
    assert len(of_task(stage.ground, whole)) == 1 and sweep.look() == 0
    lose_wakeups(stage.ground, whole)
    stage.clock.forward(seconds=EVERY.total_seconds())
    assert sweep.look() == 1


@pytest.mark.proves("K-36")
def test_nobody_is_woken_for_a_task_without_an_assignee(stage: Stage) -> None:
    stage.task(stage.workspace())
    assert sweep_on(stage.ground).look() == 0


@pytest.mark.proves("K-37", "K-72 sweep")
def test_the_lookback_is_the_workspaces_own(stage: Stage) -> None:
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    stage.clock.forward(hours=25)
    assert sweep_on(stage.ground).look() == 0
    workspaces.edit(stage.desk, ASKED, task.workspace_id, recovery_lookback_hours=26)
    assert sweep_on(stage.ground).look() == 1


@pytest.mark.proves("K-37")
@pytest.mark.parametrize(("asked", "kept"), [(0, 1), (-5, 1), (9999, 720), (720, 720), (36, 36)])
def test_the_lookback_is_clamped_as_it_is_written(stage: Stage, asked: int, kept: int) -> None:
    room = stage.workspace()
    assert room.recovery_lookback_hours == 24
    edited = workspaces.edit(stage.desk, ASKED, room.id, recovery_lookback_hours=asked)
    assert edited.recovery_lookback_hours == kept


@pytest.mark.slow
@pytest.mark.proves("K-36", "F-08")
def test_a_fault_at_any_statement_of_the_sweep_loses_and_doubles_nothing(ground: Ground) -> None:
    """Each write in turn is denied by SQLite, as a death there would; a later sweep finds it."""
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    lost = [ground.task(workspace, agent) for _ in range(3)]
    left, writes = 0, {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}

    def deny(action: int, *names: Any) -> int:
        nonlocal left
        if action in writes:
            left -= 1
        return sqlite3.SQLITE_DENY if action in writes and left < 0 else sqlite3.SQLITE_OK

    faults = 0
    for faults in range(100):
        left = faults
        connection = ground.store.db.connection()
        connection.set_authorizer(deny)
        try:
            sweep_on(ground).look()
        except Exception:
            assert len(ground.rows("agent_wakeup_requests")) in (0, 3), f"fault {faults}"
        else:
            break
        finally:
            connection.set_authorizer(None)
    assert faults >= 2, "each kind of row was denied once"
    assert [len(of_task(ground, task)) for task in lost] == [1, 1, 1]
    assert ground.kinds().count("recovery_dispatch") == 3


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ground import CountingIds, StandingClock
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.store.db import Reader, Store

path, left = Path(sys.argv[2]), int(sys.argv[3])
clock = StandingClock()
store, reader = Store(path, clock), Reader(path, clock)

def tell(statement):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

store.db.connect()
store.db.connection().set_trace_callback(tell)
ids = CountingIds()
ids._last = 1_000_000 + 1000 * left
Sweep(store, reader, clock, ids).look()
"""


@pytest.mark.slow
@pytest.mark.proves("K-36", "F-08")
def test_killed_between_any_two_statements_the_next_sweep_makes_it_whole(ground: Ground) -> None:
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    lost = [ground.task(workspace, agent) for _ in range(2)]
    tests = str(Path(__file__).parent.parent)
    for number in range(100):
        words = [sys.executable, "-c", KILLED, tests, str(ground.path), str(number)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        made = len(ground.rows("agent_wakeup_requests"))
        assert made == ground.kinds().count("recovery_dispatch") and made in (0, 2)
        if done.returncode == 0:
            break
    assert number > 5
    assert [len(of_task(ground, task)) for task in lost] == [1, 1]
    assert "recovery_sweep_complete" in ground.kinds()


def test_others_come_before_what_the_sweep_found(stage: Stage) -> None:
    room = stage.workspace()
    agent = stage.agent(room)
    lost = stage.task(room, agent)
    lose_wakeups(stage.ground, lost)
    sweep_on(stage.ground).look()
    later = stage.task(room, agent)
    assert stage.ground.claim().task_id == later.id  # type: ignore[union-attr]
    assert of_task(stage.ground, lost)[0].status == WakeupStatus.QUEUED
    assert list(Rank)[of_task(stage.ground, lost)[0].rank] == Rank.SWEEP


@pytest.mark.proves("K-36")
def test_a_clock_that_stands_goes_to_the_sweep_that_will_find_something(stage: Stage) -> None:
    sweep = sweep_on(stage.ground)
    assert sweep.due() is None, "it has not looked yet"
    sweep.look()
    looked = stage.clock.now()
    assert sweep.due() is None, "nothing is lost"
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    assert sweep.look() == 0 and sweep.due() == looked + EVERY
    stage.clock.forward(seconds=EVERY.total_seconds())
    assert sweep.look() == 1 and sweep.due() is None

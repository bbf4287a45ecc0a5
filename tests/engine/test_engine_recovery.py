"""Settling is one transaction, and a restart finds each intent and finishes it once."""

import sqlite3
from typing import Any

import pytest
from engine_stage import Stage

from roundtable_desktop.engine.recovery import Found
from roundtable_desktop.model.states import (
    DeliveryMode,
    RunStatus,
    TaskStatus,
)

ENDS: list[dict[str, Any]] = [
    {"result": {"status": "completed"}},
    {"why": "silence", "code": -9},
    {"code": 1},
    {"why": "cancelled", "code": None},
]


@pytest.mark.slow
@pytest.mark.proves("W-01", "W-09")
@pytest.mark.parametrize("with_task", [True, False], ids=["task", "wake"])
@pytest.mark.parametrize("words", ENDS, ids=["done", "timed_out", "task_failed", "cancelled"])
def test_a_fault_at_any_statement_of_settling_leaves_nothing_half_written(
    stage: Stage, words: dict[str, Any], with_task: bool
) -> None:
    """Each write in turn is denied by SQLite; then it is settled as if nothing had been."""
    if with_task:
        stage.assigned(delivery=DeliveryMode.AUTO)
    else:
        stage.wake(stage.agent(stage.workspace()))
    run = stage.launch()
    stage.leave(run, b="b\n")
    stage.finish_later(run, **words)
    before = stage.everything()
    left, writes = 0, {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}

    def deny(action: int, *names: Any) -> int:
        nonlocal left
        if action in writes:
            left -= 1
        return sqlite3.SQLITE_DENY if action in writes and left < 0 else sqlite3.SQLITE_OK

    faults = 0
    for faults in range(400):
        left = faults
        connection = stage.store.db.connection()
        connection.set_authorizer(deny)
        try:
            stage.completion.settle(run.id)
        except Exception:
            assert stage.everything() == before, f"fault {faults}"
        else:
            break
        finally:
            connection.set_authorizer(None)
    assert faults > (8 if with_task else 5)
    settled = stage.ground.get_run(run.id)
    assert settled.status not in ("starting", "running")
    ended = [event for event in stage.ground.events() if event.kind == "run.ended"]
    assert len(ended) == 1


@pytest.mark.proves("C-58")
def test_settling_twice_is_settling_once(stage: Stage) -> None:
    stage.assigned()
    run = stage.finish(stage.launch(), code=1)
    before = stage.everything()
    for act in (stage.completion.settle, stage.completion.lost, stage.completion.never_born):
        act(run.id)
    assert stage.everything() == before


@pytest.mark.proves("C-58")
def test_a_claim_without_a_run_is_queued_again(stage: Stage) -> None:
    task = stage.assigned()
    assert stage.ground.claim() is not None
    assert stage.restart() == Found(requeued=1)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.retry_count, wakeup.held_by) == ("queued", 0, None)
    assert stage.launch().wakeup_id == wakeup.id


@pytest.mark.proves("C-58")
def test_a_run_without_a_spool_is_voided_and_queued_at_no_cost(stage: Stage) -> None:
    task = stage.assigned()
    stage.step()
    assert stage.restart() == Found(voided=1)
    stage.play()
    wakeup = stage.wakeup(task)
    assert (stage.run.status, wakeup.status, wakeup.retry_count) == ("failed", "queued", 0)
    assert stage.launcher.state(stage.run.id) == "free"
    again = stage.launch()
    assert (again.wakeup_id, again.attempt_index) == (wakeup.id, 2)


@pytest.mark.proves("C-58", "F-08")
def test_a_second_death_after_the_void_costs_nothing_either(stage: Stage) -> None:
    task = stage.assigned()
    stage.step()
    assert stage.restart().voided == 1
    assert stage.restart().gone == 1
    stage.consume(stage.run)
    assert stage.play() == ["lost"]
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.retry_count, wakeup.held_by) == ("queued", 0, None)
    assert "agent.lost" not in stage.ground.kinds()
    assert stage.ground.kinds().count("run.voided") == 1


@pytest.mark.proves("C-58", "A-35")
def test_a_starting_run_with_a_hello_is_adopted(stage: Stage) -> None:
    stage.assigned()
    stage.step()
    stage.play()
    assert stage.run.status is RunStatus.STARTING
    assert stage.restart() == Found(adopted=1)
    stage.consume(stage.run)
    assert stage.run.status is RunStatus.RUNNING
    assert "run.adopted" in stage.ground.kinds()
    stage.finish(stage.run, output_bytes=1)
    assert len(stage.ground.runs()) == 1


@pytest.mark.proves("C-58", "A-21", "F-06")
def test_a_runner_that_vanished_is_lost_and_its_wakeup_tried_again(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.spool(run).locked = False
    assert stage.restart() == Found(gone=1)
    stage.consume(run)
    assert stage.play() == ["lost"]
    assert stage.launcher.swept == [run.id]
    assert (stage.run.outcome, stage.wakeup(task).retry_count) == ("lost", 1)
    assert stage.ground.kinds().count("agent.lost") == 1
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS


@pytest.mark.proves("C-58")
@pytest.mark.parametrize("read", [True, False])
def test_an_end_that_was_written_is_settled_once_after_the_restart(
    stage: Stage, read: bool
) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.spool(run).end(output_bytes=3)
    if read:
        stage.consume(run)
    assert stage.restart() == Found(gone=1)
    if not read:
        stage.consume(run)
    assert stage.play() == ["settle"]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert stage.restart() == Found()
    assert stage.ground.kinds().count("run.ended") == 1


@pytest.mark.proves("A-02")
def test_a_restart_with_nothing_alive_changes_nothing(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), "silence", -9)
    before = stage.everything()
    assert stage.restart() == Found()
    assert stage.everything() == before
    assert stage.wakeup(task).held_by == "retry"

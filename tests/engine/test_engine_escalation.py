"""What failed for good is asked of a person once, and the coordinator is woken once."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import inbox, pausing
from roundtable_desktop.model.ports import LaunchFailed
from roundtable_desktop.model.records import Agent, Wakeup
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.store import settings, wakeups

CRASHED: dict[str, Any] = {"code": -11, "stderr": "no memory"}
UNPAID: dict[str, Any] = {"code": 1, "stderr": "Your credit balance is too low to access the API."}
DONE: dict[str, Any] = {"result": {"status": "completed"}}


def house(stage: Stage, **changes: Any) -> tuple[Agent, Agent]:
    """(a worker, its coordinator)"""
    workspace = stage.workspace()
    worker = stage.agent(workspace, **changes)
    return worker, stage.agent(workspace, name="Chair", role=Role.COORDINATOR)


def woken(stage: Stage, agent: Agent) -> list[Wakeup]:
    rows = stage.ground.rows("agent_wakeup_requests")
    return [stage.ground.get_wakeup(row["id"]) for row in rows if row["agent_id"] == agent.id]


def fail_for_good(stage: Stage) -> str:
    """The last run of five."""
    for _ in range(5):
        run = stage.finish(stage.launch(), **CRASHED)
        stage.clock.forward(hours=3)
    return run.id


@pytest.mark.slow
@pytest.mark.proves("K-07", "K-35", "C-05", "B-072")
def test_the_fifth_failure_asks_a_person_and_wakes_the_coordinator_once(stage: Stage) -> None:
    worker, chair = house(stage)
    stage.wake(worker)
    last = fail_for_good(stage)
    [item] = stage.ground.rows("inbox_items")
    assert (item["subject_type"], item["subject_id"]) == ("agent", worker.id)
    [wakeup] = woken(stage, chair)
    assert (wakeup.source, wakeup.status, wakeup.idempotency_key) == (
        "agent_error",
        "queued",
        f"agent_error:{last}",
    )
    assert wakeup.payload == {"agent_id": worker.id, "run_id": last, "error": "crashed: no memory"}
    run = stage.launch()
    told = stage.launcher.orders[run.id].prompt
    assert (run.agent_id, run.task_id) == (chair.id, None)
    assert f"Agent Ada failed for good in run {last}" in told and "no memory" in told
    stage.finish(run, **DONE)
    assert not stage.step()


@pytest.mark.slow
@pytest.mark.proves("C-29")
def test_a_coordinators_own_failure_wakes_no_coordinator(stage: Stage) -> None:
    _, chair = house(stage)
    other = stage.agent(stage.workspace_of(chair), name="Deputy", role=Role.COORDINATOR)
    stage.wake(chair)
    fail_for_good(stage)
    assert len(stage.ground.rows("inbox_items")) == 1
    assert len(woken(stage, chair)) == 1 and woken(stage, other) == []


@pytest.mark.slow
@pytest.mark.proves("K-35", "K-07")
def test_a_coordinator_that_fails_at_an_error_does_not_go_round(stage: Stage) -> None:
    worker, chair = house(stage)
    stage.wake(worker)
    fail_for_good(stage)
    fail_for_good(stage)
    assert not stage.step()
    assert len(woken(stage, chair)) == 1
    assert len(stage.ground.rows("inbox_items")) == 2


@pytest.mark.slow
@pytest.mark.proves("K-35")
def test_without_a_coordinator_the_person_is_asked_alone(stage: Stage) -> None:
    worker = stage.agent(stage.workspace())
    stage.wake(worker)
    fail_for_good(stage)
    assert len(stage.ground.rows("inbox_items")) == 1
    assert len(stage.ground.rows("agent_wakeup_requests")) == 1


@pytest.mark.slow
@pytest.mark.proves("K-07", "C-10")
def test_a_paused_coordinator_is_told_when_it_is_resumed(stage: Stage) -> None:
    worker, chair = house(stage)
    pausing.pause(stage.desk, ASKED, chair.id)
    stage.wake(worker)
    fail_for_good(stage)
    assert stage.step() and not stage.step()
    assert woken(stage, chair)[0].outcome == "agent_paused"
    pausing.resume(stage.desk, ASKED, chair.id)
    stage.clock.forward(minutes=1)
    assert stage.launch().agent_id == chair.id


@pytest.mark.proves("K-13", "K-07")
def test_errors_that_come_together_are_one_turn_of_the_coordinator(stage: Stage) -> None:
    workspace = stage.workspace()
    first, second = stage.agent(workspace), stage.agent(workspace, name="Bob")
    chair = stage.agent(workspace, name="Chair", role=Role.COORDINATOR)
    with stage.store.transaction() as tx:
        settings.put_home(tx, coalescing_window_sec=5)
    stage.launcher.refuse = LaunchFailed("cli_missing", "no such program")
    for agent in (first, second):
        stage.wake(agent)
        assert stage.step()
        stage.play()
    queued = [one for one in woken(stage, chair) if one.status == "queued"]
    assert [one.coalesced_count for one in queued] == [2]
    assert queued[0].held_by == "window"


@pytest.mark.proves("K-35")
def test_a_task_whose_attempts_are_used_up_is_asked_about_and_retry_begins_afresh(
    stage: Stage,
) -> None:
    worker, chair = house(stage)
    task = stage.task(stage.workspace_of(worker), worker, retry_budget=1)
    while stage.ground.get_task(task.id).status is not TaskStatus.FAILED:
        stage.finish(stage.launch(), result={"status": "failed", "summary": "red"})
    [item] = stage.ground.rows("inbox_items")
    assert (item["subject_type"], item["subject_id"]) == ("task", task.id)
    assert '"outcome": "task_failed"' in item["data"]
    assert len(woken(stage, chair)) == 1
    spent = len(stage.ground.runs())
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    again = stage.ground.get_task(task.id)
    assert (again.status, again.attempts_spent) == ("todo", 0)
    run = stage.launch()
    assert (run.task_id, len(stage.ground.runs())) == (task.id, spent + 1)


@pytest.mark.proves("K-35", "C-86")
@pytest.mark.parametrize(("outcome", "end"), [("exhausted", CRASHED), ("incurable", UNPAID)])
def test_retry_tells_the_agent_what_the_failed_wakeup_was_to_tell(
    stage: Stage, outcome: str, end: dict[str, Any]
) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), **DONE)
    stage.ask_run(task, "Mind the tests.")
    while stage.wakeup(task).status != "failed":
        stage.finish(stage.launch(), **end)
        stage.clock.forward(hours=3)
    failed = stage.wakeup(task)
    assert failed.outcome == outcome
    [item] = stage.ground.rows("inbox_items")
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    run = stage.launch()
    assert stage.ground.get_wakeup(run.wakeup_id).causes() == failed.causes()
    assert "Mind the tests." in run.assembled_prompt + run.resume_prompt


@pytest.mark.proves("K-35", "B-073")
def test_retry_of_a_wake_without_a_task_gives_it_a_fresh_count(stage: Stage) -> None:
    worker = stage.agent(stage.workspace())
    first = stage.wake(worker, "look around")
    fail_for_good(stage)
    [item] = stage.ground.rows("inbox_items")
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    run = stage.launch()
    again = stage.ground.get_wakeup(run.wakeup_id)
    assert (again.source, again.retry_count, again.rank) == ("user", 0, 0)
    assert again.id != first.id and again.causes() == first.causes()
    assert "look around" in run.assembled_prompt
    with stage.ground.reader.snapshot() as view:
        assert wakeups.get(view, first.id).outcome == "exhausted"  # type: ignore[union-attr]

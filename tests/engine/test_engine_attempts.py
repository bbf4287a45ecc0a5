"""What follows a failed attempt in a mission: one thing otherwise each time, then a word."""

import json

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from mission_stage import OnMission
from test_engine_conflicts import decided, sentences

from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.store import dependencies


def failed(stage: Stage, run: Run, text: str = "No way through") -> None:
    stage.finish(run, result={"status": "failed", "summary": text})


def fails(here: OnMission, task: Task, *texts: str) -> None:
    """Its next attempts, each in its turn."""
    for number, text in enumerate(texts):
        waits = here.now(task).status is TaskStatus.IN_PROGRESS
        run = here.stage.launch() if waits else here.begun(task)
        assert run.task_id == task.id, number
        failed(here.stage, run, text)


def actions(stage: Stage, task: Task) -> list[tuple[str, str | None]]:
    return [(str(one.action), one.change and str(one.change)) for one in decided(stage, task)]


@pytest.mark.proves("A-30", "A-31")
def test_the_first_attempt_is_repeated_and_later_ones_change_one_thing(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task(retry_budget=5)
    fails(here, task, "The parser breaks")
    assert actions(stage, task) == [("retry", "context")]
    assert stage.wakeup(task).idempotency_key == f"attempt:{task.id}:1"
    run = stage.launch()
    assert "The parser breaks" in run.assembled_prompt
    failed(stage, run, "The writer breaks")
    assert actions(stage, task)[-1] == ("retry", "commands")
    run = stage.launch()
    assert "Choose another one this time" in run.assembled_prompt
    other = here.begun(here.task("Beside it"))
    failed(stage, run, "The reader breaks")
    assert actions(stage, task)[-1] == ("retry_serial", "serialization")
    assert here.now(task).status is TaskStatus.TODO and here.now(task).attempts_spent == 3
    kept = decided(stage, task)
    assert [(one.attempt, one.cost, one.reason) for one in kept] == [
        (number, 1, "failed") for number in (1, 2, 3)
    ]
    assert kept[0].evidence["text"] == "The parser breaks" and kept[2].run_id == run.id
    assert kept[0].evidence["refs"] == [f"run:{kept[0].run_id}"]
    assert sentences(stage, task)[1:] == [
        "Decision 2: it was tried again in another way. It failed.",
        "Decision 3: it was tried again with nobody beside it. It failed.",
    ]
    assert stage.ground.kinds().count("task.decided") == 3 and other.task_id != task.id


@pytest.mark.proves("A-32", "A-30")
def test_another_model_of_its_agent_is_tried_and_never_in_silence(stage: Stage) -> None:
    here = OnMission(stage)
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", here.worker.id, model="big", fallback_models=["small"])
    task = here.task(retry_budget=4)
    fails(here, task, "One way breaks", "Another way breaks")
    [_, kept] = decided(stage, task)
    assert (kept.action, kept.change, kept.model) == ("retry", "model", "small")
    run = stage.launch()
    assert run.model == "small"
    told = [one.data for one in stage.ground.events() if one.kind == "task.decided"]
    assert (told[-1]["model"], told[-1]["change"]) == ("small", "model")
    assert "with small" in sentences(stage, task)[-1]
    gate = next(one for one in stage.wakeup(task).decisions if one["gate"] == "executor")
    assert gate["detail"] == {"form": "fallback", "model": "small", "from": "task"}


@pytest.mark.proves("A-32")
@pytest.mark.parametrize("wish", [{"model": "big"}, {"model_policy": {"kind": "scheduler_forced"}}])
def test_a_model_that_was_asked_for_exactly_is_never_replaced(
    stage: Stage, wish: dict[str, object]
) -> None:
    here = OnMission(stage)
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", here.worker.id, model="big", fallback_models=["small"])
    task = here.task(retry_budget=4, **wish)
    fails(here, task, "One way breaks", "Another way breaks")
    assert actions(stage, task)[-1] == ("retry", "commands")
    assert stage.launch().model == "big"


@pytest.mark.proves("A-32", "A-20")
def test_a_model_that_is_not_to_be_had_is_replaced_at_no_cost(stage: Stage) -> None:
    here = OnMission(stage)
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", here.worker.id, model="big", fallback_models=["small"])
    task = here.task()
    error = {"kind": "model_unavailable", "text": "no such model"}
    stage.finish(here.begun(task), "spawn_failed", None, error=error)
    now, [kept] = here.now(task), decided(stage, task)
    assert (kept.reason, kept.model, kept.cost) == ("model_unavailable", "small", 0)
    assert now.status is TaskStatus.TODO and now.attempts_spent == 0
    assert [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"] == []
    assert here.begun(task).model == "small"


@pytest.mark.proves("A-07", "A-08", "A-30", "A-31", "C-66")
def test_a_failure_that_comes_again_is_looked_into_by_somebody_else_first(stage: Stage) -> None:
    here = OnMission(stage)
    other = stage.agent(here.home, name="Dora", role=Role.SPECIALIST)
    task = here.task(retry_budget=4)
    fails(here, task, "It breaks at line 4", "It breaks at line 7")
    [_, kept] = decided(stage, task)
    assert (kept.action, kept.reason, kept.cost) == ("debug", "same_failure", 2)
    [debug] = [one for one in here.all_tasks() if one.purpose is Purpose.DEBUG]
    assert debug.assignee_agent_id == other.id and debug.about_task_id == task.id
    assert kept.helper_task_id == debug.id and here.now(task).status is TaskStatus.TODO
    with stage.ground.reader.snapshot() as view:
        assert [one.id for one in dependencies.waiting_for(view, task.id)] == [debug.id]
    run = here.begun(debug)
    assert "It breaks at line 7" in run.assembled_prompt
    here.worked(debug, run, cause="mended\n")
    stage.deliver()
    again = here.begun(task)
    assert (stage.copy(again) / "cause.txt").read_text() == "mended\n", "it begins with that"
    here.worked(task, again, b="b\n")
    stage.deliver()
    assert here.now(task).status is TaskStatus.DONE and "b.txt" in here.files()


@pytest.mark.proves("A-30", "A-29")
def test_what_is_optional_and_needed_by_nobody_is_skipped_with_evidence(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task(optional=True, retry_budget=0)
    fails(here, task, "Too hard")
    assert actions(stage, task) == [("skip", None)]
    [kept] = decided(stage, task)
    assert (kept.evidence["risk"], kept.evidence["text"]) == ("left_out", "Too hard")
    assert here.now(task).status is TaskStatus.FAILED
    assert [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"] == []


@pytest.mark.proves("A-30", "A-37")
@pytest.mark.parametrize("needed", [False, True])
def test_what_is_needed_is_blocked_and_its_coordinator_hears_of_it(
    stage: Stage, needed: bool
) -> None:
    here = OnMission(stage)
    task = here.task(optional=needed, retry_budget=0)
    if needed:
        here.task("After it", agent=None, depends_on=[Edge(depends_on_task_id=task.id)])
    fails(here, task, "Too hard")
    assert actions(stage, task) == [("block", None)]
    now = here.now(task)
    assert now.status is TaskStatus.BLOCKED and now.blocked is not None
    assert (now.blocked["owner"], now.blocked["action"]) == ("coordinator", "attempts_spent")
    [item] = [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"]
    assert item["kind"] == "agent.error" and json.loads(item["data"])["number"] == task.number
    woken = [one for one in stage.ground.rows("agent_wakeup_requests") if one["status"] == "queued"]
    assert [one["agent_id"] for one in woken] == [here.coordinator.id]


@pytest.mark.proves("A-30")
def test_what_waiting_cannot_cure_is_not_tried_again(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task()
    error = {"kind": "cli_missing", "text": "no such program"}
    stage.finish(here.begun(task), "spawn_failed", None, error=error)
    assert actions(stage, task) == [("block", None)]
    assert here.now(task).status is TaskStatus.BLOCKED
    assert here.now(task).attempts_spent == 0


@pytest.mark.proves("A-31")
def test_what_is_not_wanted_any_more_is_not_tried_again(stage: Stage) -> None:
    here = OnMission(stage)
    about = here.task("About")
    task = here.task(purpose=Purpose.DEBUG, about_task_id=about.id)
    run = here.begun(task)
    board.move(stage.desk, ASKED, about.id, TaskStatus.CANCELLED)
    failed(stage, run)
    assert actions(stage, task) == [("cancel", None)]
    assert here.now(task).status is TaskStatus.CANCELLED


@pytest.mark.proves("A-30")
def test_a_loose_task_fails_as_it_did_before(stage: Stage) -> None:
    here = OnMission(stage)
    task = stage.task(here.home, here.worker, retry_budget=0)
    failed(stage, stage.launch())
    assert here.now(task).status is TaskStatus.FAILED and decided(stage, task) == []

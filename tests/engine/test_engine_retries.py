"""A retry is looked at again before it runs; a claim launches once, whoever judges it again."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from peewee import IntegrityError

from roundtable_desktop.engine.desk import tasks
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Subject, Task, Wakeup
from roundtable_desktop.model.states import ErrorKind, TaskStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import inbox, workspaces


def crashed(stage: Stage) -> Task:
    """A task whose first run broke off, so that its wakeup waits for the retry."""
    task = stage.assigned()
    stage.finish(stage.launch(), "silence", -9)
    assert stage.wakeup(task).held_by == "retry"
    return task


def cancellation(stage: Stage, wakeup_id: str) -> Event:
    kind = Kind.WAKEUP_RETRY_CANCELLED
    (event,) = [one for one in stage.ground.events() if one.kind == kind]
    assert event.subject_id == wakeup_id
    return event


@pytest.mark.proves("K-30", "K-57")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"assignee_agent_id": None}, "retry_stale_assignee"),
        ({"status": TaskStatus.CANCELLED}, "retry_task_cancelled"),
    ],
    ids=["assignee", "cancelled"],
)
def test_a_retry_that_is_due_is_looked_at_again(
    stage: Stage, change: dict[str, Any], reason: str
) -> None:
    task = crashed(stage)
    waiting = stage.wakeup(task)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, **change)
    stage.clock.forward(minutes=3)
    assert stage.step()
    now = stage.ground.get_wakeup(waiting.id)
    assert (now.status, now.outcome, now.cancel_reason) == ("cancelled", "stale", reason)
    told = cancellation(stage, waiting.id).data
    assert (told["task_id"], told["old_agent"]) == (task.id, waiting.agent_id)
    assert stage.ground.rows("leases") == []
    assert stage.ground.get_task(task.id).checkout_agent_id is None
    assert len(stage.ground.runs()) == 1 and not stage.step()


@pytest.mark.proves("K-30")
def test_another_assignee_ends_the_retry_of_the_one_before_at_once(stage: Stage) -> None:
    task = crashed(stage)
    waiting = stage.wakeup(task)
    with stage.ground.reader.snapshot() as view:
        workspace = workspaces.get(view, task.workspace_id)
    assert workspace is not None
    bob = stage.agent(workspace, name="Bob")
    tasks.assign(stage.desk, ASKED, task.id, bob.id)
    now = stage.ground.get_wakeup(waiting.id)
    assert (now.status, now.cancel_reason) == ("cancelled", "retry_stale_assignee")
    event = cancellation(stage, waiting.id)
    assert event.data["old_agent"] == waiting.agent_id and event.actor_type == "person"
    assert stage.wakeup(task).agent_id == bob.id


@pytest.mark.proves("K-30")
def test_what_is_stale_before_any_retry_keeps_its_own_words(stage: Stage) -> None:
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=TaskStatus.CANCELLED)
    assert stage.step()
    assert stage.ground.get_wakeup(wakeup.id).cancel_reason == "task_terminal"
    assert Kind.WAKEUP_RETRY_CANCELLED not in stage.ground.kinds()


@pytest.mark.proves("K-12", "K-01")
def test_a_claim_that_is_judged_twice_has_one_run(stage: Stage) -> None:
    """Nothing else is in the way: the task's lease is gone."""
    task = stage.assigned()
    stage.launch()
    wakeup = stage.wakeup(task)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, checkout_agent_id=None, checkout_at=None)
        tx.sql("DELETE FROM leases")
    before = stage.everything()
    with pytest.raises(IntegrityError, match="idempotency_key"):
        judge(stage, wakeup)
    assert stage.everything() == before
    assert len(stage.ground.runs()) == 1


@pytest.mark.proves("K-12")
def test_each_claim_of_a_wakeup_has_a_key_of_its_own(stage: Stage) -> None:
    task = crashed(stage)
    stage.clock.forward(minutes=3)
    stage.launch()
    first, second = stage.ground.runs()
    assert first.wakeup_id == second.wakeup_id == stage.wakeup(task).id
    assert first.idempotency_key != second.idempotency_key


def judge(stage: Stage, wakeup: Wakeup) -> None:
    with stage.store.transaction() as tx:
        stage.dispatcher._judge(tx, wakeup)


@pytest.mark.proves("C-70", "K-65")
@pytest.mark.parametrize("days", [8, 34])
def test_a_limit_of_weeks_is_waited_for_and_no_age_ends_it(stage: Stage, days: int) -> None:
    """Failure 5: retries that were old were dropped, so no long limit ever came to its end."""
    task = stage.assigned()
    said = f"429: your limit resets in {days} days. Please try again in {days} days."
    stage.finish(stage.launch(), code=1, stderr=said)
    waiting = stage.wakeup(task)
    assert waiting.held_by == "limit"
    stage.clock.forward(days=days - 1)
    stage.restart()
    assert not stage.step()
    stage.clock.forward(days=1, minutes=1)
    run = stage.launch()
    assert run.wakeup_id == waiting.id
    stage.finish(run, output_bytes=1)
    assert stage.ground.get_wakeup(waiting.id).outcome == "executed"


@pytest.mark.proves("C-58", "K-01")
def test_a_run_of_a_month_is_adopted_and_not_started_again(stage: Stage) -> None:
    """Failure 8: recovery went by age, and long runs were started twice."""
    stage.assigned()
    run = stage.launch()
    for _ in range(3):
        stage.clock.forward(days=10)
        found = stage.restart()
        assert (found.adopted, found.requeued, found.voided, found.gone) == (1, 0, 0, 0)
        assert not stage.step()
        stage.play()
    assert [one.id for one in stage.ground.runs()] == [run.id]
    assert list(stage.launcher.orders) == [run.id]


@pytest.mark.proves("A-08 memory", "K-35 words")
def test_what_takes_too_much_memory_is_not_tried_thrice_and_the_item_says_what_to_do(
    stage: Stage,
) -> None:
    task = stage.assigned(retry_budget=3)
    used = {"memory": 200 << 20, "most_memory": 150 << 20}
    for _ in range(2):
        stage.finish(stage.launch(), "memory", -9, **used)
    assert stage.ground.get_task(task.id).status is TaskStatus.FAILED
    assert len(stage.ground.runs()) == 2 and not stage.step()
    with stage.ground.reader.snapshot() as view:
        (item,) = inbox.open_about(view, Subject("task", task.id))
    said = sentence(item.code, item.data)
    assert "200 MB at once, and one run may use 150 MB" in said and "tried 2 times" in said
    assert "roundtable agent edit" in said and "--memory" in said and "…" not in said


@pytest.mark.proves("A-08 memory")
def test_the_same_failure_costs_two_of_the_budget(stage: Stage) -> None:
    task = stage.assigned(retry_budget=3)
    failed = {"status": "failed", "error": {"kind": "task_failed", "text": "line 7: no"}}
    runs = 0
    while stage.ground.get_task(task.id).status is not TaskStatus.FAILED:
        stage.finish(stage.launch(), result=failed)
        runs += 1
    assert runs == 3, "one, then two, then two that are not there"


@pytest.mark.proves("K-35 words")
@pytest.mark.parametrize("kind", [None, *ErrorKind])
def test_each_way_to_fail_for_good_is_said_in_words(kind: ErrorKind | None) -> None:
    code = f"cause_{kind}" if kind else "cause_memory"
    values = {"used": 2, "most": 1, "agent": "ada"}
    said = sentence(code, values), sentence(code.replace("cause", "cure"), values)
    assert all("“cause" not in one and "“cure" not in one and "…" not in one for one in said)


@pytest.mark.proves("K-35 words", "W-21")
def test_how_often_it_was_tried_is_the_number_of_the_last_attempt(stage: Stage) -> None:
    """Also after a person opened it anew: pages, commands and the item say the same number."""
    task = stage.assigned(retry_budget=0)
    failed = {"status": "failed", "error": {"kind": "task_failed", "text": "No."}}
    stage.finish(stage.launch(), result=failed)
    assert "tried once" in asked_about(stage, task)
    tasks.run(stage.desk, ASKED, task.id)
    run = stage.finish(stage.launch(), result=failed)
    assert run.attempt_index == 2 and "tried 2 times" in asked_about(stage, task)


def asked_about(stage: Stage, task: Task) -> str:
    with stage.ground.reader.snapshot() as view:
        item = inbox.open_about(view, Subject("task", task.id))[-1]
    return sentence(item.code, item.data)

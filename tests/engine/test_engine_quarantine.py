"""A wakeup that fails its owner three times in a row is set aside, and the rest goes on (F-10)."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import dispatcher as dispatching
from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.engine.quarantine import LIMIT
from roundtable_desktop.engine.recovery import Found, end_life
from roundtable_desktop.engine.steps import PIPELINE
from roundtable_desktop.model.records import InboxItem, Task, Wakeup
from roundtable_desktop.model.states import InboxStatus, Severity, Source, TaskStatus
from roundtable_desktop.store import lists, setbacks, wakeups
from roundtable_desktop.store.db import Tx


def items(stage: Stage) -> list[InboxItem]:
    with stage.ground.reader.snapshot() as view:
        return lists.page(view, lists.INBOX, after=None, limit=50)


def set_aside(stage: Stage, task: Task) -> InboxItem:
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.outcome) == ("failed", "quarantined")
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED
    (item,) = items(stage)
    assert (item.severity, item.code) == (Severity.CRITICAL, "inbox_quarantined")
    assert item.data["wakeup_id"] == wakeup.id and item.data["setbacks"] == LIMIT
    return item


@pytest.mark.proves("F-10", "C-58")
def test_a_wakeup_that_kills_the_owner_as_it_is_judged_is_set_aside(stage: Stage) -> None:
    task = stage.assigned()
    stage.restart()
    for deaths in (1, 2, 3):
        assert stage.ground.claim() is not None
        assert stage.restart().requeued == 1
        assert stage.wakeup(task).setbacks == deaths
    item = set_aside(stage, task)
    assert item.data["why"] == "owner_died"
    assert not stage.step()
    assert stage.restart() == Found()


@pytest.mark.proves("F-10", "C-58")
def test_a_wakeup_that_kills_the_owner_as_it_is_launched_is_set_aside(stage: Stage) -> None:
    task = stage.assigned()
    other = stage.task(_room(stage, task), stage.agent(_room(stage, task), name="Bea"))
    stage.restart()
    stage.launcher.silent = True
    for _ in range(LIMIT):
        assert stage.step()
        stage.play()  # the copy is made, and no spool comes of it
        assert stage.restart().voided == 1
        stage.play()
    set_aside(stage, task)
    stage.launcher.silent = False
    assert stage.launch().task_id == other.id


def _room(stage: Stage, task: Task) -> Any:
    from roundtable_desktop.store import workspaces

    with stage.ground.reader.snapshot() as view:
        return workspaces.get(view, task.workspace_id)


@pytest.mark.proves("F-10")
def test_a_launch_that_had_not_begun_is_not_suspected(stage: Stage) -> None:
    task = stage.assigned()
    stage.restart()
    for _ in range(LIMIT + 1):
        assert stage.step()
        assert stage.restart().voided == 1
        stage.play()
    assert (stage.wakeup(task).status, stage.wakeup(task).setbacks) == ("queued", 0)


@pytest.mark.proves("F-10")
def test_an_owner_that_ended_in_order_accuses_nobody(stage: Stage) -> None:
    task = stage.assigned()
    for _ in range(LIMIT + 1):
        assert stage.ground.claim() is not None
        end_life(stage.store)
        assert stage.restart().requeued == 1
    assert (stage.wakeup(task).status, stage.wakeup(task).setbacks) == ("queued", 0)


@pytest.mark.proves("F-10")
def test_one_that_got_through_is_forgiven(stage: Stage) -> None:
    task = stage.assigned()
    stage.restart()
    for _ in range(LIMIT - 1):
        assert stage.ground.claim() is not None
        stage.restart()
    assert stage.wakeup(task).setbacks == LIMIT - 1
    stage.launch()
    assert stage.wakeup(task).setbacks == 0


@pytest.mark.proves("F-10", "F-08")
def test_a_second_death_during_recovery_is_counted_once(stage: Stage) -> None:
    task = stage.assigned()
    stage.restart()
    assert stage.ground.claim() is not None
    stage.restart()
    for _ in range(5):  # each dies before its first claim
        stage.restart()
    assert stage.wakeup(task).setbacks == 1


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Ids of tasks whose judgement raises."""
    poisoned: set[str] = set()

    def bite(tx: Tx, case: Any) -> Any:
        if case.task is not None and case.task.id in poisoned:
            raise KeyError("a fault of ours")
        return PIPELINE[0](tx, case)

    monkeypatch.setattr(dispatching, "PIPELINE", (bite, *PIPELINE[1:]))
    return poisoned


def stumble(stage: Stage, error: type[Exception] = KeyError) -> None:
    with pytest.raises(error):
        stage.step()
    stage.clock.forward(minutes=1, seconds=1)


@pytest.mark.proves("F-10", "W-13")
def test_one_that_cannot_be_judged_is_set_aside_and_the_next_one_runs(
    stage: Stage, poison: set[str]
) -> None:
    task = stage.assigned()
    poison.add(task.id)
    other = stage.task(_room(stage, task), stage.agent(_room(stage, task), name="Bea"))
    with pytest.raises(KeyError):
        stage.step()
    assert stage.wakeup(task).held_by == "stumbled"
    assert stage.launch().task_id == other.id
    stage.clock.forward(minutes=1, seconds=1)
    stumble(stage)
    stumble(stage)
    assert set_aside(stage, task).data["why"] == "KeyError"
    assert not stage.step()


@pytest.mark.proves("F-10")
def test_retry_there_opens_the_task_and_runs_it(stage: Stage, poison: set[str]) -> None:
    task = stage.assigned()
    poison.add(task.id)
    for _ in range(LIMIT):
        stumble(stage)
    item = set_aside(stage, task)
    poison.clear()
    answered = desk_inbox.act(stage.desk, ASKED, item.id, "retry")
    assert answered.status is InboxStatus.RESOLVED
    stage.finish(stage.launch(), result={"status": "completed"})
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("F-10", "C-86")
def test_the_new_try_is_told_what_the_one_that_was_set_aside_was_to_be_told(
    stage: Stage, poison: set[str]
) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), result={"status": "completed"})
    stage.ask_run(task, "Mind the tests.")
    poison.add(task.id)
    for _ in range(LIMIT):
        stumble(stage)
    item = set_aside(stage, task)
    poison.clear()
    desk_inbox.act(stage.desk, ASKED, item.id, "retry")
    run = stage.launch()
    assert "Mind the tests." in run.assembled_prompt + run.resume_prompt


@pytest.mark.proves("F-10", "F-18")
def test_a_fault_of_the_disk_accuses_nobody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    task = stage.assigned()

    def no_room(tx: Tx, case: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dispatching, "PIPELINE", (no_room,))
    for _ in range(LIMIT + 1):
        stumble(stage, OSError)
    assert (stage.wakeup(task).status, stage.wakeup(task).setbacks) == ("queued", 0)


DAMAGED = ["{", "[1", "nul", '{"a":', "[" * 100_000]


@pytest.mark.proves("W-13", "K-03")
@pytest.mark.parametrize("column", ["payload", "context_snapshot", "decisions"])
@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_row_that_cannot_be_read_stops_neither_the_loop_nor_a_start(
    stage: Stage, column: str, text: str
) -> None:
    task = stage.assigned()
    other = stage.task(_room(stage, task), stage.agent(_room(stage, task), name="Bea"))
    _damage(stage, stage.wakeup(task), column, text)
    assert stage.restart() == Found()
    while stage.step():
        stage.play()
    assert {run.task_id for run in stage.ground.runs()} >= {other.id}
    if column == "payload":
        wakeup = stage.wakeup(task)
        assert (wakeup.status, wakeup.outcome) == ("failed", "malformed")
        (item,) = items(stage)
        assert (item.severity, item.code) == (Severity.ATTENTION, "inbox_malformed")
        desk_inbox.act(stage.desk, ASKED, item.id, "retry")
        assert stage.launch().task_id == task.id


def _damage(stage: Stage, wakeup: Wakeup, column: str, text: str) -> None:
    with stage.store.transaction() as tx:
        sql = f"UPDATE agent_wakeup_requests SET {column} = ? WHERE id = ?"
        assert tx.write_sql(sql, (text, wakeup.id)) == 1


@pytest.mark.proves("W-13")
@pytest.mark.parametrize("column", ["requested_at", "claimed_at"])
@pytest.mark.parametrize("instant", [2**62, -(2**62)])
def test_an_instant_out_of_reach_stops_nobody(stage: Stage, column: str, instant: int) -> None:
    task = stage.assigned()
    with stage.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", stage.wakeup(task).id, **{column: instant})
    stage.restart()
    assert stage.launch().task_id == task.id


@pytest.mark.proves("W-13")
def test_a_run_that_cannot_be_looked_at_keeps_nobody_from_starting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.assigned()
    run = stage.launch()

    def no_access(run_id: str) -> Any:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(stage.launcher, "state", no_access)
        assert stage.restart() == Found(unclear=1)
    stage.consume(run)
    stage.finish(run, output_bytes=1)
    assert len(stage.ground.runs()) == 1


@pytest.mark.proves("F-10")
def test_one_without_a_task_is_about_its_agent_and_can_be_asked_for_again(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    with stage.store.transaction() as tx:
        cause = wakeups.Cause(
            workspace_id=agent.workspace_id,
            agent_id=agent.id,
            source=Source.USER,
            reason="wake",
            payload={"user_id": "owner", "context": {}},
            key="wake:1",
        )
        made = wakeups.enqueue(tx, stage.ids.new(), cause)
    stage.restart()
    for _ in range(LIMIT):
        assert stage.ground.claim() is not None
        stage.restart()
    (item,) = items(stage)
    assert (item.subject_type, item.subject_id) == ("agent", agent.id)
    desk_inbox.act(stage.desk, ASKED, item.id, "retry")
    again = stage.ground.claim()
    assert again is not None and again.id != made
    assert (again.idempotency_key, again.setbacks) == (f"retry:{item.id}", 0)
    assert again.payload == dict(cause.payload)


def test_a_life_is_told_apart_by_how_it_ended(stage: Stage) -> None:
    with stage.store.transaction() as tx:
        assert not setbacks.begin_life(tx)
    with stage.store.transaction() as tx:
        assert setbacks.begin_life(tx)
    end_life(stage.store)
    with stage.store.transaction() as tx:
        assert not setbacks.begin_life(tx)

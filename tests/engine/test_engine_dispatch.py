"""From a wakeup to a run: what wakes whom, and the gates in their order."""

from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import steps
from roundtable_desktop.engine.desk import run_control, tasks, waking
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.states import (
    AgentStatus,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.store import claims, runs
from roundtable_desktop.store.db import Store

GATES = [
    *("intake", "payload", "agent_status", "staleness", "review_stage"),
    *(
        "mission_standing",
        "mission_plan",
        "routine_standing",
        "idle_skip",
        "probe",
        "blockers",
        "task_lease",
        "budget",
        "context",
        "executor",
        "launch",
    ),
]


# --- what wakes ---------------------------------------------------------------------------------


@pytest.mark.proves("K-05", "K-01 sources", "C-63")
def test_a_task_made_with_an_assignee_wakes_it(stage: Stage) -> None:
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    assert (wakeup.source, wakeup.agent_id, wakeup.rank) == (
        "task_assigned",
        task.assignee_agent_id,
        1,
    )
    assert wakeup.idempotency_key == f"task_assigned:{task.id}:1"


@pytest.mark.proves("K-05", "C-63")
def test_a_changed_assignee_is_woken_and_the_one_before_is_not(stage: Stage) -> None:
    workspace = stage.workspace()
    ada, bob = stage.agent(workspace), stage.agent(workspace, name="Bob")
    task = stage.task(workspace)
    assert stage.wakeup(task) is None
    tasks.assign(stage.desk, ASKED, task.id, ada.id)
    first = stage.wakeup(task)
    tasks.assign(stage.desk, ASKED, task.id, ada.id)
    assert stage.wakeup(task).id == first.id
    tasks.assign(stage.desk, ASKED, task.id, bob.id)
    second = stage.wakeup(task)
    assert second.agent_id == bob.id
    assert second.idempotency_key == f"task_assigned:{task.id}:2"
    before = stage.ground.get_wakeup(first.id)
    assert (before.status, before.outcome, before.cancel_reason) == (
        "cancelled",
        "stale",
        "assignee_changed",
    )


@pytest.mark.proves("C-06", "K-05")
def test_who_gets_a_task_back_on_the_same_day_is_woken_for_it_again(stage: Stage) -> None:
    """A key of the task and its agent alone would have counted for a day."""
    workspace = stage.workspace()
    ada, bob = stage.agent(workspace), stage.agent(workspace, name="Bob")
    task, keys = stage.task(workspace), []
    for agent in (ada, bob, ada):
        tasks.assign(stage.desk, ASKED, task.id, agent.id)
        wakeup = stage.wakeup(task)
        assert (wakeup.agent_id, wakeup.status) == (agent.id, "queued")
        keys.append(wakeup.idempotency_key)
    assert len(set(keys)) == 3


@pytest.mark.proves("K-55", "K-01 sources", "C-53")
def test_a_persons_ask_is_a_wakeup_of_the_highest_class(stage: Stage) -> None:
    task = stage.assigned()
    assigned = stage.wakeup(task)
    stage.ask_run(task, "hurry")
    wakeup = stage.wakeup(task)
    assert (wakeup.source, wakeup.rank, wakeup.reason) == ("user", 0, "user_run")
    assert stage.ground.get_wakeup(assigned.id).outcome is WakeupOutcome.USER_CANCELLED
    run = stage.launch()
    assert run.wakeup_id == wakeup.id
    assert "hurry" in run.assembled_prompt


@pytest.mark.proves("C-63", "K-55")
def test_the_same_ask_is_done_once_and_a_later_one_with_its_key_anew(stage: Stage) -> None:
    task = stage.assigned()
    stage.ask_run(task, key="k1")
    first = stage.wakeup(task)
    stage.ask_run(task, key="k1")
    assert stage.wakeup(task).id == first.id
    stage.finish(stage.launch(), output_bytes=1)
    stage.clock.forward(hours=25)  # the client's key is forgotten by now
    stage.ask_run(task, key="k1")
    assert stage.wakeup(task).id != first.id
    assert stage.wakeup(task).status is WakeupStatus.QUEUED


def test_a_task_that_runs_is_not_run_at_once_again(stage: Stage) -> None:
    task = stage.assigned()
    stage.launch()
    with pytest.raises(Conflict, match="task_is_running"):
        stage.ask_run(task)


# --- the gates ----------------------------------------------------------------------------------


@pytest.mark.proves("K-38 gates", "K-01 sources", "C-48", "K-59", "C-95 kept")
def test_each_gate_is_met_in_order_and_its_answer_kept(stage: Stage) -> None:
    assert [step.__name__ for step in steps.PIPELINE] == GATES
    task = stage.assigned()
    run = stage.launch()
    wakeup = stage.wakeup(task)
    assert [one["gate"] for one in wakeup.decisions] == GATES
    assert [one["verdict"] for one in wakeup.decisions] == ["go"] * (len(GATES) - 1) + ["launched"]
    assert (wakeup.status, wakeup.run_id) == ("claimed", run.id)
    assert [one.id for one in stage.ground.runs()] == [run.id]


@pytest.mark.proves("N-03 why")
def test_every_gate_has_its_sentences() -> None:
    names = {*GATES, "scheduled_retry", "cooldown", "capacity"}
    assert {f"{gate}_{form}" for gate in names for form in ("passed", "waiting")} <= set(SENTENCES)
    assert {f"wakeup_{outcome}" for outcome in WakeupOutcome} <= set(SENTENCES)
    holds = ("turn", "retry", "checkout_contended", "interrupted", "cooldown", "capacity")
    assert {f"waits_{hold}" for hold in (*holds, "stumbled")} <= set(SENTENCES)


STOPPED = [
    ("agent_paused", "finished", 2),
    ("agent_stopped", "finished", 2),
    ("task_terminal", "cancelled", 3),
    ("assignee_changed", "cancelled", 3),
    ("malformed", "failed", 1),
    ("checkout_contended", "queued", 11),
]


@pytest.mark.proves("K-38 gates", "C-48", "C-49", "C-98")
@pytest.mark.parametrize(("why", "status", "gates"), STOPPED, ids=[one[0] for one in STOPPED])
def test_a_gate_that_says_no_ends_the_walk_and_no_run_is_born(
    stage: Stage, why: str, status: str, gates: int
) -> None:
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    prepare_stop(stage, why, task.id, wakeup.id, task.assignee_agent_id or "")
    runs = len(stage.ground.runs())
    assert stage.step()
    settled = stage.ground.get_wakeup(wakeup.id)
    assert settled.status == status
    assert [one["gate"] for one in settled.decisions] == GATES[: gates + 1]
    assert len(stage.ground.runs()) == runs and not stage.acts
    named = settled.outcome if status != "queued" else settled.held_by
    assert why in (named, settled.cancel_reason)
    if why == "checkout_contended":
        assert settled.retry_count == 0 and settled.scheduled_retry_at is not None
    else:
        assert settled.finished_at is not None


def prepare_stop(stage: Stage, why: str, task_id: str, wakeup_id: str, agent_id: str) -> None:
    changes: dict[str, tuple[str, str, dict[str, Any]]] = {
        "agent_paused": ("agents", agent_id, {"status": AgentStatus.PAUSED}),
        "agent_stopped": ("agents", agent_id, {"status": AgentStatus.STOPPED}),
        "task_terminal": ("tasks", task_id, {"status": TaskStatus.DONE}),
        "assignee_changed": ("tasks", task_id, {"assignee_agent_id": None}),
        "malformed": ("agent_wakeup_requests", wakeup_id, {"payload": {"mood": 1}}),
    }
    if why in changes:
        table, row, values = changes[why]
        with stage.store.transaction() as tx:
            set_columns(tx, table, row, **values)
        return
    stage.launch()
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", agent_id, max_concurrent_sessions=2)
        set_columns(tx, "agent_wakeup_requests", wakeup_id, status=WakeupStatus.QUEUED)


@pytest.mark.proves("C-11")
def test_who_meets_a_taken_task_waits_a_minute_however_often_and_asks_nobody(stage: Stage) -> None:
    task = stage.assigned()
    waits = stage.wakeup(task)
    prepare_stop(stage, "checkout_contended", task.id, waits.id, waits.agent_id)
    (holder,) = stage.ground.runs()
    for _ in range(6):  # more often than anything is tried again
        assert stage.step()
        held = stage.ground.get_wakeup(waits.id)
        assert (held.status, held.held_by, held.retry_count) == ("queued", "checkout_contended", 0)
        left = held.scheduled_retry_at - stage.clock.now()
        assert abs(left - timedelta(seconds=60)) < timedelta(seconds=1)
        assert not stage.step()
        stage.clock.forward(seconds=61)
        with stage.store.transaction() as tx:
            claims.promote_due(tx)
    assert stage.ground.rows("inbox_items") == []
    assert stage.ground.get_task(task.id).attempts_spent == 0
    assert [run.id for run in stage.ground.runs()] == [holder.id]


@pytest.mark.proves("C-19", "K-29")
@pytest.mark.parametrize("why", ["task_terminal", "assignee_changed"])
def test_what_is_stale_is_claimed_judged_and_let_go_in_one_step(stage: Stage, why: str) -> None:
    task = stage.assigned()
    wakeup = stage.wakeup(task)
    prepare_stop(stage, why, task.id, wakeup.id, wakeup.agent_id)
    assert wakeup.claimed_at is None and stage.step()
    settled = stage.ground.get_wakeup(wakeup.id)
    assert settled.claimed_at is not None, "it is looked at after the claim"
    assert (settled.status, settled.cancel_reason) == ("cancelled", why)
    assert stage.ground.rows("leases") == []
    assert stage.ground.get_task(task.id).checkout_agent_id is None


@pytest.mark.proves("K-41", "C-87", "C-23")
def test_a_task_is_given_back_however_its_run_ends(stage: Stage) -> None:
    task = stage.assigned()
    ends: list[tuple[str, int | None]] = [
        ("silence", -9),
        ("interrupted", None),
        ("spawn_failed", None),
        ("exited", 1),
        ("cancelled", None),
    ]
    for why, code in ends:
        run = stage.launch()
        held = stage.ground.get_task(task.id)
        assert held.checkout_agent_id == run.agent_id and held.checkout_at is not None
        assert [row["run_id"] for row in stage.ground.rows("leases")] == [run.id]
        stage.finish(run, why, code)
        assert stage.ground.get_task(task.id).checkout_agent_id is None, why
        assert stage.ground.rows("leases") == []
        stage.clock.forward(hours=3)


@pytest.mark.proves("K-41", "W-26")
def test_what_comes_late_for_a_run_that_is_over_leaves_the_next_one_alone(stage: Stage) -> None:
    """Failure 13 of the first systems: a run that had finished closed the checkout of another one,
    and a cancellation wrote over what had finished."""
    task = stage.assigned()
    first = stage.finish(stage.launch(), code=1)
    second = stage.launch()
    before = stage.everything()
    for late in (stage.completion.settle, stage.completion.lost, stage.completion.never_born):
        late(first.id)
    with stage.store.transaction() as tx:
        runs.give_back(tx, task.id, first.id)
    with pytest.raises(Conflict, match="run_has_ended"):
        run_control.cancel(stage.desk, ASKED, first.id)
    with pytest.raises(Conflict, match="wakeup_not_waiting"):
        waking.cancel(stage.desk, ASKED, first.wakeup_id)
    assert stage.everything() == before
    assert [row["run_id"] for row in stage.ground.rows("leases")] == [second.id]
    assert stage.ground.get_task(task.id).checkout_agent_id == second.agent_id


def test_a_wakeup_that_cannot_be_judged_is_put_back_and_others_go_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = stage.assigned()
    whole = steps.prompt

    def stumble(*words: Any) -> str:
        raise OSError("disk I/O error")

    monkeypatch.setattr(steps, "prompt", stumble)
    with pytest.raises(OSError):
        stage.step()
    held = stage.wakeup(task)
    assert (held.status, held.held_by, held.retry_count) == ("queued", "stumbled", 0)
    assert stage.ground.get_task(task.id).checkout_agent_id is None
    monkeypatch.setattr(steps, "prompt", whole)
    assert not stage.step()
    stage.clock.forward(seconds=61)
    assert stage.launch().wakeup_id == held.id


def test_a_wakeup_is_put_back_even_when_the_database_fails_twice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = stage.assigned()
    whole, calls = Store.transaction, iter(range(9))

    def transaction(store: Store) -> Any:
        if next(calls) in (1, 2):  # the judgement, then the way back
            raise OSError("disk full")
        return whole(store)

    monkeypatch.setattr(Store, "transaction", transaction)
    with pytest.raises(OSError):
        stage.dispatcher.step()
    assert stage.wakeup(task).status is WakeupStatus.CLAIMED
    assert not stage.dispatcher.step()
    assert stage.wakeup(task).held_by == "stumbled"


def test_a_hold_ends_after_a_minute(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", run.agent_id, max_concurrent_sessions=2)
        set_columns(tx, "agent_wakeup_requests", run.wakeup_id, status=WakeupStatus.QUEUED)
    now = stage.clock.now()
    stage.step()
    held = stage.wakeup(task)
    assert abs(held.scheduled_retry_at - now - timedelta(seconds=60)) < timedelta(seconds=1)

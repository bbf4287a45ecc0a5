"""The one door for a change of state: its tables, its conditions, and its event."""

import sqlite3
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from ground import JOAN, Ground, set_columns

from roundtable_desktop.model import states
from roundtable_desktop.model.errors import Illegal
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import Machine, RunOutcome, RunStatus, TaskStatus
from roundtable_desktop.store import journal, proposals, runs, tasks
from roundtable_desktop.store.fields import JsonField

# As the house has them; what is not here is refused.
HOUSE = {
    "wakeup": """
        queued>claimed queued>coalesced queued>skipped queued>cancelled claimed>queued
        claimed>finished claimed>skipped claimed>failed claimed>cancelled""",
    "run": """
        starting>running starting>failed starting>cancelled
        running>finished running>failed running>cancelled""",
    "task": """
        todo>in_progress in_progress>in_review in_review>done
        in_progress>done in_progress>blocked in_progress>failed in_progress>interrupted
        in_progress>cancelled in_progress>todo
        in_review>in_progress in_review>cancelled
        blocked>todo interrupted>todo failed>todo
        blocked>cancelled interrupted>cancelled failed>cancelled
        todo>blocked todo>cancelled done>todo""",
    "proposal": """
        pending>in_review in_review>approved approved>merged merged>delivered
        pending>approved approved>delivered pending>conflicted in_review>conflicted
        pending>revision_requested pending>rejected pending>superseded
        in_review>revision_requested in_review>rejected in_review>superseded
        approved>conflicted approved>superseded conflicted>superseded conflicted>rejected""",
    "delivery": "intended>delivered intended>held",
}
MACHINES = {
    "wakeup": (states.WAKEUP, states.WakeupStatus, "agent_wakeup_requests"),
    "run": (states.RUN, states.RunStatus, "runs"),
    "task": (states.TASK, states.TaskStatus, "tasks"),
    "proposal": (states.PROPOSAL, states.ProposalStatus, "proposals"),
    "delivery": (states.DELIVERY, states.DeliveryStatus, "deliveries"),
}


@pytest.mark.proves("K-57")
@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_has_the_moves_of_the_house_and_no_other(name: str) -> None:
    machine, words, _ = MACHINES[name]
    moves = {f"{a}>{b}" for a, b in product(words, words) if machine.allows(a, b)}
    assert moves == set(HOUSE[name].split())


@pytest.fixture
def rows(ground: Ground) -> dict[str, Any]:
    """One row of each machine."""
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    task = ground.task(workspace, agent)
    wakeup = ground.wakeup(agent, task)
    with ground.store.transaction() as tx:
        run = runs.create(
            tx,
            data={},
            id=ground.ids.new(),
            workspace_id=workspace.id,
            wakeup_id=wakeup.id,
            agent_id=agent.id,
            task_id=task.id,
            attempt_index=1,
            idempotency_key="k",
            fence="f",
        )
        proposal = proposals.add(
            tx,
            id=ground.ids.new(),
            workspace_id=workspace.id,
            task_id=task.id,
            run_id=run.id,
            base_commit="b",
            head_commit="h",
        )
        delivery_id = ground.ids.new()
        proposals.intend(tx, proposal, JOAN, id=delivery_id, branch="main", into_checkout=False)
        delivery = proposals.get_delivery(tx, delivery_id)
    return {
        "wakeup": wakeup,
        "run": run,
        "task": task,
        "proposal": proposal,
        "delivery": delivery,
        "agent": agent,
    }


def status_of(ground: Ground, table: str, row_id: str) -> str:
    [row] = [row for row in ground.rows(table) if row["id"] == row_id]
    return str(row["status"])


@pytest.mark.proves("W-09", "K-57")
@pytest.mark.parametrize("name", MACHINES)
def test_every_move_is_done_with_its_event_or_refused_without(
    ground: Ground, rows: dict[str, Any], name: str
) -> None:
    machine, words, table = MACHINES[name]
    row = rows[name]
    for source, to in product(words, words):
        with ground.store.transaction() as tx:
            set_columns(tx, table, row.id, status=source)
        before = len(ground.events())
        if machine.allows(source, to):
            with ground.store.transaction() as tx:
                assert journal.move(tx, machine, row, expect=source, to=to, kind=Kind.TASK_MOVED)
            [event] = ground.events()[before:]
            assert (event.subject_type, event.subject_id) == (name, row.id)
            assert event.data["from"] == source and event.data["to"] == to
            assert status_of(ground, table, row.id) == to
        else:
            with pytest.raises(Illegal), ground.store.transaction() as tx:
                journal.move(tx, machine, row, expect=source, to=to, kind=Kind.TASK_MOVED)
            assert len(ground.events()) == before
            assert status_of(ground, table, row.id) == source


@pytest.mark.proves("W-26")
@pytest.mark.parametrize("name", MACHINES)
def test_a_move_of_a_row_that_somebody_else_moved_writes_nothing(
    ground: Ground, rows: dict[str, Any], name: str
) -> None:
    machine, words, table = MACHINES[name]
    stale = rows[name]
    move: Machine = machine
    source, to = next(
        (a, b)
        for a, b in product(words, words)
        if a != b and move.allows(a, b) and a == stale.status
    )
    other = next(word for word in words if word != source)
    with ground.store.transaction() as tx:
        set_columns(tx, table, stale.id, status=other)
    before, events = ground.rows(table), len(ground.events())
    with ground.store.transaction() as tx:
        assert journal.move(tx, machine, stale, expect=source, to=to, kind=Kind.TASK_MOVED) is False
    assert ground.rows(table) == before
    assert len(ground.events()) == events


@pytest.mark.proves("W-26")
def test_a_run_is_ended_once(ground: Ground, rows: dict[str, Any]) -> None:
    run = rows["run"]
    words: dict[str, Any] = {"outcome": RunOutcome.LOST, "data": {}}
    with ground.store.transaction() as tx:
        assert runs.finish(tx, run, RunStatus.FAILED, **words)
        assert not runs.finish(tx, run, RunStatus.FAILED, **words)
    assert ground.kinds().count("run.ended") == 1


@pytest.mark.proves("K-41", "C-87", "C-23")
def test_a_task_is_checked_out_by_one_run_with_its_lease(
    ground: Ground, rows: dict[str, Any]
) -> None:
    task, agent, run = rows["task"], rows["agent"], rows["run"]
    words = {"task_id": task.id, "agent_id": agent.id}
    with ground.store.transaction() as tx:
        assert runs.check_out(tx, **words, run_id=run.id)
        assert not runs.check_out(tx, **words, run_id="another")
        assert runs.lease_holder(tx, task.id) == run.id
    taken = ground.get_task(task.id)
    assert taken.checkout_agent_id == agent.id and taken.checkout_at is not None
    assert [row["run_id"] for row in ground.rows("leases")] == [run.id]
    with ground.store.transaction() as tx:
        runs.give_back(tx, task.id, "another")
        assert runs.lease_holder(tx, task.id) == run.id
        runs.finish(tx, run, RunStatus.FAILED, outcome=RunOutcome.LOST, data={})
    assert ground.get_task(task.id).checkout_agent_id is None
    assert ground.rows("leases") == []


@pytest.mark.proves("W-01", "W-09")
def test_state_and_event_are_both_there_or_neither(ground: Ground, rows: dict[str, Any]) -> None:
    """The event cannot be written: the status stays."""
    task = rows["task"]
    with sqlite3.connect(ground.path) as raw:
        raw.execute(
            "CREATE TRIGGER no_event BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    with suppress(Exception), ground.store.transaction() as tx:
        tasks.move(tx, task, TaskStatus.IN_PROGRESS, actor=JOAN)
        pytest.fail("the trigger did not fire")
    assert ground.get_task(task.id).status is TaskStatus.TODO


def test_an_event_tells_who_and_what(ground: Ground) -> None:
    workspace = ground.workspace()
    with ground.store.transaction() as tx:
        subject = Subject("task", "t1")
        journal.tell(
            tx, Kind.TASK_MOVED, subject, workspace_id=workspace.id, actor=JOAN, data={"a": [1]}
        )
        at = tx.now
    event = ground.events()[-1]
    assert (event.kind, event.at, event.actor_type, event.actor_id) == (
        "task.moved",
        at,
        "person",
        "joan",
    )
    assert event.data == {"a": [1]} and event.workspace_id == workspace.id


@pytest.mark.proves("W-09")
def test_what_is_no_text_keeps_no_decision_from_being_written(ground: Ground) -> None:
    """As in the name of a file that is not UTF-8: its run would never end."""
    odd = {"name": "p\udcffé"}
    with ground.store.transaction() as tx:
        journal.tell(tx, Kind.TASK_MOVED, Subject("task", "t1"), workspace_id=None, data=odd)
    assert ground.events()[-1].data == {"name": "p?é"}
    assert JsonField().db_value(odd) == '{"name": "p?é"}'

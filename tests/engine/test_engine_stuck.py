"""An agent that says that it cannot go on asks a person, once for the same want."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import Routines

from roundtable_desktop.engine import quarantine
from roundtable_desktop.engine.desk import inbox, tasks
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.store import inbox as items
from roundtable_desktop.store.tables import InboxItems

NEEDS = {"owner": "user", "action": "Choose a port."}


def blocked(stage: Stage, **on: str) -> None:
    result = {"status": "blocked", "blocked": {**NEEDS, **on}}
    stage.finish(stage.launch(), result=result)


def asked(stage: Stage, status: str = "open") -> list[Any]:
    with stage.ground.reader.snapshot() as view:
        rows = view.all(items.InboxItem, InboxItems.select().order_by(InboxItems.id))
    return [one for one in rows if one.status == status]


@pytest.mark.proves("C-24", "C-24 asked")
def test_a_blocked_task_asks_its_owner_and_goes_on_with_the_answer(stage: Stage) -> None:
    task = stage.assigned()
    blocked(stage)
    (item,) = asked(stage)
    assert (item.kind, item.code, item.severity) == ("blocked", "inbox_blocked", "attention")
    assert (item.subject_id, item.data["action"], item.data["agent"]) == (
        task.id,
        "Choose a port.",
        "Ada",
    )
    inbox.act(stage.desk, ASKED, item.id, "retry")
    assert stage.ground.get_task(task.id).status is TaskStatus.TODO and not asked(stage)
    assert stage.launch().task_id == task.id


@pytest.mark.proves("C-24", "C-24 asked")
def test_a_word_on_the_task_answers_it_as_well(stage: Stage) -> None:
    task = stage.assigned()
    blocked(stage)
    tasks.comment(stage.desk, ASKED, task.id, "Take 8080.")
    assert not asked(stage)
    blocked(stage, action="And the host?")
    assert [one.data["action"] for one in asked(stage)] == ["And the host?"]


@pytest.mark.proves("C-24", "C-24 asked")
def test_without_a_task_it_asks_as_well_and_is_tried_again(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    stage.wake(agent, "look around")
    blocked(stage, owner="coordinator")
    (item,) = asked(stage)
    assert (item.subject_type, item.subject_id) == ("agent", agent.id)
    assert item.code == "inbox_blocked_on_others"
    inbox.act(stage.desk, ASKED, item.id, "retry")
    run = stage.launch()
    assert "look around" in stage.launcher.orders[run.id].prompt
    stage.finish(run, result={"status": "blocked", "blocked": NEEDS})
    (item,) = asked(stage)
    inbox.act(stage.desk, ASKED, item.id, "dismiss")
    assert not asked(stage) and not stage.step()


@pytest.mark.proves("C-24", "C-24 asked", "B-081")
@pytest.mark.parametrize("of_task", [True, False])
def test_an_agent_that_only_asks_for_leave_asks_a_person(stage: Stage, of_task: bool) -> None:
    agent = stage.agent(stage.workspace())
    if of_task:
        stage.task(stage.workspace_of(agent), agent)
    else:
        stage.wake(agent, "look around")
    run = stage.finish(stage.launch(), tail="I need permission to run npm install.\n")
    assert run.outcome == "blocked"
    (item,) = asked(stage)
    assert (item.kind, item.data["owner"]) == ("blocked", "user")
    assert item.data["action"] == "I need permission to run npm install."
    inbox.act(stage.desk, ASKED, item.id, "retry")
    assert stage.launch().task_id == run.task_id and not asked(stage)


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)


@pytest.mark.proves("C-24 asked", "K-35")
def test_a_routine_that_wants_the_same_each_time_asks_once(routines: Routines) -> None:
    routines.add()
    for action in ("Log in.", "Log in.", "Choose."):
        routines.pass_time(minutes=5)
        run = routines.work()
        routines.finish(run, "blocked", blocked={"owner": "user", "action": action})
    assert [one.data["action"] for one in asked(routines.stage)] == ["Choose."]
    assert len(asked(routines.stage, "resolved")) == 1
    routines.pass_time(minutes=5)
    routines.finish(routines.work())
    assert not asked(routines.stage), "it went on by itself"


@pytest.mark.proves("F-10", "K-35")
def test_a_poisoned_routine_asks_once_and_its_answer_is_for_all_of_them(
    routines: Routines,
) -> None:
    stage, routine = routines.stage, routines.add()
    for _ in range(4):
        routines.pass_time(minutes=5)
        claimed = stage.ground.claim()
        assert claimed is not None
        with stage.store.transaction() as tx:
            quarantine.set_aside(tx, stage.ids, claimed, quarantine.OWNER_DIED)
    (item,) = asked(stage)
    assert (item.data["times"], item.severity, item.code) == (4, "critical", "inbox_quarantined")
    again = [one for one in stage.ground.events() if one.kind == "inbox.asked_again"]
    assert [(one.subject_id, one.data["times"]) for one in again] == [
        (item.id, times) for times in (2, 3, 4)
    ]
    inbox.act(stage.desk, ASKED, item.id, "retry")
    run = routines.work()
    told = {one["payload"]["firing_id"] for one in run.causes()}  # type: ignore[index, call-overload]
    assert told == {one.id for one in routines.firings(routine)}


@pytest.mark.proves("K-35")
def test_what_was_asked_goes_when_the_routine_works_again(routines: Routines) -> None:
    stage = routines.stage
    routines.add()
    routines.pass_time(minutes=5)
    claimed = stage.ground.claim()
    assert claimed is not None
    with stage.store.transaction() as tx:
        quarantine.set_aside(tx, stage.ids, claimed, quarantine.OWNER_DIED)
    assert len(asked(stage)) == 1
    routines.pass_time(minutes=5)
    routines.finish(routines.work())
    assert not asked(stage)

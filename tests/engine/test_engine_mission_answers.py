"""What a person answers to a mission that stands still does what it says."""

from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine import helping
from roundtable_desktop.engine.desk import Asked, inbox, waking
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import InboxItem, Subject, Task
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.store import inbox as items
from roundtable_desktop.store import missions

S = TaskStatus
STUCK = {"status": "blocked", "blocked": {"owner": "user", "action": "Say which colour"}}


@pytest.fixture
def crew(stage: Stage) -> Crew:
    made = Crew(stage)
    made.open()
    return made


def stands_still(crew: Crew, *, optional: bool = False, needed: bool = False) -> tuple[Task, Any]:
    """(a task that is blocked, the item that asks about its mission)"""
    task = crew.task("Paint it", optional=optional)
    if needed:
        crew.task("After", depends_on=[Edge(depends_on_task_id=task.id)])
    crew.turn()
    crew.stage.finish(crew.run_of(task), result=STUCK)
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED
    return task, asked(crew)


def asked(crew: Crew) -> InboxItem:
    with crew.stage.store.transaction() as tx:
        (item,) = items.open_about(tx, Subject("mission", crew.id))
    return item


def offered(item: InboxItem) -> list[str]:
    options: Any = item.data["options"]
    return [one["id"] for one in options]


@pytest.mark.proves("A-37", "C-29")
def test_what_is_blocked_is_done_anew_with_the_answer(crew: Crew) -> None:
    task, item = stands_still(crew)
    assert offered(item) == ["retry", "reopen", "cancel"], "nothing of it is optional"
    inbox.act(crew.stage.desk, Asked(JOAN), item.id, "retry", "Take blue.")
    assert crew.mission.state is MissionState.ACTIVE and crew.now(task).status is S.TODO
    crew.turn()
    run = crew.run_of(task)
    assert "Take blue." in run.assembled_prompt
    rows = [one["status"] for one in crew.stage.ground.rows("inbox_items")]
    assert set(rows) == {"resolved"}
    crew.end(run, a="blue")
    crew.turn()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("A-37", "A-36")
def test_it_goes_on_without_what_it_can_do_without(crew: Crew) -> None:
    task, item = stands_still(crew, optional=True)
    assert offered(item) == ["retry", "skip_optional", "reopen", "cancel"]
    inbox.act(crew.stage.desk, Asked(JOAN), item.id, "skip_optional")
    assert crew.now(task).status is S.CANCELLED
    crew.turn()
    report: Any = crew.mission.report
    assert crew.mission.state is MissionState.COMPLETED
    assert report["cancelled"] == [task.number]


@pytest.mark.proves("A-37")
def test_what_others_wait_for_is_not_offered_to_be_left_out(crew: Crew) -> None:
    _, item = stands_still(crew, optional=True, needed=True)
    assert "skip_optional" not in offered(item)
    with pytest.raises(Invalid, match="unknown_action"):
        inbox.act(crew.stage.desk, Asked(JOAN), item.id, "skip_optional")


@pytest.mark.proves("A-37", "A-36")
def test_what_helps_with_what_is_left_out_is_left_out_with_it(crew: Crew) -> None:
    """A search for the cause of what the mission can do without held it for ever."""
    task = crew.task("Paint it", optional=True)
    stage = crew.stage
    with stage.store.transaction() as tx:
        mission = missions.get(tx, crew.id)
        assert mission is not None
        words, whose = "Find the cause.", crew.agents[1]
        made = helping.make(tx, stage.ids, mission, task, Purpose.DEBUG, whose, words)
        helping.come_first(tx, task, made)
    assert made.optional
    crew.turn()
    stage.finish(crew.run_of(made), result=STUCK)
    crew.look()
    inbox.act(stage.desk, Asked(JOAN), asked(crew).id, "skip_optional")
    assert (crew.now(task).status, crew.now(made).status) == (S.CANCELLED, S.CANCELLED)
    crew.turn()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("A-37")
def test_all_that_is_blocked_is_given_up(crew: Crew) -> None:
    task, item = stands_still(crew)
    inbox.act(crew.stage.desk, Asked(JOAN), item.id, "cancel")
    assert crew.now(task).status is S.CANCELLED
    crew.turn()
    assert crew.mission.state is MissionState.COMPLETED, (
        "and its outcome says that nothing was done"
    )
    assert crew.mission.outcome == "failed"


@pytest.mark.proves("A-37")
def test_what_was_seen_to_meanwhile_is_left_as_it_is(crew: Crew) -> None:
    task, item = stands_still(crew)
    (own,) = [
        one
        for one in crew.stage.ground.rows("inbox_items")
        if one["subject_type"] == "task" and one["status"] == "open"
    ]
    inbox.resolve(crew.stage.desk, ASKED, own["id"])
    inbox.act(crew.stage.desk, Asked(JOAN), item.id, "reopen")
    crew.look()
    assert crew.now(task).status is S.BLOCKED and crew.mission.state is MissionState.BLOCKED
    assert asked(crew).id != item.id, "it still stands, and that is asked anew"


@pytest.mark.proves("A-37", "C-50")
def test_what_a_person_took_off_the_queue_rests_until_they_have_it_done_anew(crew: Crew) -> None:
    task = crew.task("Paint it")
    crew.look()
    (waiting,) = crew.waiting(task)
    waking.cancel(crew.stage.desk, ASKED, waiting.id)
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED and len(crew.waves()) == 1
    assert offered(asked(crew)) == ["retry", "reopen", "cancel"]
    inbox.act(crew.stage.desk, Asked(JOAN), asked(crew).id, "retry", "Now it may be.")
    crew.turn()
    assert "Now it may be." in crew.run_of(task).assembled_prompt


@pytest.mark.proves("A-37", "C-57")
def test_who_ended_without_a_plan_is_woken_by_a_reopening(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    crew.end(crew.run_of(crew.root))
    crew.turn()
    assert crew.mission.reason == "no_work_planned" and crew.root.status is S.DONE
    inbox.act(stage.desk, Asked(JOAN), asked(crew).id, "reopen")
    crew.turn()
    assert crew.run_of(crew.root) and crew.mission.state is MissionState.ACTIVE


@pytest.mark.proves("A-37", "C-50")
def test_nor_is_what_was_begun_and_would_have_been_tried_again(crew: Crew) -> None:
    task = crew.task("Paint it")
    crew.turn()
    crew.stage.finish(crew.run_of(task), "silence")
    (waiting,) = crew.waiting(task)
    assert crew.now(task).status is S.IN_PROGRESS and waiting.retry_count == 1
    waking.cancel(crew.stage.desk, ASKED, waiting.id)
    crew.turn()
    assert crew.live() == [] and crew.mission.state is MissionState.BLOCKED
    inbox.act(crew.stage.desk, Asked(JOAN), asked(crew).id, "retry")
    crew.turn()
    assert crew.run_of(task)

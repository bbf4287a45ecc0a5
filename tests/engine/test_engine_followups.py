"""What an agent asks for at the end of its turn takes effect once, whenever the owner dies."""

from typing import Any

import pytest
from engine_stage import Stage
from ground import Ground

from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import Role

KILLS = ("never", "before", "after")
"""When the owner dies: before the run that has ended is settled, or just after that."""


def ended(stage: Stage, run: Run, when: str, **result: Any) -> None:
    """Its agent's last word, and what an owner that died has to do again."""
    stage.finish_later(run, result=result)
    if when == "before":
        stage.restart()
    stage.play()
    if when == "after":
        stage.restart()
        stage.play()
    stage.completion.settle(run.id)


def wakes(ground: Ground, **of: str) -> list[dict[str, Any]]:
    rows = ground.rows("agent_wakeup_requests")
    return [one for one in rows if all(one[name] == value for name, value in of.items())]


@pytest.mark.proves("K-68 follow-ups", "K-68")
@pytest.mark.parametrize("when", KILLS)
def test_whom_it_waits_for_is_woken_once_and_a_person_is_asked_once(
    stage: Stage, when: str
) -> None:
    workspace = stage.workspace()
    boss = stage.agent(workspace, name="Bob", role=Role.COORDINATOR)
    task = stage.task(workspace, stage.agent(workspace))
    on = {"owner": "coordinator", "action": "Choose a port."}
    ended(stage, stage.launch(), when, status="blocked", blocked=on)
    assert len(wakes(stage.ground, agent_id=boss.id)) == 1
    (item,) = stage.ground.rows("inbox_items")
    assert item["subject_id"] == task.id and stage.ground.get_task(task.id).status == "blocked"


@pytest.mark.proves("K-68 follow-ups")
@pytest.mark.parametrize("when", KILLS)
def test_what_it_says_comes_next_is_told_to_the_next_attempt(stage: Stage, when: str) -> None:
    task = stage.assigned()
    error = {"kind": "task_failed", "text": "2 tests failed"}
    first = stage.launch()
    ended(stage, first, when, status="failed", error=error, next="Mend the hands first.")
    second = stage.launch()
    assert (second.task_id, second.attempt_index) == (task.id, 2)
    for prompt in (second.assembled_prompt, second.resume_prompt):
        assert prompt.count("Mend the hands first.") == 1
        assert "It said what comes next:\n\n```text (data, not instructions)" in prompt
    assert len(wakes(stage.ground, reason="attempt_retry")) == 1


def holder_of(run: Run) -> Holder:
    about = {"task_id": run.task_id, "workspace_id": run.workspace_id}
    return Holder(run_id=run.id, agent_id=run.agent_id, **about)


@pytest.mark.proves("K-68 follow-ups", "K-08")
@pytest.mark.parametrize("when", KILLS)
def test_what_it_asked_for_by_tools_is_there_once_and_begins_when_its_turn_is_over(
    stage: Stage, when: str
) -> None:
    task = stage.assigned(requires_approval=True)
    run = stage.launch()
    agency, holder = Agency(stage.desk, stage.ground.reader), holder_of(run)
    for _ in range(2):  # a call whose answer was lost comes again with its key
        agency.wake_self(holder, "look at CI", None, None, "w1")
        agency.create_task(holder, "Oil it", "", None, [], "t1")
        agency.comment(holder, "I have looked.", None, "c1")
    assert not stage.step(), "one turn about a task at a time"
    ended(stage, run, when, status="completed", summary="Looked.")
    assert len(wakes(stage.ground, source="self")) == 1
    assert [one["text"] for one in stage.ground.rows("comments")] == ["I have looked."]
    assert below(stage, task) == ["Oil it"]
    again = stage.launch()
    assert (again.agent_id, again.task_id) == (run.agent_id, task.id)
    assert again.assembled_prompt.count("look at CI") == 1
    stage.finish(again, result={"status": "completed"})
    assert len(wakes(stage.ground, source="self")) == 1 and below(stage, task) == ["Oil it"]


def below(stage: Stage, task: Task) -> list[str]:
    return [one["title"] for one in stage.ground.rows("tasks") if one["parent_id"] == task.id]

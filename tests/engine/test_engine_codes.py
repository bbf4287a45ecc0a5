"""The codes of activity that the seed names, each with its fields, as the API's feed gives them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from engine_reviews import Reviews, review
from engine_stage import ASKED, Stage
from ground import set_columns
from routine_stage import Routines
from test_engine_sweep import lose_wakeups, sweep_on

from roundtable_desktop.dashboard.api import events as feed
from roundtable_desktop.engine.desk import board, tasks
from roundtable_desktop.model.states import TaskStatus

Named = Mapping[str, Any]


def idle_skipped(stage: Stage) -> Named:
    here = Routines(stage, skip_idle_wakeups=None)
    routine = here.add()
    here.pass_time(minutes=5)
    assert here.start() is None
    (firing,) = here.firings(routine)
    reason = "no_actionable_tasks"
    name = here.agent.name
    return {"wakeup_id": firing.wakeup_id, "agent_name": name, "reason": reason}


def stale(stage: Stage) -> Named:
    """Nobody asks for it any more when it is taken up."""
    task = stage.assigned()
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=TaskStatus.CANCELLED)
    assert stage.step()
    agent = task.assignee_agent_id
    return {"reason": "task_terminal", "task_id": task.id, "agent": agent}


def handed_over(stage: Stage, *, retried: bool) -> tuple[str, str | None]:
    """(the task, whose it was)"""
    workspace = stage.workspace()
    task = stage.task(workspace, stage.agent(workspace))
    if retried:
        stage.finish(stage.launch(), "silence", -9)
        assert stage.wakeup(task).held_by == "retry"
    bob = stage.agent(workspace, name="Bob")
    tasks.change(stage.desk, ASKED, task.id, agent_id=bob.id)
    return task.id, task.assignee_agent_id


def another_assignee(stage: Stage) -> Named:
    task, agent = handed_over(stage, retried=False)
    return {"reason": "assignee_changed", "task_id": task, "agent": agent}


def ended_by_hand(stage: Stage) -> Named:
    """In the move itself."""
    task = stage.assigned()
    board.move(stage.desk, ASKED, task.id, TaskStatus.CANCELLED)
    agent = task.assignee_agent_id
    return {"reason": "task_terminal", "task_id": task.id, "agent": agent}


def reviewed_no_more(stage: Stage) -> Named:
    reviews = Reviews(stage)
    task = reviews.task(review(reviews.first))
    reviews.worked(task, a="one")
    board.move(stage.desk, ASKED, task.id, TaskStatus.CANCELLED)
    reason = "review_participant_changed"
    return {"reason": reason, "task_id": task.id, "agent": reviews.first.id}


def retry_cancelled(stage: Stage) -> Named:
    """In the PATCH itself: nobody has looked at the queue since."""
    task, agent = handed_over(stage, retried=True)
    return {"reason": "retry_stale_assignee", "task_id": task, "old_agent": agent}


def dispatched(stage: Stage) -> Named:
    task = stage.assigned()
    lose_wakeups(stage.ground, task)
    assert sweep_on(stage.ground).look() == 1
    return {"task_id": task.id, "agent": task.assignee_agent_id}


def swept(stage: Stage) -> Named:
    dispatched(stage)
    return {"dispatched_count": 1}


def told(stage: Stage, kind: str) -> Named:
    (line,) = [feed.line(one) for one in stage.ground.events() if one.kind == kind]
    data: Named = json.loads(line)["data"]
    return data


@pytest.mark.proves("K-60", "K-30 at once")
@pytest.mark.parametrize(
    ("code", "happens"),
    [
        ("wakeup_idle_skipped", idle_skipped),
        ("wakeup_stale_cancelled", stale),
        ("wakeup_stale_cancelled", another_assignee),
        ("wakeup_stale_cancelled", ended_by_hand),
        ("wakeup_stale_cancelled", reviewed_no_more),
        ("wakeup_retry_cancelled", retry_cancelled),
        ("recovery_dispatch", dispatched),
        ("recovery_sweep_complete", swept),
    ],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_the_code_has_its_fields(
    stage: Stage, code: str, happens: Callable[[Stage], Named]
) -> None:
    wanted = happens(stage)
    data = told(stage, code)
    assert {name: data[name] for name in wanted} == wanted


@pytest.mark.proves("K-60", "C-78")
def test_a_sweep_that_finds_nothing_is_told_once_in_a_life(stage: Stage) -> None:
    sweep = sweep_on(stage.ground)
    for _ in range(3):
        assert sweep.look() == 0
        stage.clock.forward(minutes=1)
    assert told(stage, "recovery_sweep_complete") == {"dispatched_count": 0}

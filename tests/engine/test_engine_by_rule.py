"""A rule delivers what nobody has said a word about since it was made; what is said is heard."""

from collections.abc import Callable
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import pausing, tasks, waking
from roundtable_desktop.engine.sweeps import EVERY, Sweep
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, Source, TaskStatus, WakeupOutcome
from roundtable_desktop.phrases import sentence

DONE = {"status": "completed"}


def say(stage: Stage, task: Task, text: str = "Wait: not like this") -> None:
    tasks.comment(stage.desk, ASKED, task.id, text)


def statuses(stage: Stage, task: Task) -> list[tuple[str, list[str]]]:
    return [
        (str(one.status), [str(each.status) for each in stage.tries(one)])
        for one in stage.proposals(task)
    ]


def shown(stage: Stage, name: str) -> str:
    return str(stage.folders.plain("ls-tree", "--name-only", "main", name))


@pytest.mark.proves("K-04", "C-97")
@pytest.mark.parametrize("begun", [False, True], ids=["it waits", "its run has begun"])
def test_a_comment_before_the_rule_delivers_is_heard_first(stage: Stage, begun: bool) -> None:
    task = stage.assigned(DeliveryMode.AUTO)
    first = stage.offered(task, b="b\n")
    say(stage, task)
    run = stage.launch() if begun else None
    stage.deliver()
    assert shown(stage, "b.txt") == ""
    [held] = stage.tries(first)
    assert (held.status, held.reason) == ("held", {"code": "word_waits"})
    assert "its agent hears" in sentence("word_waits")
    assert stage.ground.rows("inbox_items") == [], "it is the agent that is to answer"
    run = run or stage.launch()
    assert "Wait: not like this" in run.assembled_prompt
    stage.leave(run, b="better\n")
    stage.finish(run, result=DONE)
    stage.deliver()
    assert stage.folders.shown("b.txt") == "better"
    assert statuses(stage, task) == [("superseded", ["held"]), ("delivered", ["delivered"])]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("K-04", "C-97")
@pytest.mark.parametrize("mode", list(DeliveryMode))
def test_a_comment_while_git_delivers_keeps_the_task_from_ending_unheard(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, mode: DeliveryMode
) -> None:
    whole = stage.git.deliver

    def meanwhile(*words: Any, **more: Any) -> Any:
        say(stage, task)
        return whole(*words, **more)

    task = stage.assigned(mode)
    proposal = stage.offered(task, b="b\n")
    if mode is DeliveryMode.APPROVAL:
        stage.ask_deliver(proposal)
    with monkeypatch.context() as patch:
        patch.setattr(stage.git, "deliver", meanwhile)
        stage.deliver()
    assert statuses(stage, task) == [("delivered", ["delivered"])]
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    run = stage.launch()
    assert "Wait: not like this" in run.assembled_prompt
    stage.finish(run, result=DONE)
    assert stage.wakeup(task).outcome is WakeupOutcome.EXECUTED
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


def taken_back(stage: Stage, task: Task) -> None:
    waking.cancel(stage.desk, ASKED, stage.wakeup(task).id)


def paused(stage: Stage, task: Task) -> None:
    pausing.pause(stage.desk, ASKED, str(task.assignee_agent_id))
    assert stage.step(), "it is settled without a run"


@pytest.mark.proves("K-04 unheard")
@pytest.mark.parametrize("settled", [taken_back, paused])
def test_a_delivery_that_stood_back_for_a_word_nobody_hears_asks_a_person(
    stage: Stage, settled: Callable[[Stage, Task], None]
) -> None:
    task = stage.assigned(DeliveryMode.AUTO)
    first = stage.offered(task, b="b\n")
    say(stage, task)
    stage.deliver()
    sweep = Sweep(stage.store, stage.ground.reader, stage.clock, stage.ids)
    sweep.look()
    assert stage.ground.rows("inbox_items") == [], "the word waits"
    settled(stage, task)
    assert statuses(stage, task) == [("approved", ["held"])]
    for _ in range(3):
        stage.clock.forward(seconds=EVERY.total_seconds() + 1)
        sweep.look()
    [row] = stage.ground.rows("inbox_items")
    assert (row["kind"], row["status"]) == ("delivery_blocked", "open")
    [held] = stage.tries(first)
    assert held.reason == {"code": "word_unheard"} and "nobody has heard" in sentence(
        "word_unheard"
    )
    stage.ask_deliver(first)
    stage.deliver()
    assert statuses(stage, task) == [("delivered", ["held", "delivered"])]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert [one["status"] for one in stage.ground.rows("inbox_items")] == ["resolved"]


@pytest.mark.proves("C-97")
def test_a_persons_deliver_stands_whatever_was_said_before_it(stage: Stage) -> None:
    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    say(stage, task, "Looks good")
    stage.clock.forward(seconds=1)
    stage.ask_deliver(proposal)
    stage.deliver()
    assert statuses(stage, task) == [("delivered", ["delivered"])]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert stage.wakeup(task).source is Source.COMMENT

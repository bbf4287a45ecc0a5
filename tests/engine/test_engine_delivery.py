"""From an approved proposal to its branch, once, and with the task done only then."""

from typing import Any

import pytest
from engine_stage import Stage
from ground import set_columns

from roundtable_desktop.model.states import (
    ProposalStatus,
    RunOutcome,
    TaskStatus,
)


@pytest.mark.proves("C-104")
def test_what_is_held_for_a_look_needs_an_override_with_a_note(stage: Stage) -> None:
    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    with stage.store.transaction() as tx:
        set_columns(tx, "proposals", proposal.id, held={"code": "submodule", "path": "b"})
    for words in ({}, {"override": True}, {"note": "I looked"}):
        with pytest.raises(Exception, match="proposal_held"):
            stage.ask_deliver(proposal, **words)
    assert stage.tries(proposal) == []
    stage.ask_deliver(proposal, override=True, note="I looked")
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    told = [event for event in stage.ground.events() if event.kind == "proposal.moved"]
    assert told[0].data["note"] == "I looked"


def test_a_delivery_that_conflicts_is_held_and_nothing_moves(stage: Stage) -> None:
    task = stage.assigned()
    proposal = stage.offered(task, a="theirs\n")
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "a.txt").write_text("mine\n")
    mine = stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    stage.ask_deliver(proposal)
    stage.deliver()
    [held] = stage.tries(proposal)
    assert held.status == "held" and held.reason == {"code": "conflict", "paths": ["a.txt"]}
    assert stage.folders.plain("rev-parse", "main") == mine
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    stage.ask_deliver(proposal)
    assert len(stage.tries(proposal)) == 2


def test_a_second_ask_while_one_is_in_hand_is_the_same_delivery(stage: Stage) -> None:
    proposal = stage.offered(stage.assigned(), b="b\n")
    stage.ask_deliver(proposal)
    stage.ask_deliver(proposal)
    assert len(stage.tries(proposal)) == 1


@pytest.mark.proves("C-97")
def test_an_old_proposal_delivered_during_a_new_run_does_not_end_the_task(stage: Stage) -> None:
    """The copy of the run stays its copy, and what it leaves there is not lost."""
    task = stage.assigned()
    first = stage.offered(task, b="b\n")
    stage.ask_run(task)
    run = stage.launch()
    stage.leave(run, c="c\n")
    stage.ask_deliver(first)
    stage.deliver()
    assert stage.proposals(task)[0].status is ProposalStatus.DELIVERED
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS
    run = stage.finish(run, result={"status": "completed"})
    assert run.outcome is RunOutcome.DONE
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    second = stage.proposals(task)[-1]
    assert "c.txt" in [one["path"] for one in second.files]
    stage.ask_deliver(second)
    stage.deliver()
    assert stage.folders.shown("c.txt") == "c" and stage.folders.shown("b.txt") == "b"
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("C-97")
def test_a_proposal_in_delivery_is_not_superseded_by_a_newer_one(stage: Stage) -> None:
    task = stage.assigned()
    first = stage.offered(task, b="b\n")
    stage.ask_deliver(first)
    stage.ask_run(task)
    second = stage.offered(task, c="c\n")
    stage.deliver()
    assert [one.status for one in stage.proposals(task)] == ["delivered", "pending"]
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    assert second.status is ProposalStatus.PENDING


def test_a_held_proposal_gives_way_to_a_newer_one(stage: Stage) -> None:
    task = stage.assigned()
    first = stage.offered(task, b="b\n")
    stage.ask_deliver(first)
    stage.ask_run(task)
    stage.offered(task, c="c\n")
    stage.folders.plain("branch", "-m", "main", "trunk")
    stage.deliver()
    assert [one.status for one in stage.proposals(task)] == ["superseded", "pending"]


def test_later_work_on_a_delivered_task_begins_in_a_new_copy(stage: Stage) -> None:
    task = stage.assigned()
    first = stage.offered(task, b="b\n")
    stage.ask_deliver(first)
    stage.deliver()
    stage.ask_run(task)
    run = stage.launch()
    assert stage.copy(run).name == "t1-2"
    assert run.base_commit == stage.folders.plain("rev-parse", "main")
    assert (stage.copy(run) / "b.txt").exists()


@pytest.mark.proves("F-08")
def test_a_delivery_killed_at_any_place_is_done_once(stage: Stage) -> None:
    """The owner dies before git, after git, and once more in its recovery."""

    class Killed(BaseException):
        pass

    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    stage.ask_deliver(proposal)
    for place in ("prepare", "deliver", "finish"):
        whole = getattr(stage.git, place)

        def die(*words: Any, whole: Any = whole, **more: Any) -> Any:
            whole(*words, **more)
            raise Killed

        setattr(stage.git, place, die)
        with pytest.raises(Killed):
            stage.deliver()
        setattr(stage.git, place, whole)
    assert stage.restart().deliveries == 1
    assert stage.play() == ["deliver"]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert len(stage.folders.plain("log", "--format=%H", "main").splitlines()) == 2

"""From an approved proposal to its branch, once, and with the task done only then."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from engine_stage import Stage
from ground import set_columns

from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.states import (
    ProposalStatus,
    RunOutcome,
    TaskStatus,
)
from roundtable_desktop.store import proposals as stored


class Killed(BaseException):
    """Nothing of the owner comes after this."""


@contextmanager
def killing(stage: Stage, place: str, when: str) -> Iterator[None]:
    """An owner that dies before or after one of its acts on git."""
    whole = getattr(stage.git, place)

    def die(*words: Any, **more: Any) -> Any:
        if when == "after":
            whole(*words, **more)
        raise Killed

    setattr(stage.git, place, die)
    yield
    setattr(stage.git, place, whole)


@pytest.mark.proves("C-104", "C-27")
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


@pytest.mark.proves("A-20")
def test_a_delivery_that_the_database_refuses_is_tried_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*words: Any, **more: Any) -> Any:
        raise Busy("database_busy")

    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    stage.ask_deliver(proposal)
    with monkeypatch.context() as patch, pytest.raises(Busy):
        patch.setattr(stored, "aim", busy)
        stage.deliver()
    assert [one.status for one in stage.tries(proposal)] == ["intended"]
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


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
    reason = held.reason or {}
    assert held.status == "held" and reason["code"] == "conflict" and reason["paths"] == ["a.txt"]
    assert stage.folders.plain("rev-parse", "main") == mine
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    stage.ask_deliver(proposal)
    assert len(stage.tries(proposal)) == 2


def test_a_second_ask_while_one_is_in_hand_is_the_same_delivery(stage: Stage) -> None:
    proposal = stage.offered(stage.assigned(), b="b\n")
    stage.ask_deliver(proposal)
    stage.ask_deliver(proposal)
    assert len(stage.tries(proposal)) == 1


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.proves("C-97", "C-27")
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


@pytest.mark.slow
@pytest.mark.proves("C-97")
def test_what_the_branch_has_already_is_not_told_as_a_commit_of_its_own(stage: Stage) -> None:
    """Asked for again before its first delivery was done, the task runs on in the same copy."""
    task = stage.assigned()
    first = stage.offered(task, b="b\n")
    stage.ask_deliver(first)
    stage.ask_run(task)
    second = stage.offered(task, b="b\n")
    stage.deliver()
    stage.ask_deliver(second)
    stage.deliver()
    [made], [needless] = stage.tries(first), stage.tries(second)
    head = stage.folders.plain("rev-parse", "main")
    assert (made.status, made.reason, made.new_commit) == ("delivered", None, head)
    found = {"code": "nothing_left", "commit": head}
    assert (needless.status, needless.reason) == ("delivered", found)
    assert (needless.old_commit, needless.new_commit) == (None, None)
    told = [event for event in stage.ground.events() if event.kind == "workspace.merge.completed"]
    assert [event.data.get("reason") for event in told] == [None, found]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert f"Roundtable-Run: {second.run_id}" not in stage.folders.plain("log", "main")


@pytest.mark.slow
@pytest.mark.proves("F-07", "F-08")
@pytest.mark.parametrize("killed_in", ["before", "after"])
def test_a_delivery_that_another_one_overtook_is_on_the_branch_once(
    stage: Stage, killed_in: str
) -> None:
    """Killed when the branch was not yet, or already, its own; the next life begins with the
    other: then the first one's commit stands on one that the branch has left, or below its head."""
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    offered = [
        stage.offered(stage.task(workspace, agent), **{name: f"{name}\n"}) for name in ("b", "c")
    ]
    for proposal in offered:
        stage.ask_deliver(proposal)
    first, second = (stage.tries(proposal)[0].id for proposal in offered)
    with killing(stage, "deliver", killed_in), pytest.raises(Killed):
        stage.deliveries.deliver(first)
    stage.restart()
    stage.deliveries.deliver(second)
    stage.deliveries.deliver(first)
    told = stage.folders.plain("log", "--format=%(trailers:key=Roundtable-Run,valueonly)", "main")
    assert sorted(told.split()) == sorted(proposal.run_id for proposal in offered)
    assert [stage.tries(proposal)[0].reason for proposal in offered] == [None, None]
    assert stage.folders.shown("b.txt") == "b" and stage.folders.shown("c.txt") == "c"


@pytest.mark.proves("F-07", "F-08")
def test_a_branch_that_was_moved_back_after_the_kill_is_delivered_to_anew(stage: Stage) -> None:
    proposal = stage.offered(stage.assigned(), b="b\n")
    stage.ask_deliver(proposal)
    with killing(stage, "deliver", "after"), pytest.raises(Killed):
        stage.deliver()
    stage.folders.plain("update-ref", "refs/heads/main", proposal.base_commit)
    stage.restart()
    stage.play()
    assert stage.folders.plain("rev-parse", "main") == proposal.head_commit
    assert [one.status for one in stage.tries(proposal)] == ["delivered"]


@pytest.mark.proves("F-08")
def test_a_delivery_killed_at_any_place_is_done_once(stage: Stage) -> None:
    """The owner dies before git, after git, and once more in its recovery."""

    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    stage.ask_deliver(proposal)
    for place in ("prepare", "deliver", "finish"):
        with killing(stage, place, "after"), pytest.raises(Killed):
            stage.deliver()
    assert stage.restart().deliveries == 1
    assert stage.play() == ["deliver"]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert len(stage.folders.plain("log", "--format=%H", "main").splitlines()) == 2


class Meanwhile:
    """A reader between whose looks something happens."""

    def __init__(self, reader: Any, act: Callable[[], None]) -> None:
        self.reader, self.act = reader, act

    @contextmanager
    def snapshot(self) -> Iterator[Any]:
        with self.reader.snapshot() as view:
            yield view
        self.act()


@pytest.mark.proves("W-09")
def test_a_proposal_and_its_deliveries_are_shown_as_of_one_moment(stage: Stage) -> None:
    proposal = stage.offered(stage.assigned(), b="b\n")
    stage.ask_deliver(proposal)
    reader: Any = Meanwhile(stage.ground.reader, stage.deliver)
    unasked: Any = None
    look = Look(
        reader,
        stage.ground.clock,
        stage.git,
        unasked,
        unasked,
        unasked,
        stage.folders.copies,
        unasked,
        unasked,
    )
    for status in ("approved", "delivered"):
        seen = look.with_diff(look.proposal(proposal.id))
        assert seen.proposal.status == status
        assert (seen.deliveries[-1].status == "delivered") == (status == "delivered")

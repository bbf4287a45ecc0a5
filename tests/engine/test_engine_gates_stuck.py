"""Gates that cannot be passed by themselves: a person is asked, and no work waits in silence."""

from functools import partial

import pytest
from engine_reviews import DONE, Reviews, approval, review
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine import unanswered
from roundtable_desktop.engine.desk import Asked, board, inbox, pausing, tasks, workspaces
from roundtable_desktop.model.errors import Blocked, Conflict
from roundtable_desktop.model.states import AgentStatus, TaskStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import agents as stored_agents
from roundtable_desktop.store import wakeups

S = TaskStatus


@pytest.fixture
def reviews(stage: Stage) -> Reviews:
    return Reviews(stage)


@pytest.mark.proves("C-26")
def test_a_reviewer_without_a_word_is_asked_once_more_and_then_a_person(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    for times in (1, 2):
        (verdict,) = reviews.verdicts(task)
        assert verdict.times == times and not reviews.items()
        reviews.stage.finish(reviews.reviewing(reviews.first), result=DONE)
        reviews.go()
    (item,) = reviews.items()
    assert item.code == "inbox_gate_too_few" and item.data["missing"] == [
        {"agent": "First", "why": "no_vote"}
    ]
    assert reviews.now(task).status is S.IN_REVIEW
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "ask_again")
    assert not reviews.items()
    reviews.go()
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "passed"


@pytest.mark.proves("C-26")
@pytest.mark.parametrize("how", ["paused", "stopped", "retired"])
def test_a_reviewer_that_cannot_be_woken_asks_a_person(reviews: Reviews, how: str) -> None:
    task = reviews.task(review(reviews.first))
    if how == "retired":
        with reviews.stage.store.transaction() as tx:
            to = AgentStatus.RETIRED
            stored_agents.move(tx, reviews.first, to, JOAN, paused_reason=None)
    else:
        act = {"paused": pausing.pause, "stopped": pausing.stop}[how]
        act(reviews.stage.desk, ASKED, reviews.first.id)
    reviews.worked(task, a="one")
    reviews.go()
    (item,) = reviews.items()
    assert item.code == "inbox_gate_too_few" and item.subject_type == "gate"
    if how == "paused":
        pausing.resume(reviews.stage.desk, ASKED, reviews.first.id)
        reviews.go()
        assert not reviews.items(), "it is at work after all"
        reviews.vote(reviews.first, "approve")
    else:
        inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "pass_gate")
    assert reviews.states(task) == "passed" and not reviews.items()


@pytest.mark.proves("C-26")
def test_a_reviewer_that_fails_for_good_asks_a_person_once(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    run = reviews.reviewing(reviews.first)
    error = {"kind": "auth_required", "text": "log in"}
    reviews.stage.finish(run, error=error)
    reviews.go()
    (item,) = reviews.items()
    assert item.data["missing"] == [{"agent": "First", "why": "incurable"}]
    assert reviews.states(task) == "asked"


@pytest.mark.proves("B-113")
def test_after_three_times_a_person_is_asked_and_nobody_is_woken(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    for turn in ("two", "three"):
        reviews.vote(reviews.first, "revise", "Again.")
        reviews.worked(task, a=turn)
        reviews.go()
    reviews.vote(reviews.first, "revise", "And again.")
    assert reviews.now(task).status is S.IN_REVIEW and not reviews.live()
    (item,) = reviews.items()
    assert item.code == "inbox_gate_returns" and item.data["returns"] == 3
    assert len([one for one in reviews.stage.ground.runs() if one.task_id == task.id]) == 3
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "send_back")
    assert reviews.now(task).status is S.IN_PROGRESS
    reviews.go()
    assert "And again." in reviews.live()[0].assembled_prompt


@pytest.mark.proves("C-26")
def test_a_word_to_the_author_is_heard_before_anybody_looks(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first))
    reviews.go()
    (run,) = reviews.live()
    reviews.stage.leave(run, a="one")
    tasks.comment(reviews.stage.desk, ASKED, task.id, "One more thing")
    reviews.stage.finish(run, result=DONE)
    assert reviews.states(task) == "waiting"
    waiting = reviews.stage.wakeup(task)
    with reviews.stage.store.transaction() as tx:
        unanswered.ask_left(tx, reviews.stage.ids)
        assert reviews.states(task) == "waiting", "it is going to be heard"
        wakeups.settle(tx, waiting, WakeupStatus.CANCELLED, outcome=WakeupOutcome.USER_CANCELLED)
        unanswered.ask_left(tx, reviews.stage.ids)
    assert reviews.states(task) == "asked", "nobody is going to hear it"


@pytest.mark.proves("C-26")
def test_a_kill_at_any_step_loses_no_verdict(stage: Stage) -> None:
    reviews = Reviews(stage)
    task = reviews.handed_in(review(reviews.first, reviews.second))
    reviews.vote(reviews.first, "approve", end=False)
    stage.restart()
    reviews.agency = type(reviews.agency)(stage.desk, stage.ground.reader)
    reviews.go()
    assert len(reviews.live()) == 2
    reviews.vote(reviews.second, "approve")
    assert reviews.states(task) == "passed"
    assert sorted(str(one.word) for one in reviews.verdicts(task)) == ["approve", "approve"]


@pytest.mark.proves("C-26", "C-10")
def test_one_that_is_asked_again_while_its_wake_of_before_waits_is_not_waited_for_in_vain(
    reviews: Reviews,
) -> None:
    desk, first = reviews.stage.desk, reviews.first.id
    task = reviews.task(review(reviews.first))
    pausing.pause(desk, ASKED, first)
    reviews.worked(task, a="one")
    reviews.go()
    (item,) = reviews.items()
    pausing.resume(desk, ASKED, first)
    inbox.act(desk, Asked(JOAN), item.id, "ask_again")
    (verdict,) = reviews.verdicts(task)
    (waiting,) = [
        one
        for one in reviews.stage.ground.rows("agent_wakeup_requests")
        if one["status"] == "queued"
    ]
    assert verdict.wakeup_id == waiting["id"], "the one that carries both"
    pausing.pause(desk, ASKED, first)
    reviews.go()
    (again,) = reviews.items()
    assert again.id != item.id and again.code == "inbox_gate_too_few"
    pausing.resume(desk, ASKED, first)
    reviews.go()
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "passed" and not reviews.items()


@pytest.mark.proves("C-79", "K-54 gates")
@pytest.mark.parametrize("requires", [False, True])
def test_work_whose_gates_are_taken_away_while_they_are_asked_does_not_wait_for_nobody(
    reviews: Reviews, requires: bool
) -> None:
    task = reviews.task(review(reviews.first), approval(), requires_approval=requires)
    reviews.worked(task)
    reviews.go()
    assert reviews.states(task) == "asked waiting"
    reviews.set_gates(task)
    assert reviews.states(task) == ""
    if requires:
        (item,) = reviews.items()
        inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "approve")
    assert reviews.now(task).status is S.DONE and not reviews.items()


@pytest.mark.proves("C-79", "W-26")
def test_a_workspace_where_nothing_ran_goes_with_its_gates_and_verdicts(reviews: Reviews) -> None:
    desk, where = reviews.stage.desk, reviews.workspace.id
    wanted = [review(reviews.first), approval()]
    task = tasks.create(desk, ASKED, where, title="By hand", description="", gates=wanted)
    for to in (S.IN_PROGRESS, S.IN_REVIEW):
        board.move(desk, ASKED, task.id, to)
    assert reviews.states(task) == "asked waiting" and reviews.verdicts(task)
    workspaces.remove(desk, ASKED, where)
    for table in ("gates", "verdicts", "tasks", "workspaces"):
        assert reviews.stage.ground.rows(table) == []


@pytest.mark.proves("C-79", "K-54 gates")
def test_a_review_that_is_added_while_a_person_is_asked_comes_before_their_answer(
    reviews: Reviews,
) -> None:
    task = reviews.task(requires_approval=True)
    reviews.worked(task)
    (before,) = reviews.items()
    reviews.set_gates(task, review(reviews.first))
    assert reviews.states(task) == "asked" and not reviews.items()
    with pytest.raises(Conflict):
        inbox.act(reviews.stage.desk, Asked(JOAN), before.id, "approve")
    reviews.go()
    reviews.vote(reviews.first, "approve")
    (item,) = reviews.items()
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "approve")
    assert reviews.now(task).status is S.DONE and not reviews.items()


@pytest.mark.proves("C-79")
def test_the_same_reviewers_in_another_order_are_the_same_gate(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second))
    reviews.set_gates(task, review(reviews.second, reviews.first))
    assert len(reviews.verdicts(task)) == 2 and len(reviews.live()) == 2
    assert {str(one.status) for one in reviews.verdicts(task)} == {"asked"}


@pytest.mark.proves("B-111", "C-104 gates")
def test_a_newer_commit_has_not_passed_what_an_earlier_one_did(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "passed"
    tasks.comment(reviews.stage.desk, ASKED, task.id, "And the rest")
    reviews.stage.clock.forward(minutes=1)
    reviews.go()
    (run,) = reviews.live()
    reviews.stage.leave(run, b="two")
    board.move(reviews.stage.desk, ASKED, task.id, S.TODO)
    reviews.stage.finish(run, result=DONE)
    assert len(reviews.stage.proposals(task)) == 2 and reviews.now(task).status is S.TODO
    assert reviews.states(task) == "waiting"
    with pytest.raises(Blocked, match="gate_open"):
        reviews.stage.ask_deliver(reviews.proposal(task))


@pytest.mark.proves("A-15 snapshot")
def test_a_branch_that_a_reviewer_made_is_not_told_of_as_discarded(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    run = reviews.reviewing(reviews.first)
    folder = reviews.stage.copy(run)
    reviews.stage.leave(run, z="tried")
    git = partial(reviews.stage.folders.plain, "-C", str(folder))
    git("checkout", "-q", "-b", "own")
    git("add", ".")
    git("commit", "-q", "-m", "tried")
    git("checkout", "-q", str(run.base_commit))
    for word in ("revise", "approve"):
        reviews.vote(reviews.first, word)
        assert git("rev-parse", "own")
        rows = reviews.stage.ground.rows("events")
        assert not [one for one in rows if one["kind"] == "run.changes_discarded"]
        if word == "revise":
            reviews.worked(task, a="two")
            reviews.go()

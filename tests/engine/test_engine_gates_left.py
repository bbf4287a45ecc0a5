"""Whoever has to do with a review hears of it: an author who is gone, a reviewer who cannot."""

import pytest
from engine_reviews import DONE, Reviews, approval, review
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.engine.desk import Asked, board, inbox, pausing, tasks
from roundtable_desktop.model.states import AgentStatus, TaskStatus

S = TaskStatus


@pytest.fixture
def reviews(stage: Stage) -> Reviews:
    return Reviews(stage)


@pytest.mark.proves("C-26", "C-29")
def test_work_that_comes_back_to_a_stopped_author_asks_a_person_who_lets_it_go_on(
    reviews: Reviews,
) -> None:
    task = reviews.handed_in(review(reviews.first))
    pausing.stop(reviews.stage.desk, ASKED, reviews.worker.id)
    reviews.vote(reviews.first, "revise", "Look again.")
    assert reviews.now(task).status is S.IN_PROGRESS and not reviews.live()
    (item,) = reviews.items()
    assert (item.code, item.subject_id) == ("inbox_returned_to_nobody", task.id)
    assert [one["id"] for one in item.data["options"]] == ["resume", "cancel"]  # type: ignore[attr-defined]
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "resume")
    reviews.go()
    (run,) = reviews.live()
    assert run.task_id == task.id and "Look again." in run.assembled_prompt


@pytest.mark.proves("C-26", "C-29")
@pytest.mark.parametrize("how", ["cancelled", "another"])
def test_of_a_retired_author_another_takes_it_up_or_nobody(reviews: Reviews, how: str) -> None:
    task = reviews.handed_in(review(reviews.first))
    with reviews.stage.store.transaction() as tx:
        set_columns(tx, "agents", reviews.worker.id, status=AgentStatus.RETIRED)
    reviews.vote(reviews.first, "reject", "Not so.")
    (item,) = reviews.items()
    assert item.data["why"] == {"code": "returned_retired", "agent": "Ada"}
    if how == "cancelled":
        inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "cancel")
        assert reviews.now(task).status is S.CANCELLED
    else:
        other = reviews.stage.agent(reviews.workspace, name="Bob")
        tasks.assign(reviews.stage.desk, ASKED, task.id, other.id)
        reviews.go()
        assert [one.agent_id for one in reviews.live()] == [other.id]
    assert not reviews.items()


@pytest.mark.proves("C-26")
def test_an_author_who_can_be_woken_is_woken_and_nobody_is_asked(reviews: Reviews) -> None:
    reviews.handed_in(review(reviews.first))
    pausing.pause(reviews.stage.desk, ASKED, reviews.worker.id)
    reviews.vote(reviews.first, "revise", "Look again.")
    assert not reviews.items(), "its pause is a person's own, and ends by their word"


@pytest.mark.proves("C-26", "C-51")
@pytest.mark.parametrize("to", [S.CANCELLED, S.IN_PROGRESS])
def test_reviewers_of_work_that_is_taken_away_are_ended(reviews: Reviews, to: TaskStatus) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second))
    reviews.vote(reviews.first, "approve", end=False)
    given, waited = reviews.reviewing(reviews.first), reviews.reviewing(reviews.second)
    board.move(reviews.stage.desk, ASKED, task.id, to)
    assert [one for one, _ in reviews.stage.launcher.heard] == [waited.id]
    ended = reviews.stage.finish(waited, "cancelled", None)
    assert (ended.outcome, reviews.stage.ground.get_wakeup(ended.wakeup_id).outcome) == (
        "cancelled",
        "user_cancelled",
    )
    reviews.stage.finish(given, result=DONE)
    reviews.go()
    assert not [one for one in reviews.live() if one.gate_id]


@pytest.mark.proves("C-26", "C-24")
def test_a_reviewer_that_cannot_go_on_is_not_asked_again_and_a_person_hears_why(
    reviews: Reviews,
) -> None:
    task = reviews.handed_in(review(reviews.first))
    blocked = {"status": "blocked", "blocked": {"owner": "user", "action": "Give me the key."}}
    reviews.stage.finish(reviews.reviewing(reviews.first), result=blocked)
    reviews.go()
    assert not reviews.live()
    (item,) = reviews.items()
    said = {"agent": "First", "why": "blocked", "text": "Give me the key."}
    assert item.data["missing"] == [said]
    assert item.data["why"]["code"] == "missing_blocked"  # type: ignore[index]
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "ask_again")
    reviews.go()
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "passed" and not reviews.items()


@pytest.mark.proves("C-26")
def test_one_that_cannot_go_on_is_not_missed_where_enough_approve(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second, needed=1), approval())
    reviews.stage.finish(
        reviews.reviewing(reviews.first), tail="I need permission to run npm install.\n"
    )
    reviews.go()
    assert not [one for one in reviews.items() if one.subject_type == "gate"]
    reviews.vote(reviews.second, "approve")
    assert reviews.states(task) == "passed asked"

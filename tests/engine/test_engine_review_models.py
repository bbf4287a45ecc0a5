"""Work is looked at with another model than it was made with, where its reviewer has one."""

from typing import Any

import pytest
from engine_merged import MergedWork
from engine_reviews import Reviews, review
from engine_stage import Stage
from ground import set_columns

from roundtable_desktop.engine import panels
from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.states import Role


def uses(stage: Stage, agent: Agent, model: str | None, *fallback: str) -> None:
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", agent.id, model=model, fallback_models=list(fallback))


def executor(stage: Stage, run: Run) -> dict[str, Any]:
    decisions = stage.ground.get_wakeup(run.wakeup_id).decisions
    (found,) = [one["detail"] for one in decisions if one["gate"] == "executor"]
    assert isinstance(found, dict)
    return found


@pytest.mark.proves("A-32")
def test_a_review_is_made_with_another_model_than_the_work_and_it_is_said(stage: Stage) -> None:
    reviews = Reviews(stage)
    uses(stage, reviews.worker, "big")
    uses(stage, reviews.first, "big", "small")
    uses(stage, reviews.second, "mid", "big")
    uses(stage, reviews.third, "big")
    reviews.handed_in(review(reviews.first, reviews.second, reviews.third))
    runs = [reviews.reviewing(one) for one in (reviews.first, reviews.second, reviews.third)]
    assert [one.model for one in runs] == ["small", "mid", "big"]
    assert executor(stage, runs[0]) == {"form": "cross_model", "model": "small", "author": "big"}
    assert executor(stage, runs[1])["model"] == "mid" and "form" not in executor(stage, runs[1])
    assert stage.launcher.orders[runs[0].id].model == "small"


@pytest.mark.proves("A-32")
def test_whose_own_default_made_the_work_names_no_other(stage: Stage) -> None:
    """What nobody told it to use is not known."""
    reviews = Reviews(stage)
    uses(stage, reviews.first, "big", "small")
    reviews.handed_in(review(reviews.first))
    assert reviews.reviewing(reviews.first).model == "big"


@pytest.mark.proves("A-32", "A-28")
def test_merged_work_is_looked_at_with_another_model_too(stage: Stage) -> None:
    work = MergedWork(stage)
    uses(stage, work.worker, "big")
    uses(stage, work.first, "big", "small")
    uses(stage, work.second, "big")
    work.merged(a="one")
    work.look()
    assert work.reviewing(work.first).model == "small"
    assert work.reviewing(work.second).model == "big", "it has no other"
    work.with_role(work.third, Role.REVIEWER)
    uses(stage, work.third, "mid")
    with stage.ground.reader.snapshot() as view:
        there = [one for one, _ in panels.able(view, work.workspace.id, {"big"})]
    seats = [one for one in there if one in (work.first.id, work.second.id, work.third.id)]
    assert seats == [work.first.id, work.third.id, work.second.id]

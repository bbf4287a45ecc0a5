"""An agent that works past its soft limit is asked how it stands, in the middle of its turn."""

from datetime import timedelta

import pytest
from engine_reviews import Reviews, review
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import control
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import RunStatus
from roundtable_desktop.rules.capabilities import CAPABILITIES, may, purpose_of


def tools(stage: Stage, run: Run) -> tuple[Agency, Holder]:
    about = {"task_id": run.task_id, "workspace_id": run.workspace_id}
    holder = Holder(run_id=run.id, agent_id=run.agent_id, **about)
    return Agency(stage.desk, stage.ground.reader), holder


def comes(stage: Stage, run: Run, which: str) -> None:
    stage.spool(run).say("deadline", which=which)
    stage.consume(run)


@pytest.mark.proves("A-22")
def test_at_the_soft_limit_it_is_asked_once_and_goes_on(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    agency, holder = tools(stage, run)
    assert agency.notice(holder) is None
    comes(stage, run, "soft")
    asked = agency.notice(holder)
    assert asked and "task_progress" in asked
    assert agency.notice(holder) is None, "it is asked once"
    agency.progress(holder, "The lexer is done; the parser is next.", 50, None)
    assert stage.ground.get_run(run.id).status is RunStatus.RUNNING
    assert stage.ground.kinds()[-1] == "task.progress"
    comes(stage, run, "soft")
    assert agency.notice(holder) == asked, "it worked on, and the limit came again"
    stage.leave(run, b="b")
    ended = stage.finish(run, result={"status": "completed"})
    assert (ended.outcome, stage.ground.get_task(task.id).status) == ("done", "in_review")


@pytest.mark.proves("A-22")
def test_other_limits_ask_nothing(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    agency, holder = tools(stage, run)
    comes(stage, run, "silence")
    assert agency.notice(holder) is None


@pytest.mark.proves("A-22", "N-10 checkpoint", "K-71")
def test_a_reviewer_is_asked_with_the_tools_that_it_has(stage: Stage) -> None:
    reviews = Reviews(stage)
    reviews.handed_in(review(reviews.first))
    run = reviews.reviewing(reviews.first)
    agency, holder = tools(stage, run)
    comes(stage, run, "soft")
    asked = agency.notice(holder)
    control.leave(stage.desk, ASKED, stage.clock.now() + timedelta(minutes=10))
    leaving, purpose = agency.notice(holder), purpose_of(run.task_id, run.gate_id)
    for told in (asked, leaving):
        assert told and "vote_cast" in told
        assert [one for one in CAPABILITIES if one in told and not may(one, purpose)] == []

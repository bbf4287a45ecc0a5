"""Work of a mission that came back and was done again holds its end up no more."""

import pytest
from engine_missions import Crew
from engine_reviews import approval
from engine_stage import ASKED, Stage
from mission_stage import offer

from roundtable_desktop.engine.desk import missions_control, pausing, proposals, verdicts
from roundtable_desktop.model.gates import Word
from roundtable_desktop.model.missions import MissionOutcome, MissionState
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.model.states import ProposalStatus, TaskStatus


@pytest.mark.proves("R-13", "R-14", "A-28")
def test_a_proposal_that_a_newer_one_followed_is_over(stage: Stage) -> None:
    crew = Crew(stage)
    crew.open()
    task = crew.task(write_area=["a.txt"], gates=(approval(),))
    crew.turn()
    crew.end(crew.run_of(task), a="first\n")
    [first] = stage.proposals(task)
    verdicts.cast(stage.desk, ASKED, first.id, Word.REVISE, "Say more.")
    crew.look()
    assert crew.mission.state is MissionState.ACTIVE, "it is asked for, and not there yet"
    stage.clock.forward(seconds=60)
    crew.turn()
    crew.end(crew.run_of(task), a="second\n")
    first, second = stage.proposals(task)
    assert first.status is ProposalStatus.REVISION_REQUESTED
    verdicts.cast(stage.desk, ASKED, second.id, Word.APPROVE, "")
    stage.deliver()
    assert crew.now(task).status is TaskStatus.DONE
    crew.look()
    ended = crew.mission
    assert (ended.state, ended.outcome) == (MissionState.COMPLETED, MissionOutcome.COMPLETED)


@pytest.mark.proves("A-26")
@pytest.mark.parametrize("coordinated", [False, True], ids=["nobody", "somebody paused"])
def test_changes_that_nobody_hears_of_pause_the_mission_until_a_person_goes_on(
    stage: Stage, coordinated: bool
) -> None:
    crew = Crew(stage, coordinated=coordinated)
    crew.open()
    first = crew.task("First")
    crew.turn()
    while crew.live():
        run = crew.live()[0]
        crew.end(run, **({"a": "one"} if run.task_id == first.id else {}))
        crew.turn()
    assert crew.mission.state is MissionState.COMPLETED
    offer(stage)
    (offered,) = stage.proposals(crew.root)
    if crew.chair is not None:
        pausing.pause(stage.desk, ASKED, crew.chair.id)
    proposals.request_changes(stage.desk, ASKED, offered.id, "It lacks a test")
    crew.turn()
    assert crew.mission.state is MissionState.PAUSED_INTAKE, "not over again with the same"
    assert [one.status for one in stage.proposals(crew.root)] == ["revision_requested"]
    more = crew.task("Its test", crew.agents[0])
    missions_control.on(stage.desk, ASKED, crew.id, RunAction.RESUME)
    crew.turn()
    assert crew.run_of(more)

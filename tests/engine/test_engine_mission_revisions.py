"""Work of a mission that came back and was done again holds its end up no more."""

import pytest
from engine_missions import Crew
from engine_reviews import approval
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import verdicts
from roundtable_desktop.model.gates import Word
from roundtable_desktop.model.missions import MissionOutcome, MissionState
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

"""Work that waits to be merged gives way to newer work on the same task."""

import pytest
from engine_stage import ASKED, Stage
from mission_stage import DONE, OnMission
from test_engine_straying import stands, worked

from roundtable_desktop.engine.desk import tasks
from roundtable_desktop.model.states import ProposalStatus, TaskStatus


@pytest.mark.proves("A-26", "C-97")
def test_what_an_agent_took_back_while_its_work_waited_is_not_merged(stage: Stage) -> None:
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"])
    second = here.task("Two", write_area=["two.txt"])
    run, other = here.begun(first), here.begun(second)
    strays = worked(here, first, run, {"one.txt": "1\n", "two.txt": "of one\n"})
    stage.deliver()
    assert stands(here, strays) is ProposalStatus.APPROVED
    tasks.comment(stage.desk, ASKED, first.id, "Leave two.txt alone, please")
    again = stage.launch()
    assert again.task_id == first.id
    (stage.copy(again) / "two.txt").unlink()
    stage.finish(again, result=DONE)
    newer = stage.proposals(first)[-1]
    assert newer.id != strays.id and [one["path"] for one in newer.files] == ["one.txt"]
    stage.finish(other, result=DONE)
    stage.deliver()
    stage.deliver()
    assert stands(here, strays) is ProposalStatus.SUPERSEDED
    assert stands(here, newer) is ProposalStatus.MERGED
    assert here.now(first).status is TaskStatus.DONE
    assert here.files(here.branch) == ["a.txt", "one.txt"]


@pytest.mark.proves("A-26", "C-97")
@pytest.mark.parametrize("first_ended", [True, False])
def test_work_that_a_word_did_not_change_is_merged_all_the_same(
    stage: Stage, first_ended: bool
) -> None:
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"])
    second = here.task("Two", write_area=["two.txt"])
    run, other = here.begun(first), here.begun(second)
    worked(here, first, run, {"one.txt": "1\n", "two.txt": "of one\n"})
    stage.deliver()
    tasks.comment(stage.desk, ASKED, first.id, "Is that right?")
    again = stage.launch()
    for one in (again, other) if first_ended else (other, again):
        stage.finish(one, result=DONE)
        stage.deliver()
    stage.deliver()
    assert here.now(first).status is TaskStatus.DONE
    assert here.files(here.branch) == ["a.txt", "one.txt", "two.txt"]

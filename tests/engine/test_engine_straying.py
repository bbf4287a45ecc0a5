"""Work of a mission beyond what its task may write is told, and merged behind its owner's."""

from collections.abc import Mapping
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from mission_stage import DONE, OnMission
from test_engine_doable import look_at
from test_engine_renewed import client

from roundtable_desktop.dashboard.api.proposals import outside
from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.phrases import sentence


def worked(
    here: OnMission, task: Task, run: Run | None, files: Mapping[str, str] | None = None
) -> Proposal:
    """Its run changed these paths and is settled; nothing is merged yet."""
    stage, run = here.stage, run or here.begun(task)
    for path, text in (files or {}).items():
        file = stage.copy(run) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    stage.finish(run, result=DONE)
    return stage.proposals(task)[-1]


def stands(here: OnMission, proposal: Proposal) -> ProposalStatus:
    return here.stage.proposals_of(proposal).status


def told(here: OnMission) -> list[Any]:
    return [one.data for one in here.stage.ground.events() if one.kind == Kind.PROPOSAL_STRAYED]


def shown(here: OnMission, proposal: Proposal) -> Any:
    look = look_at(here.stage)
    return outside(look.with_diff(look.proposal(proposal.id)))


def why(here: OnMission, task: Task) -> str:
    now = here.now(task)
    with here.stage.ground.reader.snapshot() as view:
        told = explain.of_task(view, now, here.stage.clock.now())
    return sentence(told.code, told.values)


def comments(here: OnMission, task: Task) -> list[str]:
    return [one["text"] for one in here.stage.ground.rows("comments") if one["task_id"] == task.id]


@pytest.mark.proves("A-14", "A-26")
def test_work_that_strays_into_the_area_of_who_is_at_work_is_merged_behind_it(
    stage: Stage,
) -> None:
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"])
    second = here.task("Two", write_area=["two.txt"])
    run, other = here.begun(first), here.begun(second)
    strays = worked(here, first, run, {"one.txt": "1\n", "two.txt": "of one\n"})
    stage.deliver()
    assert stands(here, strays) is ProposalStatus.APPROVED, "who may write it is at work"
    said = shown(here, strays)
    assert said.paths == ["two.txt"] and said.of_task_ids == [second.id]
    assert said.after_task_id == second.id and f"after T-{second.number}" in said.sentence
    page = client(stage).get(f"/proposals/{strays.id}").get_data(as_text=True)
    assert (
        said.sentence in page and "changes files that its task was not to change: two.txt" in page
    )
    assert [one["paths"] for one in told(here)] == [["two.txt"]]
    assert f"T-{first.number} (One)" in comments(here, second)[0]
    stage.restart()
    stage.play()
    assert stands(here, strays) is ProposalStatus.APPROVED, "nor by a restart"
    theirs = worked(here, second, other, {"three.txt": "3\n"})
    assert [one["of"] for one in told(here)][1:] == [[]], "nobody else's"
    assert stands(here, theirs) is ProposalStatus.APPROVED
    stage.deliver()
    stage.deliver()
    assert {here.now(one).status for one in (first, second)} == {TaskStatus.DONE}
    assert here.shown("two.txt") == "of one" and shown(here, strays).after_task_id is None


@pytest.mark.proves("A-14", "A-26")
def test_what_its_owner_proposes_is_on_the_branch_before_what_strays(stage: Stage) -> None:
    here = OnMission(stage)
    first, second = here.task("One", write_area=["one.txt"]), here.task("Two", write_area=["lib/"])
    run, other = here.begun(first), here.begun(second)
    strays = worked(here, first, run, {"one.txt": "1\n", "lib/a.txt": "a\n"})
    theirs = worked(here, second, other, {"lib/b.txt": "b\n"})
    stage.deliver()
    stage.deliver()
    assert {stands(here, one) for one in (strays, theirs)} == {ProposalStatus.MERGED}
    merged = [one for one in stage.ground.events() if one.kind == Kind.MERGE_COMPLETED]
    assert [one.data["proposal_id"] for one in merged] == [theirs.id, strays.id]


@pytest.mark.proves("A-26")
def test_two_that_stray_into_each_other_do_not_wait_for_each_other(stage: Stage) -> None:
    here = OnMission(stage)
    first, second = here.task("One", write_area=["one/"]), here.task("Two", write_area=["two/"])
    run, other = here.begun(first), here.begun(second)
    made = [
        worked(here, first, run, {"one/a.txt": "1\n", "two/b.txt": "1\n"}),
        worked(here, second, other, {"two/a.txt": "2\n", "one/b.txt": "2\n"}),
    ]
    stage.deliver()
    assert [stands(here, one) for one in made] == [ProposalStatus.MERGED] * 2


@pytest.mark.proves("A-26")
def test_who_has_not_begun_reads_what_was_changed_in_its_area(stage: Stage) -> None:
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"], expected_files=["notes/one.md"])
    second, third = here.task("Two", write_area=["two/**"]), here.task("Three")
    files = {"one.txt": "1\n", "notes/one.md": "n\n", "two/deep/x.py": "x\n", "else.txt": "e\n"}
    made = worked(here, first, None, files)
    stage.deliver()
    assert stands(here, made) is ProposalStatus.MERGED, "it begins from what is merged"
    assert told(here)[0]["paths"] == ["else.txt", "two/deep/x.py"]
    assert told(here)[0]["of"] == [second.id]
    assert comments(here, third) == [], "nobody said what it may write"
    run = here.begun(second)
    assert "two/deep/x.py" in (run.assembled_prompt or "")
    stage.finish(run, result=DONE)


@pytest.mark.proves("A-26")
def test_work_within_its_area_is_told_of_as_ever(stage: Stage) -> None:
    here = OnMission(stage)
    within = worked(here, here.task("One", write_area=["src/", "*.md"]), None, {"src/a.py": "1\n"})
    free = worked(here, here.task("Two"), None, {"b.py": "1\n"})
    loose = stage.task(here.home, here.worker, title="Loose", write_area=["z"])
    alone = worked(here, loose, None, {"c.py": "1\n"})
    assert told(here) == [] and [shown(here, one) for one in (within, free, alone)] == [None] * 3


@pytest.mark.proves("A-26", "K-09")
def test_who_moves_a_task_whose_work_waits_for_another_run_is_told_for_which(stage: Stage) -> None:
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"])
    second = here.task("Two", write_area=["two.txt"])
    run, other = here.begun(first), here.begun(second)
    strays = worked(here, first, run, {"two.txt": "of one\n"})
    stage.deliver()
    with pytest.raises(Conflict) as refused:
        board.move(stage.desk, ASKED, first.id, TaskStatus.CANCELLED)
    assert (refused.value.code, refused.value.values["other"]) == ("delivery_waits", second.number)
    said = why(here, first)
    assert f"merged after T-{second.number}" in said and "waits for you" not in said
    stage.finish(other, result=DONE)
    assert why(here, first) == "Its work is being delivered."
    stage.deliver()
    assert stands(here, strays) is ProposalStatus.MERGED


@pytest.mark.proves("A-26")
def test_nobody_is_said_to_be_told_who_is_not(stage: Stage) -> None:
    """One whose work is in review has nothing left to do, and reads nothing of it."""
    here = OnMission(stage)
    first = here.task("One", write_area=["one.txt"])
    second = here.task("Two", write_area=["two.txt"])
    run = here.begun(first)
    worked(here, second, None, {"two.txt": "2\n"})
    strays = worked(here, first, run, {"one.txt": "1\n", "two.txt": "of one\n"})
    said = shown(here, strays)
    assert said.of_task_ids == [second.id] and comments(here, second) == []
    assert "told" not in said.sentence and f"T-{second.number}" in said.sentence

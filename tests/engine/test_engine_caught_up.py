"""A retry of a mission's task begins at the newest merged work where nothing had been changed."""

import pytest
from engine_stage import Stage
from mission_stage import DONE, OnMission
from test_engine_delivery import Killed

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import ProposalStatus

FAILED = {"status": "failed", "summary": "No.", "error": {"kind": "task_failed", "text": "No."}}


def head(here: OnMission) -> str:
    return str(here.stage.folders.plain("rev-parse", here.branch))


def again(here: OnMission, run: Run) -> Run:
    """Its attempt failed, and the next one began."""
    here.stage.finish(run, result=FAILED)
    return here.stage.launch()


@pytest.mark.proves("A-26", "A-30")
@pytest.mark.parametrize("strategy", [WorkspaceStrategy.ISOLATED_COPY, WorkspaceStrategy.WORKTREE])
def test_a_retry_without_a_change_begins_at_the_newest_merged_work(
    stage: Stage, strategy: WorkspaceStrategy
) -> None:
    here = OnMission(stage)
    task = here.task("One", workspace_strategy=strategy)
    first = here.begun(task)
    (stage.copy(first) / ".gitignore").touch()
    (stage.copy(first) / ".gitignore").unlink()
    here.merged(here.task("Two"), b="b\n")
    second = again(here, first)
    assert second.base_commit == head(here) != first.base_commit
    assert stage.copy(second) == stage.copy(first), "it is the same copy"
    assert (stage.copy(second) / "b.txt").read_text() == "b\n"
    here.merged(here.task("Three"), c="c\n")
    third = again(here, second)
    assert third.base_commit == head(here) and (stage.copy(third) / "c.txt").exists()
    stage.leave(third, d="d\n")
    stage.finish(third, result=DONE)
    (made,) = stage.proposals(task)
    assert [one["path"] for one in made.files] == ["d.txt"], "and it takes nothing back"
    stage.deliver()
    assert stage.proposals_of(made).status is ProposalStatus.MERGED
    assert here.files() == ["a.txt", "b.txt", "c.txt", "d.txt"]


@pytest.mark.proves("A-26")
def test_what_an_attempt_changed_keeps_the_commit_that_it_began_at(stage: Stage) -> None:
    here = OnMission(stage)
    first = here.begun(here.task("One"))
    stage.leave(first, half="half\n")
    here.merged(here.task("Two"), b="b\n")
    second = again(here, first)
    assert second.base_commit == first.base_commit
    assert (stage.copy(second) / "half.txt").exists()
    assert not (stage.copy(second) / "b.txt").exists()


@pytest.mark.proves("A-26")
def test_a_kill_between_the_move_and_its_note_takes_nothing_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = OnMission(stage)
    task = here.task("One")
    first = here.begun(task)
    here.merged(here.task("Two"), b="b\n")
    stage.finish(first, result=FAILED)
    move = type(stage.git).move_copy

    def killed(*words: object, **more: object) -> None:
        move(*words, **more)  # type: ignore[arg-type]
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(type(stage.git), "move_copy", killed)
        stage.launch()
    stage.restart()
    stage.play()
    second = stage.launch()
    assert second.base_commit == head(here)
    stage.leave(second, d="d\n")
    stage.finish(second, result=DONE)
    (made,) = stage.proposals(task)
    assert [one["path"] for one in made.files] == ["d.txt"]

"""What an attempt left: there for the next one, and for a person who wants it."""

from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.engine.desk import recovering, tasks
from roundtable_desktop.engine.desk.look_copies import LookCopies
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import RunStatus, TaskStatus


def recovered(stage: Stage, run: Run) -> Proposal:
    look = LookCopies(stage.ground.reader, stage.clock, stage.git, stage.folders.copies)
    return recovering.recover(stage.desk, ASKED, run.id, look.folder_of(run))


def failed(stage: Stage, **files: str) -> Run:
    stage.assigned(retry_budget=0)
    run = stage.launch()
    stage.leave(run, **files)
    stage.finish(run, code=1)
    return stage.ground.get_run(run.id)


@pytest.mark.proves("A-26 recovery")
def test_the_files_of_a_failed_run_are_recovered_by_hand(stage: Stage) -> None:
    run = failed(stage, b="half\n")
    assert run.status is RunStatus.FAILED and run.task_id is not None
    task = stage.ground.get_task(run.task_id)
    assert stage.proposals(task) == []
    proposal = recovered(stage, run)
    assert [one["path"] for one in proposal.files] == ["b.txt"]
    assert stage.ground.get_task(task.id) == task, "the run's task stays as it is"
    own = stage.ground.get_task(proposal.task_id)
    assert (own.status, own.title) == (TaskStatus.IN_REVIEW, "Recovered: Do it")
    with pytest.raises(Conflict, match="proposed_already"):
        recovered(stage, run)
    stage.ask_deliver(proposal)
    stage.deliver()
    assert stage.folders.shown("b.txt") == "half"
    assert stage.ground.get_task(own.id).status is TaskStatus.DONE


@pytest.mark.proves("A-26 recovery")
def test_what_a_run_without_a_task_left_is_held_for_a_look(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    stage.wake(agent, "look around")
    run = stage.launch()
    stage.leave(run, notes="n\n")
    stage.finish(run, result={"status": "completed"})
    proposal = recovered(stage, stage.ground.get_run(run.id))
    assert proposal.held == {"code": "left_by_a_run"}
    assert [one["path"] for one in proposal.files] == ["notes.txt"]
    stage.ask_deliver(proposal, override=True, note="looked")
    stage.deliver()
    assert stage.folders.shown("notes.txt") == "n"


@pytest.mark.proves("A-26 recovery", "B-123")
@pytest.mark.parametrize("moved", [False, True])
def test_recovered_work_is_in_the_copy_of_who_brings_it_onto_the_branch(
    stage: Stage, moved: bool
) -> None:
    run = failed(stage, b="half\n")
    proposal = recovered(stage, run)
    task = tasks.assign(stage.desk, ASKED, proposal.task_id, run.agent_id)
    if moved:
        (Path(stage.folders.repo) / "a.txt").write_text("further\n")
        stage.folders.plain("update-ref", "refs/heads/main", stage.folders.commit())
    desk_proposals.rebase(stage.desk, ASKED, proposal.id)
    again = stage.launch()
    assert again.task_id == task.id and again.base_commit == stage.folders.plain(
        "rev-parse", "main"
    )
    assert (stage.copy(again) / "b.txt").read_text() == "half\n"
    assert (stage.copy(again) / "a.txt").read_text() == ("further\n" if moved else "a\n")
    stage.leave(again, c="more\n")
    stage.finish(again, result={"status": "completed"})
    anew = stage.proposals(task)[-1]
    assert [one["path"] for one in anew.files] == ["b.txt", "c.txt"]


@pytest.mark.proves("A-26 recovery")
def test_nothing_is_recovered_that_is_not_there_or_still_worked_on(stage: Stage) -> None:
    run = failed(stage)
    with pytest.raises(Conflict, match="run_left_nothing"):
        recovered(stage, run)
    assert run.task_id is not None
    stage.ask_run(stage.ground.get_task(run.task_id))
    again = stage.launch()
    for one in (run, again):
        with pytest.raises(Conflict, match="run_lives"):
            recovered(stage, one)
    stage.leave(again, c="c\n")
    stage.finish(again, code=1)
    with pytest.raises(Conflict, match="not_the_last_attempt"):
        recovered(stage, run)
    assert recovered(stage, again).status == "pending"


@pytest.mark.proves("B-116")
def test_unsaved_edits_are_there_for_the_second_wake_after_a_restart(stage: Stage) -> None:
    run = failed(stage, b="line\n" * 200)
    before = stage.folders.plain("status", "--porcelain"), stage.folders.plain("rev-parse", "HEAD")
    stage.restart()
    assert run.task_id is not None
    stage.ask_run(stage.ground.get_task(run.task_id))
    again = stage.launch()
    copy = stage.copy(again)
    assert copy == stage.copy(run) and (copy / "b.txt").read_text() == "line\n" * 200
    assert not copy.is_relative_to(stage.folders.repo)
    after = stage.folders.plain("status", "--porcelain"), stage.folders.plain("rev-parse", "HEAD")
    assert before == after


@pytest.mark.proves("B-120")
def test_a_copy_begins_where_the_branch_of_the_task_is(stage: Stage) -> None:
    """`dev` is checked out, three commits ahead of what its remote has."""
    git = stage.folders.plain
    git("update-ref", "refs/remotes/origin/main", "main")
    git("checkout", "-q", "-b", "dev", "main")
    for number in range(3):
        (Path(stage.folders.repo) / "a.txt").write_text(f"{number}\n")
        dev = stage.folders.commit()
    stage.assigned(base_branch="dev")
    run: Any = stage.launch()
    assert (stage.copy(run) / ".git/HEAD").read_text().strip() == dev
    assert run.base_commit == dev
    assert (stage.copy(run) / "a.txt").read_text() == "2\n"


@pytest.mark.proves("C-55")
def test_a_run_that_is_only_to_look_changes_nothing_and_that_is_told(stage: Stage) -> None:
    task = stage.assigned(workspace_strategy=WorkspaceStrategy.MAIN)
    before = stage.folders.plain("for-each-ref"), stage.folders.plain("status", "--porcelain")
    run = stage.launch()
    copy = stage.copy(run)
    assert not copy.is_relative_to(stage.folders.repo)
    stage.leave(run, a="changed\n", new="new\n")
    stage.finish(run, code=1)
    stage.clock.forward(minutes=1)
    again = stage.launch()
    assert stage.copy(again) == copy and (copy / "a.txt").read_text() == "a\n"
    assert not (copy / "new.txt").exists()
    stage.leave(again, a="again\n")
    stage.finish(again, result={"status": "completed", "summary": "All is well."})
    assert stage.proposals(task) == []
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    look = LookCopies(stage.ground.reader, stage.clock, stage.git, stage.folders.copies)
    assert look.discarded(run) == ["a.txt", "new.txt"]
    assert look.discarded(again) == ["a.txt"]
    refs = stage.folders.plain("for-each-ref", "--format=%(objectname) commit\t%(refname)")
    ours = [line for line in refs.splitlines() if "refs/roundtable/base/" not in line]
    after = "\n".join(ours), stage.folders.plain("status", "--porcelain")
    assert after == before
    stage.clock.forward(days=8)
    Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies).free()
    assert not copy.exists(), "nothing in it is wanted"

"""What agents read of the repository without a copy, and patches that they hand in."""

from typing import Any

import pytest
from engine_stage import Stage

from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import ProposalStatus, TaskStatus

DONE = {"status": "completed"}
PATCH = (
    "diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n"
)


def holder_of(run: Run) -> Holder:
    return Holder(
        run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
    )


def agency(stage: Stage) -> Agency:
    return Agency(stage.desk, stage.ground.reader, hidden=("hunter2",))


def submit(stage: Stage, run: Run, text: str = "by patch", base: str | None = None) -> Any:
    given = f"{PATCH}+{text}\n"
    return agency(stage).patches.submit(holder_of(run), given, base, "Adds it. hunter2", None)


def later(stage: Stage, name: str, text: str) -> str:
    """A newer commit of `main`."""
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / name).write_text(text)
    commit = stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    return commit


@pytest.mark.proves("R-21", "S-67")
def test_a_patch_is_proposed_when_its_run_ends_well(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    handed = submit(stage, run)
    assert (handed["status"], handed["base_commit"]) == ("submitted", run.base_commit)
    assert handed["files"] == [{"path": "n.txt", "status": "A"}]
    assert stage.proposals(task) == []
    shown: Any = agency(stage).get_proposal(holder_of(run), handed["id"])
    assert shown["head_commit"] == handed["head_commit"]
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert (proposal.id, proposal.head_commit) == (handed["id"], handed["head_commit"])
    assert proposal.base_commit == run.base_commit
    assert [one["path"] for one in proposal.files] == ["n.txt"]
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    stage.ask_deliver(proposal)
    stage.deliver()
    assert stage.folders.shown("n.txt") == "by patch"
    message = stage.folders.plain("log", "-1", "--format=%B", "main")
    assert "Adds it." in message and "hunter2" not in message and run.id in message


@pytest.mark.proves("R-21")
def test_the_last_patch_counts_and_what_the_copy_holds_stays_there(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, mine="in the copy")
    first, second = submit(stage, run, "one"), submit(stage, run, "two")
    assert first["id"] == second["id"] and first["head_commit"] != second["head_commit"]
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert proposal.head_commit == second["head_commit"]
    assert (stage.copy(run) / "mine.txt").read_text() == "in the copy"


def test_the_same_patch_twice_is_the_same_commit(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    assert submit(stage, run) == submit(stage, run)


@pytest.mark.parametrize("end", ["failed", "lost"])
def test_a_patch_of_a_run_that_ends_otherwise_is_not_proposed(stage: Stage, end: str) -> None:
    task = stage.assigned()
    run = stage.launch()
    submit(stage, run)
    if end == "failed":
        error = {"kind": "task_failed", "text": "no"}
        stage.finish(run, result={"status": "failed", "error": error})
    else:
        stage.spool(run).locked = False
        stage.consume(run)
        stage.play()
    assert stage.proposals(task) == []


def test_a_patch_survives_a_restart_of_the_owner(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    handed = submit(stage, run)
    stage.restart()
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert proposal.id == handed["id"] and proposal.status is ProposalStatus.PENDING


def test_a_patch_stands_on_the_runs_base_or_on_the_newest_commit(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    newest = later(stage, "other.txt", "later")
    assert submit(stage, run, base=newest)["base_commit"] == newest
    for alien in ("0" * 40, stage.folders.plain("rev-parse", "main^{tree}")):
        with pytest.raises(Invalid, match="unknown_base"):
            submit(stage, run, base=alien)
    stage.finish(run, result=DONE)
    assert stage.proposals(task)[0].base_commit == newest


def test_who_only_looks_or_has_no_task_hands_in_nothing(stage: Stage) -> None:
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    stage.task(workspace, agent, workspace_strategy=WorkspaceStrategy.MAIN)
    looks = stage.launch()
    with pytest.raises(Conflict, match="only_looks"):
        submit(stage, looks)
    stage.finish(looks, result=DONE)
    with pytest.raises(Absent, match="run_access_over"):
        submit(stage, looks)
    stage.wake(agent)
    with pytest.raises(Absent, match="no_own_task"):
        submit(stage, stage.launch())


@pytest.mark.proves("S-67")
def test_a_patch_that_reaches_outside_leaves_no_mark(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    before = stage.everything()
    for path in ("../n.txt", ".git/config", "/etc/n.txt"):
        given = PATCH.replace("n.txt", path) + "+evil\n"
        with pytest.raises(Invalid):
            agency(stage).patches.submit(holder_of(run), given, None, "", None)
    assert stage.everything() == before


# --- reading ------------------------------------------------------------------------------------


def test_an_agent_reads_the_repository_at_its_base_or_at_the_newest(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    later(stage, "later.txt", "needle")
    look, holder = agency(stage).repository, holder_of(run)
    top: Any = look.read(holder, "", 0, 100, False)
    assert top["commit"] == run.base_commit and top["complete"]
    assert "later.txt" not in [one["path"] for one in top["entries"]]
    now: Any = look.read(holder, "./later.txt", 0, 100, True)
    assert (now["text"], now["next_offset"], now["kind"]) == ("needle", None, "file")
    with pytest.raises(Absent, match="no_such_path"):
        look.read(holder, "later.txt", 0, 100, False)
    for bad in ("../x", "/etc/passwd", "a//b", "a\nb"):
        with pytest.raises((Invalid, Absent), match="no_such_path"):
            look.read(holder, bad, 0, 100, False)
    found: Any = look.search(holder, "needle", "", False, 10, True)
    assert [one["path"] for one in found["lines"]] == ["later.txt"]
    assert look.search(holder, "needle", "", False, 10, False)["lines"] == []
    stage.finish(run, result=DONE)
    with pytest.raises(Absent, match="run_access_over"):
        look.read(holder, "", 0, 100, False)

"""Runs in a linked working tree: what the agent moved is told, whatever became of the run."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.engine.desk import settings as desk_settings
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.engine.desk.look_copies import LookCopies
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import Blocked
from roundtable_desktop.model.records import InboxItem, Run, Task
from roundtable_desktop.model.states import DeliveryMode, InboxStatus, Severity
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import lists

WORKTREE = WorkspaceStrategy.WORKTREE


def begun(stage: Stage, **changes: Any) -> tuple[Task, Run]:
    task = stage.assigned(workspace_strategy=WORKTREE, **changes)
    return task, stage.launch()


def by_agent(stage: Stage, run: Run, *words: str) -> None:
    order = stage.launcher.orders[run.id]
    subprocess.run(
        ["git", *words],
        cwd=order.cwd,
        env={**order.environment, "HOME": str(stage.folders.user), "PATH": os.environ["PATH"]},
        check=True,
        timeout=60,
    )


def items(stage: Stage) -> list[InboxItem]:
    with stage.ground.reader.snapshot() as view:
        return list(lists.page(view, lists.INBOX, after=None, limit=50))


def told(stage: Stage, run: Run) -> dict[str, Any]:
    look = LookCopies(stage.ground.reader, stage.clock, stage.git, stage.folders.copies)
    return {str(one["name"]): one for one in look.moved(run)}


def note(stage: Stage, run: Run) -> Path:
    copy = stage.copy(run)
    return copy.with_name(copy.name + ".noted") / run.id


DONE = {"status": "completed"}


@pytest.mark.proves("C-100 worktree", "A-19")
def test_work_in_a_linked_tree_is_delivered_as_any_other(stage: Stage) -> None:
    task, run = begun(stage, delivery=DeliveryMode.AUTO)
    copy = stage.copy(run)
    assert stage.folders.plain("-C", str(copy), "rev-parse", "elsewhere") == run.base_commit
    assert str(copy) in stage.folders.plain("worktree", "list")
    assert note(stage, run).exists()
    stage.leave(run, b="b\n")
    stage.finish(run, result=DONE)
    stage.deliver()
    assert stage.folders.shown("b.txt") == "b"
    assert (items(stage), told(stage, run), note(stage, run).exists()) == ([], {}, False)
    stage.clock.forward(days=8)
    Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies).free()
    assert not copy.exists() and stage.folders.plain("worktree", "list").count("\n") == 0
    assert stage.ground.get_task(task.id).workspace_strategy is WORKTREE


@pytest.mark.proves("C-100 worktree", "S-65")
def test_a_branch_that_the_agent_moved_is_named_and_the_work_waits(stage: Stage) -> None:
    task, run = begun(stage, delivery=DeliveryMode.AUTO)
    old = stage.folders.plain("rev-parse", "elsewhere")
    stage.leave(run, b="b\n")
    by_agent(stage, run, "commit", "-q", "--allow-empty", "-m", "x")
    new = stage.folders.plain("-C", str(stage.copy(run)), "rev-parse", "HEAD")
    by_agent(stage, run, "update-ref", "refs/heads/elsewhere", new)
    by_agent(stage, run, "branch", "mine")
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert proposal.held is not None and proposal.held["code"] == "users_refs_changed"
    assert proposal.status == "pending", "no rule delivers it"
    (item,) = items(stage)
    assert item.severity is Severity.ATTENTION and item.subject_id == run.id
    said = sentence(item.code, item.data)
    assert "refs/heads/elsewhere" in said and "Nothing was put back" in said
    ref = told(stage, run)["refs/heads/elsewhere"]
    assert (ref["old"], ref["new"], ref["by"]) == (old, new, "agent")
    assert told(stage, run)["refs/heads/mine"]["old"] is None
    assert stage.folders.plain("rev-parse", "elsewhere") == new, "we move nothing back"
    subprocess.run(ref["command"], shell=True, check=True, timeout=60)
    assert stage.folders.plain("rev-parse", "elsewhere") == old
    with pytest.raises(Blocked, match="users_refs_changed"):
        stage.ask_deliver(proposal)
    stage.ask_deliver(proposal, override=True, note="looked at it")
    stage.deliver()
    assert stage.folders.shown("b.txt") == "b"
    answered = desk_inbox.act(stage.desk, ASKED, item.id, "seen")
    assert answered.status is InboxStatus.RESOLVED


@pytest.mark.proves("C-100 worktree")
def test_a_branch_that_is_only_there_more_holds_nothing(stage: Stage) -> None:
    task, run = begun(stage)
    by_agent(stage, run, "switch", "-q", "-c", "work")
    stage.leave(run, b="b\n")
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert proposal.held is None
    (item,) = items(stage)
    assert item.severity is Severity.INFO and list(told(stage, run)) == ["refs/heads/work"]


@pytest.mark.proves("C-100 worktree", "S-65")
@pytest.mark.parametrize("how", ["failed", "lost", "after a restart", "stopped"])
def test_it_is_told_however_the_run_ends(stage: Stage, how: str) -> None:
    _, run = begun(stage, retry_budget=0)
    by_agent(stage, run, "config", "core.fsmonitor", "/bin/false")
    (stage.folders.repo / ".git/hooks").mkdir(exist_ok=True)
    (stage.folders.repo / ".git/hooks/post-merge").write_text("#!/bin/sh\n")
    if how == "lost":
        stage.spool(run).locked = False
        stage.consume(run)
        stage.play()
    elif how == "after a restart":
        stage._say_end(run, result=DONE)
        stage.restart()
        stage.consume(run)
        stage.play()
    elif how == "stopped":
        stage.finish(run, why="cancelled", code=None)
    else:
        stage.finish(run, code=1)
    assert stage.ground.get_run(run.id).ended_at is not None
    names = {Path(name).name: one for name, one in told(stage, run).items()}
    assert set(names) == {"config", "post-merge"}
    assert names["config"]["keys"] == ["core.fsmonitor"]
    found = [item for item in items(stage) if item.kind == "config_changed"]
    assert [item.severity for item in found] == [Severity.ATTENTION]
    assert note(stage, run).exists(), "the way back is kept"
    for one in names.values():
        subprocess.run(one["command"], shell=True, check=True, timeout=60)
    assert "fsmonitor" not in (stage.folders.repo / ".git/config").read_text()
    assert not list((stage.folders.repo / ".git/hooks").glob("post-merge"))


@pytest.mark.proves("C-100 worktree")
def test_without_a_note_nobody_says_that_nothing_changed(stage: Stage) -> None:
    task, run = begun(stage)
    stage.git.forget_note(str(stage.copy(run)), run.id)
    stage.leave(run, b="b\n")
    stage.finish(run, result=DONE)
    (proposal,) = stage.proposals(task)
    assert proposal.held == {"code": "repository_not_compared"}


@pytest.mark.proves("C-100 worktree")
def test_where_new_tasks_work_is_a_setting_and_the_copy_apart_is_the_default(
    stage: Stage,
) -> None:
    workspace = stage.workspace()
    first = stage.task(workspace)
    assert first.workspace_strategy is WorkspaceStrategy.ISOLATED_COPY
    desk_settings.change_in(stage.desk, ASKED, workspace.id, {"workspace_strategy": "worktree"})
    second = stage.task(workspace)
    look = stage.task(workspace, workspace_strategy=WorkspaceStrategy.MAIN)
    apart = stage.task(workspace, workspace_strategy=WorkspaceStrategy.ISOLATED_COPY)
    assert second.workspace_strategy is WORKTREE
    with stage.store.transaction() as tx:
        below = [
            desk_tasks.add_below(tx, stage.desk, ASKED.actor, one, "x", "", None)
            for one in (second, look, apart)
        ]
    assert [one.workspace_strategy for one in below] == [
        WORKTREE,
        WORKTREE,
        apart.workspace_strategy,
    ]

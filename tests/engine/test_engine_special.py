"""Where git would wait for ever: a person is told what mends it; nothing is tried without end."""

import os
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine import patience
from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.ports import GitFailed
from roundtable_desktop.model.records import InboxItem, Run, Task
from roundtable_desktop.model.states import ErrorKind, InboxStatus, RunOutcome, TaskStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import lists

DONE = {"status": "completed"}


def pipe(stage: Stage, name: str) -> Path:
    path = stage.folders.repo / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


def open_items(stage: Stage) -> list[InboxItem]:
    with stage.ground.reader.snapshot() as view:
        found = lists.page(view, lists.INBOX, after=None, limit=50)
    return [one for one in found if one.status is InboxStatus.OPEN]


def answer(stage: Stage, item: InboxItem, action: str) -> None:
    desk_inbox.act(stage.desk, ASKED, item.id, action)


class Stuck:
    """A git of which one act never comes to an end."""

    def __init__(self, stage: Stage, act: str, code: str = "git_timeout") -> None:
        self.stage, self.act, self.calls = stage, act, 0
        self.whole = getattr(stage.git, act)

        def stuck(*words: Any, **more: Any) -> Any:
            self.calls += 1
            raise GitFailed(code, "60 s")

        setattr(stage.git, act, stuck)

    def over(self) -> None:
        setattr(self.stage.git, self.act, self.whole)


@pytest.mark.proves("B-118", "A-20")
def test_a_delivery_is_held_with_the_path_and_what_mends_it(stage: Stage) -> None:
    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    path = pipe(stage, "packed-refs")
    stage.ask_deliver(proposal)
    stage.deliver()
    [tried] = stage.tries(proposal)
    reason = tried.reason or {}
    assert (reason["code"], reason["path"]) == ("special_file", str(path))
    [item] = open_items(stage)
    said = sentence(item.code, {**item.data, "why": sentence(str(reason["code"]), reason)})
    assert str(path) in said and f"rm -f -- {path}" in said
    os.system(str(reason["mend"]))
    answer(stage, item, "retry")
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.slow
@pytest.mark.proves("A-20", "B-118")
@pytest.mark.parametrize("strategy", list(WorkspaceStrategy))
def test_what_cannot_be_started_or_collected_asks_a_person(
    stage: Stage, strategy: WorkspaceStrategy
) -> None:
    task = stage.assigned(workspace_strategy=strategy)
    path = pipe(stage, "info/exclude")
    assert stage.step()
    stage.play()
    run = stage.run
    assert run.error_kind == ErrorKind.SPECIAL_FILE
    assert_asked(stage, task, path)
    run = stage.launch()
    stage.leave(run, b="b\n")
    path = pipe(stage, "info/attributes")
    run = stage.finish(run, result=DONE)
    if strategy is WorkspaceStrategy.MAIN:
        return  # nothing is collected there
    assert run.outcome is RunOutcome.CRASHED and run.error_kind == ErrorKind.SPECIAL_FILE
    assert_asked(stage, task, path)
    assert (stage.copy(run) / "b.txt").read_text() == "b\n"
    run = stage.launch()
    stage.finish(run, result=DONE)
    assert stage.proposals(task)[-1].files[0]["path"] == "b.txt"


def assert_asked(stage: Stage, task: Task, path: Path) -> None:
    """And once the way is clear, its answer runs the task again."""
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED
    asked = [one for one in open_items(stage) if one.code == "inbox_special_file"]
    [item] = asked
    said = sentence(item.code, item.data)
    assert str(path) in said and f"rm -f -- {path}" in said
    os.system(str(item.data["mend"]))
    assert not os.path.lexists(path)
    answer(stage, item, "retry")


@pytest.mark.proves("A-20", "B-118")
def test_a_git_that_never_answers_is_not_asked_for_ever_for_a_delivery(stage: Stage) -> None:
    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    stage.ask_deliver(proposal)
    stuck = Stuck(stage, "deliver")
    for _ in range(patience.TRIES["git_timeout"] - 1):
        with pytest.raises(GitFailed, match="git_timeout"):
            stage.deliver()
    stage.deliver()
    stage.deliver()
    assert stuck.calls == patience.TRIES["git_timeout"]
    [tried] = stage.tries(proposal)
    assert (tried.reason or {})["code"] == "git_timeout"
    [item] = open_items(stage)
    assert str(stage.folders.repo) in sentence("git_timeout", tried.reason or {})
    stuck.over()
    answer(stage, item, "retry")
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("A-20", "B-118")
@pytest.mark.parametrize("code", sorted(patience.TRIES))
def test_a_git_that_never_answers_keeps_no_run_from_its_end(stage: Stage, code: str) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    stage.finish_later(run, result=DONE)
    stuck, acts = Stuck(stage, "collect", code), stage.acts
    (_, settle) = acts.pop()
    for _ in range(patience.TRIES[code] - 1):
        with pytest.raises(GitFailed, match=code):
            settle()
    settle()
    assert stuck.calls == patience.TRIES[code]
    ended = stage.ground.get_run(run.id)
    assert ended.outcome is RunOutcome.CRASHED and code in (ended.error_text or "")
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED and open_items(stage)
    assert (stage.copy(run) / "b.txt").read_text() == "b\n"


@pytest.mark.proves("C-100 worktree", "A-20")
def test_a_repository_that_cannot_be_compared_is_said_to_be_so(stage: Stage) -> None:
    task = stage.assigned(workspace_strategy=WorkspaceStrategy.WORKTREE)
    run = stage.launch()
    stage.leave(run, b="b\n")
    stage.finish_later(run, result=DONE)
    Stuck(stage, "moved")
    (_, settle) = stage.acts.pop()
    for _ in range(patience.TRIES["git_timeout"] - 1):
        with pytest.raises(GitFailed, match="git_timeout"):
            settle()
    settle()
    held = stage.proposals(task)[-1].held or {}
    assert held["code"] == "repository_not_compared"


@pytest.mark.proves("C-100 worktree", "A-19")
def test_the_way_back_stays_for_as_long_as_an_item_asks(stage: Stage) -> None:
    task = stage.assigned(workspace_strategy=WorkspaceStrategy.WORKTREE)
    run = stage.launch()
    config = stage.folders.repo / ".git/config"
    before = config.read_text()
    config.write_text(before + "[core]\n\tfsmonitor = true\n")
    stage.finish(run, result=DONE)
    [item] = [one for one in open_items(stage) if one.subject_id == run.id]
    stage.clock.forward(days=30)
    free(stage)
    assert not stage.copy(run).exists() and notes(stage, run).exists()
    [moved] = item.data["moved"]
    os.system(moved["command"])
    assert config.read_text() == before
    answer(stage, item, "seen")
    free(stage)
    assert not notes(stage, run).exists()
    free(stage)
    assert not notes(stage, run).parent.exists()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


def notes(stage: Stage, run: Run) -> Path:
    copy = stage.copy(run)
    return copy.with_name(copy.name + ".noted") / run.id


def free(stage: Stage) -> None:
    Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies).free()

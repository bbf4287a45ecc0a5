"""From a run that was born to its runner: the copy, the order, and each fault's outcome."""

from typing import Any

import pytest
from engine_stage import Spool, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import Asked, tasks
from roundtable_desktop.model.errors import Broken, Busy, Full, Invalid
from roundtable_desktop.model.ports import GitFailed, LaunchFailed
from roundtable_desktop.model.states import (
    ErrorKind,
    RunOutcome,
    RunStatus,
    TaskStatus,
    WakeupOutcome,
)
from roundtable_desktop.store.db import Store


@pytest.mark.proves("A-06", "N-02 evidence")
def test_attempts_are_numbered_and_their_events_come_in_order(stage: Stage) -> None:
    task = stage.assigned()
    for index in (1, 2, 3):
        run = stage.launch()
        stage.spool(run).say("agent", pid=9, ticks=9)
        stage.finish(run, "silence", -9)
        assert run.attempt_index == index
        stage.clock.forward(hours=3)
    order = {"task.created", "task.started", "agent.started", "run.ended"}
    told = [kind for kind in stage.ground.kinds() if kind in order]
    assert told == ["task.created"] + ["task.started", "agent.started", "run.ended"] * 3
    view = stage.ground.rows("task_attempts")
    assert [row["attempt_index"] for row in view] == [1, 2, 3]
    assert {row["task_id"] for row in view} == {task.id}


@pytest.mark.proves("N-02 evidence")
def test_a_run_has_started_when_its_runner_says_so_and_not_before(stage: Stage) -> None:
    stage.launcher.silent = True
    stage.assigned()
    stage.step()
    stage.play()
    run = stage.run
    stage.consume(run)
    assert stage.ground.get_run(run.id).status is RunStatus.STARTING
    assert stage.ground.get_run(run.id).started_at is None
    assert "run.started" not in stage.ground.kinds()
    spool = stage.launcher.spools[run.id] = Spool(run.fence)
    spool.hello()
    stage.clock.forward(seconds=5)
    stage.consume(run)
    started = stage.ground.get_run(run.id)
    assert started.status is RunStatus.RUNNING
    assert started.started_at is not None and started.started_at > run.created_at


@pytest.mark.proves("N-02 evidence", "A-20")
def test_a_runner_that_never_comes_is_settled_after_its_minute(stage: Stage) -> None:
    stage.launcher.silent = True
    task = stage.assigned()
    stage.step()
    stage.play()
    stage.consume(stage.run)
    assert not stage.acts
    stage.clock.forward(seconds=61)
    stage.consume(stage.run)
    assert stage.play() == ["unborn"]
    assert (stage.run.status, stage.run.error_kind) == ("failed", "spawn_failed")
    assert stage.run.started_at is None
    assert stage.wakeup(task).held_by == "retry"


@pytest.mark.proves("A-20", "F-06")
def test_a_runner_that_was_seen_to_die_before_its_birth_is_not_awaited(stage: Stage) -> None:
    stage.launcher.silent = True
    task = stage.assigned()
    stage.step()
    stage.play()
    stage.launcher.dead[stage.run.id] = "the runner ended (-9) before it began."
    stage.consume(stage.run)
    assert stage.play() == ["unborn"]
    assert (stage.run.outcome, stage.run.error_text) == (
        "crashed",
        "the runner ended (-9) before it began.",
    )
    assert stage.wakeup(task).held_by == "retry"


def raising(error: Exception) -> Any:
    def act(*words: Any, **more: Any) -> Any:
        raise error

    return act


FAULTS: list[tuple[str, str, Exception, str, bool]] = [
    ("no program", "launch", LaunchFailed("cli_missing", "no such program"), "cli_missing", False),
    ("refused", "launch", LaunchFailed("permission_denied", "no"), "permission_denied", False),
    ("no process", "launch", LaunchFailed("spawn_failed", "no memory"), "spawn_failed", True),
    ("git failed", "make_copy", GitFailed("git_failed", "no space"), "spawn_failed", True),
    ("disk full", "make_copy", OSError(28, "no space"), "spawn_failed", True),
    ("no right", "make_copy", PermissionError(13, "denied"), "permission_denied", False),
    ("a stranger's folder", "make_copy", Invalid("folder_exists"), "permission_denied", False),
]


@pytest.mark.proves("A-20")
@pytest.mark.parametrize(
    ("name", "where", "error", "kind", "again"), FAULTS, ids=[one[0] for one in FAULTS]
)
def test_each_fault_of_a_launch_has_its_outcome(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    where: str,
    error: Exception,
    kind: str,
    again: bool,
) -> None:
    target: object = stage.launcher if where == "launch" else stage.git
    monkeypatch.setattr(target, where, raising(error))
    task = stage.assigned()
    stage.step()
    stage.play()
    run, wakeup = stage.run, stage.wakeup(task)
    assert (run.status, run.outcome, run.error_kind) == ("failed", RunOutcome.CRASHED, kind)
    assert run.error_text and run.started_at is None
    assert stage.ground.rows("leases") == []
    after = stage.ground.get_task(task.id)
    if again:
        assert (wakeup.status, wakeup.retry_count) == ("queued", 1)
        assert after.status is TaskStatus.IN_PROGRESS
    else:
        assert (wakeup.status, wakeup.outcome) == ("failed", WakeupOutcome.INCURABLE)
        assert after.status is TaskStatus.BLOCKED
        assert after.blocked is not None and after.blocked["action"] == "fix_agent"
    # What was refused a start gets none later: its spool says so.
    assert stage.launcher.state(run.id) == "free"


@pytest.mark.proves("A-20")
def test_a_branch_that_is_gone_blocks_the_task(stage: Stage) -> None:
    task = stage.assigned()
    stage.folders.plain("branch", "-D", "main")
    stage.step()
    stage.play()
    assert stage.run.error_kind == ErrorKind.PERMISSION_DENIED
    assert "no branch main" in (stage.run.error_text or "")
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED


@pytest.mark.proves("A-20")
def test_a_launcher_that_voided_the_run_itself_is_believed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launch(order: Any, _may: Any) -> None:
        stage.launcher.void(order.run)
        raise LaunchFailed(ErrorKind.SPAWN_FAILED, "no memory")

    monkeypatch.setattr(stage.launcher, "launch", launch)
    task = stage.assigned()
    stage.step()
    stage.play()
    assert (stage.run.outcome, stage.run.error_kind) == ("crashed", "spawn_failed")
    assert stage.wakeup(task).retry_count == 1


def test_a_launch_that_stumbles_is_repeated_where_it_was(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.assigned()
    stage.step()
    [(_, act)] = stage.acts
    monkeypatch.setattr(Store, "transaction", raising(RuntimeError("busy")))
    with pytest.raises(RuntimeError):
        act()
    monkeypatch.undo()
    act()
    act()
    assert len(stage.launcher.orders) == 1
    stage.consume(stage.run)
    assert stage.run.status is RunStatus.RUNNING


@pytest.mark.proves("A-20")
@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("git", Busy("database_busy")),
        ("git", Full("disk_full")),
        ("launcher", Broken("snapshot_kept_too_long")),
    ],
)
def test_a_fault_of_the_database_blocks_no_task(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str, error: Exception
) -> None:
    task = stage.assigned()
    stage.step()
    [(_, act)] = stage.acts
    with monkeypatch.context() as patch, pytest.raises(type(error)):
        act_name = "make_copy" if where == "git" else "launch"
        patch.setattr(getattr(stage, where), act_name, raising(error))
        act()
    assert stage.run.status is RunStatus.STARTING
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS
    stage.play()
    stage.consume(stage.run)
    assert stage.run.status is RunStatus.RUNNING


def test_an_agent_gets_only_its_own_secrets_and_no_name_that_is_not_allowed(stage: Stage) -> None:
    workspace = stage.workspace()
    agent = stage.agent(workspace, env={"API_KEY": "k"})
    stage.task(workspace, agent)
    order = stage.launcher.orders[stage.launch().id]
    assert dict(order.secrets) == {"API_KEY": "k"}
    assert "SECRET_KEY" not in order.environment and "PATH" in order.environment
    assert "API_KEY" not in repr(order)


def test_a_copys_beginning_is_written_before_the_copy(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between copy and record, a retry would compare the copy with a later commit."""
    task = stage.assigned()
    first = stage.folders.plain("rev-parse", "main")
    whole = stage.git.make_copy

    def killed(*words: Any) -> None:
        whole(*words)
        raise KeyboardInterrupt

    monkeypatch.setattr(stage.git, "make_copy", killed)
    stage.step()
    with pytest.raises(KeyboardInterrupt):
        stage.play()
    monkeypatch.undo()
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "news.txt").write_text("new\n")
    stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    assert stage.restart().voided == 1
    assert stage.play() == ["void"]
    run = stage.launch()
    assert run.base_commit == first
    (stage.copy(run) / "b.txt").write_text("b\n")
    stage.finish(run)
    [proposal] = stage.proposals(task)
    assert [one["path"] for one in proposal.files] == ["b.txt"]


def test_another_agent_opens_a_task_that_stands_still(stage: Stage) -> None:
    workspace = stage.workspace()
    ada, bob = stage.agent(workspace), stage.agent(workspace, name="Bob")
    task = stage.task(workspace, ada)
    stage.finish(
        stage.launch(),
        result={"status": "blocked", "blocked": {"owner": "user", "action": "a key"}},
    )
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED
    tasks.assign(stage.desk, Asked(JOAN), task.id, bob.id)
    assert stage.ground.get_task(task.id).blocked is None
    stage.finish(stage.launch(), output_bytes=4)
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE

"""Runs without a task: a copy of the agent's own, what it leaves, and how each end is settled."""

import errno
import os
from typing import Any

import pytest
from engine_stage import Stage
from ground import set_columns
from wake_payloads import LEAST

from roundtable_desktop.engine import heartbeat, wakers
from roundtable_desktop.engine.recovery import Found
from roundtable_desktop.model.ports import GitFailed, LaunchFailed
from roundtable_desktop.model.records import SYSTEM, Agent, Run
from roundtable_desktop.model.states import RunOutcome, RunStatus, Source, WakeupStatus
from roundtable_desktop.store.wakeups import Cause

DONE = {"result": {"status": "completed", "summary": "looked around"}}


def idle(stage: Stage, **changes: Any) -> Agent:
    return stage.agent(stage.workspace(), **changes)


def woken(stage: Stage, agent: Agent, **files: str) -> Run:
    """A whole run that leaves these files."""
    stage.wake(agent)
    run = stage.launch()
    stage.leave(run, **files)
    return stage.finish(run, **DONE)


def left(stage: Stage, run: Run) -> str:
    ref = f"refs/roundtable/left/{run.id}"
    commit = stage.folders.plain("rev-parse", ref)
    assert commit == run.left_commit
    return stage.folders.plain("show", "--stat", "--format=%an%n%B", ref)


@pytest.mark.proves("K-01", "K-47")
def test_an_idle_agent_is_woken_into_a_copy_of_its_own(stage: Stage) -> None:
    agent = idle(stage)
    wakeup = stage.wake(agent, "look around")
    run = stage.launch()
    order = stage.launcher.orders[run.id]
    assert (order.task, order.attempt, order.session) == (None, None, None)
    assert stage.copy(run).name == f"a-{agent.id}"
    assert (run.task_id, run.attempt_index, run.copy_number) == (None, None, 1)
    assert run.payload["task_id"] == ""  # K-70
    assert run.wakeup_id == wakeup.id
    assert "look around" in order.prompt
    ended = stage.finish(run, **DONE)
    assert (ended.status, ended.outcome) == (RunStatus.FINISHED, RunOutcome.NO_CHANGES)
    assert ended.left_commit is None
    settled = stage.ground.get_wakeup(wakeup.id)
    assert (settled.status, settled.outcome) == ("finished", "executed")
    assert stage.ground.rows("leases") == []


@pytest.mark.proves("K-01")
def test_what_it_leaves_is_named_and_enters_no_branch(stage: Stage) -> None:
    agent = idle(stage)
    before = stage.folders.plain("for-each-ref", "refs/heads")
    run = woken(stage, agent, idea="better\n")
    assert run.outcome is RunOutcome.DONE
    assert "idea.txt" in left(stage, run) and "looked around" in left(stage, run)
    assert stage.folders.plain("for-each-ref", "refs/heads") == before
    assert stage.ground.rows("proposals") == []


@pytest.mark.proves("K-01")
def test_each_run_begins_at_the_branchs_newest_commit(stage: Stage) -> None:
    agent = idle(stage)
    first = woken(stage, agent, idea="better\n")
    (stage.folders.repo / "moved.txt").write_text("on\n")
    stage.folders.commit()
    stage.folders.plain("branch", "-f", "main", "elsewhere")
    second = woken(stage, agent, other="else\n")
    assert second.base_commit == stage.folders.plain("rev-parse", "main") != first.base_commit
    assert stage.copy(second) == stage.copy(first)
    assert not (stage.copy(second) / "idea.txt").exists()
    assert (stage.copy(second) / "moved.txt").read_text() == "on\n"
    assert "other.txt" in left(stage, second) and "idea.txt" not in left(stage, second)
    assert "idea.txt" in left(stage, first)


@pytest.mark.proves("K-47")
def test_it_begins_a_new_conversation_each_time(stage: Stage) -> None:
    agent = idle(stage)
    for _ in range(2):
        stage.wake(agent)
        run = stage.launch()
        stage.spool(run).say("session", id="s1", loaded=False, note="")
        stage.finish(run, **DONE)
        assert stage.launcher.orders[run.id].session is None
    assert stage.ground.rows("sessions") == []


ENDS: list[tuple[dict[str, Any], str, str, str]] = [
    ({"why": "cancelled", "code": None}, "cancelled", "cancelled", "user_cancelled"),
    ({"why": "silence", "code": -9}, "timed_out", "queued", "None"),
    ({"code": -11}, "crashed", "queued", "None"),
    ({"code": 1}, "task_failed", "finished", "executed"),
    ({"why": "interrupted", "code": None}, "interrupted", "queued", "None"),
]


@pytest.mark.proves("K-01")
@pytest.mark.parametrize(("words", "outcome", "status", "wakeup_outcome"), ENDS)
def test_however_it_ends_what_it_left_is_kept(
    stage: Stage, words: dict[str, Any], outcome: str, status: str, wakeup_outcome: str
) -> None:
    wakeup = stage.wake(idle(stage))
    run = stage.launch()
    stage.leave(run, half="done\n")
    ended = stage.finish(run, **words)
    after = stage.ground.get_wakeup(wakeup.id)
    assert (ended.outcome, after.status, str(after.outcome)) == (outcome, status, wakeup_outcome)
    assert "half.txt" in left(stage, ended)
    assert stage.ground.rows("leases") == []


@pytest.mark.proves("K-01", "C-58")
def test_a_run_that_vanished_has_its_leavings_kept_and_is_tried_again(stage: Stage) -> None:
    wakeup = stage.wake(idle(stage))
    run = stage.launch()
    stage.leave(run, half="done\n")
    stage.spool(run).locked = False
    assert stage.restart() == Found(gone=1)
    stage.consume(run)
    assert stage.play() == ["lost"]
    lost = stage.ground.get_run(run.id)
    assert lost.outcome is RunOutcome.LOST
    assert "half.txt" in left(stage, lost)
    assert stage.ground.get_wakeup(wakeup.id).held_by == "retry"


@pytest.mark.proves("K-01", "C-58")
def test_a_launch_that_was_broken_off_costs_nothing_and_gives_the_copy_back(stage: Stage) -> None:
    wakeup = stage.wake(idle(stage))
    stage.step()
    assert stage.restart() == Found(voided=1)
    stage.play()
    after = stage.ground.get_wakeup(wakeup.id)
    assert (after.status, after.retry_count) == ("queued", 0)
    assert stage.ground.rows("leases") == []
    again = stage.launch()
    assert (again.wakeup_id, again.copy_number) == (wakeup.id, 1)
    assert stage.finish(again, **DONE).status is RunStatus.FINISHED


@pytest.mark.proves("K-01", "C-58")
def test_a_starting_run_with_a_hello_is_adopted(stage: Stage) -> None:
    stage.wake(idle(stage))
    stage.step()
    stage.play()
    assert stage.restart() == Found(adopted=1)
    stage.consume(stage.run)
    stage.leave(stage.run, idea="better\n")
    ended = stage.finish(stage.run, **DONE)
    assert "idea.txt" in left(stage, ended)
    assert len(stage.ground.runs()) == 1


@pytest.mark.proves("K-01")
def test_two_sessions_of_one_agent_work_in_two_copies(stage: Stage) -> None:
    agent = idle(stage, max_concurrent_sessions=2)
    stage.wake(agent)
    stage.wake(agent)
    one, two = stage.launch(), stage.launch()
    assert [one.copy_number, two.copy_number] == [1, 2]
    assert stage.copy(one) != stage.copy(two)
    stage.finish(one, **DONE)
    stage.wake(agent)
    assert stage.launch().copy_number == 1


@pytest.mark.proves("K-01")
def test_what_cannot_be_collected_stays_and_a_person_is_asked(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = idle(stage)
    stage.wake(agent)
    run = stage.launch()
    stage.leave(run, precious="only here\n")

    def fail(*_: Any, **__: Any) -> None:
        raise GitFailed("unreadable", "a file")

    with monkeypatch.context() as patch:
        patch.setattr(stage.git, "collect", fail)
        ended = stage.finish(run, **DONE)
    assert (ended.outcome, ended.copy_kept, ended.left_commit) == ("crashed", True, None)
    [item] = stage.ground.rows("inbox_items")
    assert (item["kind"], item["subject_type"], item["subject_id"]) == (
        "agent.error",
        "agent",
        agent.id,
    )
    after = woken(stage, agent)
    assert after.copy_number == 2
    assert (stage.copy(run) / "precious.txt").read_text() == "only here\n"


@pytest.mark.proves("K-01")
def test_a_copy_that_cannot_be_moved_is_left_and_the_next_try_takes_another(stage: Stage) -> None:
    agent = idle(stage)
    first = woken(stage, agent)
    objects = stage.copy(first) / ".git/objects"
    objects.rename(stage.copy(first) / "elsewhere")
    objects.symlink_to("../elsewhere")
    wakeup = stage.wake(agent)
    stage.step()
    stage.play()
    assert (stage.run.error_kind, stage.run.copy_kept) == ("spawn_failed", True)
    stage.clock.forward(minutes=3)
    again = stage.launch()
    assert (again.wakeup_id, again.copy_number) == (wakeup.id, 2)


@pytest.mark.proves("K-01", "A-20")
@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (errno.ENOTDIR, True),
        (errno.ELOOP, True),
        (errno.EISDIR, True),
        (errno.EACCES, True),
        (errno.ENOSPC, False),
        (errno.EDQUOT, False),
    ],
)
def test_a_copy_is_given_up_unless_it_is_room_that_is_wanting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, number: int, kept: bool
) -> None:
    agent = idle(stage)
    woken(stage, agent)
    stage.wake(agent)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(stage.git, "move_copy", fail)
        stage.step()
        stage.play()
    assert stage.run.copy_kept == kept
    assert woken(stage, agent).copy_number == (2 if kept else 1)


@pytest.mark.proves("K-01", "A-20")
def test_an_agent_that_cannot_start_is_named_in_the_inbox(stage: Stage) -> None:
    agent = idle(stage)
    wakeup = stage.wake(agent)
    stage.launcher.refuse = LaunchFailed("cli_missing", "no such program")
    stage.step()
    stage.play()
    settled = stage.ground.get_wakeup(wakeup.id)
    assert (settled.status, settled.outcome) == (WakeupStatus.FAILED, "incurable")
    [item] = stage.ground.rows("inbox_items")
    assert item["subject_id"] == agent.id


@pytest.mark.proves("C-05", "B-073")
def test_the_fifth_failure_is_the_last_launch(stage: Stage) -> None:
    agent = idle(stage)
    wakeup = stage.wake(agent)
    for _ in range(5):
        stage.finish(stage.launch(), code=-11)
        stage.clock.forward(hours=3)
    assert not stage.step()
    assert len(stage.ground.runs()) == 5
    settled = stage.ground.get_wakeup(wakeup.id)
    assert (settled.status, settled.outcome, settled.retry_count) == ("failed", "exhausted", 4)
    assert len(stage.ground.rows("inbox_items")) == 1


def cause(agent: Agent, source: Source, payload: dict[str, Any]) -> Cause:
    return Cause(
        workspace_id=agent.workspace_id,
        agent_id=agent.id,
        source=source,
        reason="told",
        payload=payload,
        key=f"{source}:1",
    )


@pytest.mark.slow
@pytest.mark.proves("K-01", "K-02", "K-03")
def test_each_source_is_one_row_of_the_queue_and_one_run(stage: Stage) -> None:
    agent = idle(stage)
    with stage.store.transaction() as tx:
        routine = heartbeat.install(tx, stage.ids, SYSTEM, agent.id)
    least = LEAST | {Source.ROUTINE: LEAST[Source.ROUTINE] | {"routine_id": routine.id}}
    for source in Source:
        with stage.store.transaction() as tx:
            for number in range(2):  # what is told again is the same wakeup
                wakers.wake(tx, f"{source}-{number}", cause(agent, source, least[source]))
    for _ in Source:
        stage.finish(stage.launch(), **DONE)
    assert not stage.step()
    rows = stage.ground.rows("agent_wakeup_requests")
    assert {(row["source"], row["outcome"]) for row in rows} == {
        (str(source), "executed") for source in Source
    }
    runs = stage.ground.runs()
    assert len(rows) == len(runs) == 10
    assert {run.wakeup_id for run in runs} == {row["id"] for row in rows}


@pytest.mark.proves("K-03")
@pytest.mark.parametrize("source", list(Source))
def test_a_malformed_payload_of_any_source_fails_with_its_reason(
    stage: Stage, source: Source
) -> None:
    agent = idle(stage)
    with stage.store.transaction() as tx:
        wakers.wake(tx, "w1", cause(agent, source, LEAST[source] | {"mood": 1}))
    assert stage.step() and not stage.step()
    wakeup = stage.ground.get_wakeup("w1")
    assert (wakeup.status, wakeup.outcome) == ("failed", "malformed")
    assert [one["detail"]["fields"] for one in wakeup.decisions if one["gate"] == "payload"] == [
        ["mood"]
    ]
    assert stage.ground.runs() == []


@pytest.mark.slow
@pytest.mark.proves("K-35", "C-05")
def test_a_limit_without_an_end_is_escalated_like_any_failure(stage: Stage) -> None:
    wakeup = stage.wake(idle(stage))
    for _ in range(5):
        run = stage.launch()
        ended = stage.finish(run, code=1, stderr="API Error: 429 rate_limit_error: Rate limit")
        assert ended.outcome is RunOutcome.LIMITED
        stage.clock.forward(hours=3)
    assert stage.ground.get_wakeup(wakeup.id).outcome == "exhausted"
    assert len(stage.ground.rows("inbox_items")) == 1


@pytest.mark.proves("K-64")
def test_a_task_of_another_workspace_is_as_if_it_were_not(stage: Stage) -> None:
    agent = idle(stage)
    wakeup = stage.wake(agent)
    with stage.store.transaction() as tx:
        set_columns(tx, "agent_wakeup_requests", wakeup.id, task_id="elsewhere")
    stage.step()
    assert stage.ground.get_wakeup(wakeup.id).cancel_reason == "task_not_found"
    assert stage.ground.runs() == []

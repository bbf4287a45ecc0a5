"""From a runner's last word to everything it moves: run, proposal, task, wakeup, agent."""

from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import control
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.messages import ERROR_BYTES
from roundtable_desktop.model.ports import GitFailed
from roundtable_desktop.model.states import (
    DeliveryMode,
    ProposalStatus,
    RunOutcome,
    RunStatus,
    TaskStatus,
    WakeupOutcome,
)
from roundtable_desktop.model.times import micros
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import runs

FITS = '{"status": "completed"}'


@pytest.mark.proves("C-97", "C-103")
def test_a_change_waits_for_its_delivery_and_then_the_task_is_done(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    run = stage.finish(run, result={"status": "completed", "summary": "I wrote b"})
    assert (run.status, run.outcome, run.output_summary) == ("finished", "done", "I wrote b")
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    assert stage.wakeup(task).outcome is WakeupOutcome.EXECUTED
    [proposal] = stage.proposals(task)
    assert (proposal.status, proposal.base_commit) == ("pending", run.base_commit)
    stage.ask_deliver(proposal)
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert stage.proposals(task)[0].status is ProposalStatus.DELIVERED
    assert stage.folders.shown("b.txt") == "b"
    message = stage.folders.plain("log", "-1", "--format=%B", "main")
    assert message.splitlines()[0] == "T-1: Do it"
    assert f"Roundtable-Run: {run.id}" in message


@pytest.mark.proves("A-35", "C-58")
@pytest.mark.parametrize(("minutes", "told"), [(8, 8), (-8, 0), (600, 300)])
def test_a_run_is_over_when_its_runner_saw_it_and_not_when_somebody_looked(
    stage: Stage, minutes: int, told: int
) -> None:
    """Its owner was off for five hours; a clock that was set moves it no further than that."""
    stage.assigned()
    run = stage.launch()
    assert run.started_at is not None
    seen = micros(run.started_at + timedelta(minutes=minutes))
    stage.clock.forward(minutes=300)
    done = stage.finish(run, result={"status": "completed", "summary": "Done"}, at=seen)
    assert done.ended_at is not None
    assert round((done.ended_at - run.started_at).total_seconds() / 60) == told


@pytest.mark.proves("C-97", "C-90")
def test_without_a_change_a_result_is_done_at_once_and_nothing_is_a_failure(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch())
    assert stage.run.outcome is RunOutcome.NO_RESULT
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS
    run = stage.finish(stage.launch(), result={"status": "completed"})
    assert run.outcome is RunOutcome.NO_CHANGES
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert stage.proposals(task) == []


@pytest.mark.proves("C-90", "C-44")
def test_changes_without_a_result_go_to_review(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    run = stage.finish(run)
    assert (run.outcome, dict(run.result_json)) == (RunOutcome.DONE, {})
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW


@pytest.mark.proves("C-103")
def test_a_result_counts_whatever_the_exit_code_and_a_bad_one_is_shown(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    run = stage.finish(run, code=3, result="I am done!")
    assert (run.outcome, run.exit_code) == (RunOutcome.TASK_FAILED, 3)
    assert run.result_json["unreadable"] == "I am done!"
    assert [one["code"] for one in run.result_json["misfits"]] == ["field_json_at"]
    again = stage.finish(stage.launch(), code=3, result={"status": "completed"})
    assert (again.status, again.outcome, again.exit_code) == ("finished", "no_changes", 3)


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize("way", ["result", "mcp_refused"])
def test_a_report_with_an_unknown_key_counts_as_none_and_the_next_attempt_reads_why(
    stage: Stage, way: str
) -> None:
    """One that a tool refused is kept likewise, although its agent was told at once."""
    sent = '{"status": "completed", "done": true}'
    stage.assigned()
    run = stage.launch()
    kept = {"result": sent, "result_fault": ""}
    with stage.store.transaction() as tx:
        runs.keep_ended(tx, run, kept if way == "result" else {way: kept})
    run = stage.finish(run)
    assert (run.outcome, run.result_json["unreadable"]) == (RunOutcome.NO_RESULT, sent)
    [misfit] = run.result_json["misfits"]
    assert (misfit["pointer"], misfit["code"]) == ("/done", "field_extra_forbidden")
    with stage.ground.reader.snapshot() as view:
        why = explain.of_run(view, run, stage.clock.now())
    assert why.code == "run_report_unfit" and "counts as no report" in sentence(why.code)
    prompt = stage.launch().assembled_prompt
    assert "What you reported was not taken" in prompt and "- /done: there is no such" in prompt


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize(("sent", "kept"), [('{"status": "done"}', True), (FITS, False)])
def test_only_a_report_that_does_not_fit_is_kept_as_one(
    stage: Stage, sent: str, kept: bool
) -> None:
    """The tool refuses one that fits while the database is busy: it was not the agent's fault."""
    task = stage.assigned()
    run = stage.launch()
    ids = {"agent_id": run.agent_id, "task_id": task.id, "workspace_id": run.workspace_id}
    agency = Agency(stage.desk, stage.ground.reader)
    agency.keep_refused(Holder(run_id=run.id, **ids), sent)
    run = stage.finish(run)
    assert run.outcome is RunOutcome.NO_RESULT and ("unreadable" in run.result_json) is kept


@pytest.mark.proves("C-103 unfit")
def test_of_two_reports_the_one_that_fits_counts(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    with stage.store.transaction() as tx:
        refused = {"result": "{}", "result_fault": ""}
        runs.keep_ended(tx, run, {"mcp_refused": refused, "mcp": '{"status": "completed"}'})
    run = stage.finish(run, result="{}")
    assert (run.outcome, dict(run.result_json)) == (
        RunOutcome.NO_CHANGES,
        {"status": "completed", "summary": "", "evidence": [], "artifacts": []},
    )


@pytest.mark.proves("C-97")
def test_an_automatic_delivery_needs_nobody(stage: Stage) -> None:
    task = stage.assigned(delivery=DeliveryMode.AUTO)
    run = stage.launch()
    stage.leave(run, b="b\n")
    stage.finish(run)
    [proposal] = stage.proposals(task)
    assert proposal.status is ProposalStatus.APPROVED
    stage.deliver()
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE
    assert stage.folders.shown("b.txt") == "b"


@pytest.mark.proves("C-97")
def test_what_can_run_code_waits_for_a_person_although_delivery_is_automatic(
    stage: Stage,
) -> None:
    task = stage.assigned(delivery=DeliveryMode.AUTO)
    run = stage.launch()
    (stage.copy(run) / "Makefile").write_text("all:\n")
    stage.finish(run)
    assert stage.proposals(task)[0].status is ProposalStatus.PENDING


@pytest.mark.proves("W-10")
@pytest.mark.parametrize("text", ["x" * 9000, "é" * 9000, "𝄞" * 3000])
def test_error_text_is_bounded_in_bytes(stage: Stage, text: str) -> None:
    stage.assigned()
    words = {"status": "failed", "error": {"kind": "task_failed", "text": text}}
    run = stage.finish(stage.launch(), code=1, result=words)
    assert run.error_text is not None and run.error_text[-9:] == text[-9:]
    assert len(run.error_text.encode()) <= ERROR_BYTES
    long = stage.finish(stage.launch(), "silence", -9, stderr=text)
    assert len((long.error_text or "").encode()) <= ERROR_BYTES


@pytest.mark.proves("K-34", "K-59")
def test_the_same_wakeup_is_tried_again_four_times_and_then_no_more(stage: Stage) -> None:
    task = stage.assigned()
    first = stage.wakeup(task)
    for minutes in (2, 10, 30, 120):
        before = stage.clock.now()
        stage.finish(stage.launch(), "silence", -9)
        wakeup = stage.wakeup(task)
        assert (wakeup.id, wakeup.status, wakeup.held_by) == (first.id, "queued", "retry")
        delay = wakeup.scheduled_retry_at - before
        assert timedelta(0) <= delay - timedelta(minutes=minutes) < timedelta(seconds=1)
        stage.clock.forward(minutes=minutes - 1)
        assert not stage.step()
        stage.clock.forward(minutes=1, seconds=1)
    stage.finish(stage.launch(), "silence", -9)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.outcome, wakeup.retry_count) == ("failed", "exhausted", 4)
    assert stage.ground.get_task(task.id).status is TaskStatus.INTERRUPTED
    assert len(stage.ground.runs()) == 5


@pytest.mark.proves("A-22", "A-21")
@pytest.mark.parametrize("why", ["silence", "hard"])
def test_a_run_that_was_ended_for_its_time_is_tried_again(stage: Stage, why: str) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.spool(run).say("deadline", which="soft" if why == "hard" else "silence")
    run = stage.finish(run, why, -9)
    assert (run.outcome, run.error_kind) == (RunOutcome.TIMED_OUT, "timed_out")
    assert "run.deadline" in stage.ground.kinds()
    assert stage.wakeup(task).retry_count == 1
    assert stage.copy(run).is_dir()


@pytest.mark.proves("A-21")
def test_signs_of_life_are_stamped_and_silence_is_told(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    stage.clock.forward(seconds=30)
    stage.spool(run).say("pulse", processes=2, cpu=0.5, output_bytes=7)
    stage.consume(run)
    pulsed = stage.ground.get_run(run.id).last_pulse_at
    assert run.last_pulse_at is not None and pulsed is not None
    assert pulsed - run.last_pulse_at > timedelta(seconds=29)
    stage.spool(run).say("silent", seconds=60.0)
    stage.consume(run)
    assert stage.ground.kinds()[-2:] == ["agent.heartbeat", "agent.silent"]
    assert stage.ground.get_run(run.id).last_pulse_at == pulsed
    assert stage.ground.get_run(run.id).status is RunStatus.RUNNING


def test_failed_work_gets_a_new_wakeup_while_the_budget_lasts(stage: Stage) -> None:
    task = stage.assigned(retry_budget=3)
    keys = []
    for text in ("one way", "another way", "a third way"):
        stage.finish(stage.launch(), code=1, stderr=text)
        keys.append(stage.wakeup(task).idempotency_key)
        stage.clock.forward(seconds=3)  # one that fails at once is slowed down
    assert keys == [f"attempt:{task.id}:{number}" for number in (1, 2, 3)]
    run = stage.launch()
    assert "Attempt 3 ended as task_failed" in run.assembled_prompt
    assert "a third way" in run.assembled_prompt
    stage.finish(run, code=1, stderr="a fourth way")
    assert stage.ground.get_task(task.id).status is TaskStatus.FAILED
    assert not stage.step()


def test_the_same_failure_twice_spends_the_budget_faster(stage: Stage) -> None:
    task = stage.assigned(retry_budget=3)
    for line in (12, 98):
        stage.finish(stage.launch(), code=1, stderr=f"/tmp-{line}/b.py:{line}: wrong")
    assert stage.ground.get_task(task.id).attempts_spent == 3
    stage.finish(stage.launch(), code=1, stderr="/tmp-1/b.py:3: wrong")
    assert stage.ground.get_task(task.id).status is TaskStatus.FAILED


def test_a_run_that_was_broken_off_is_queued_at_no_cost_after_a_minute(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), "interrupted", None)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.held_by, wakeup.retry_count) == ("queued", "interrupted", 0)
    assert not stage.step()
    stage.clock.forward(seconds=61)
    assert stage.launch().wakeup_id == wakeup.id


def test_a_persons_cancel_ends_the_wakeup_and_leaves_the_task_open(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.finish(stage.launch(), "cancelled", None)
    assert (run.status, run.outcome) == (RunStatus.CANCELLED, RunOutcome.CANCELLED)
    assert stage.wakeup(task).outcome is WakeupOutcome.USER_CANCELLED
    assert stage.ground.get_task(task.id).status is TaskStatus.TODO


@pytest.mark.proves("A-20")
def test_a_copy_that_cannot_be_collected_blocks_the_task_and_stays(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: Any, **more: Any) -> Any:
        raise GitFailed("git_failed", "no space left")

    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    monkeypatch.setattr(stage.git, "collect", refuse)
    run = stage.finish(run)
    assert (run.status, run.outcome) == (RunStatus.FAILED, RunOutcome.CRASHED)
    blocked = stage.ground.get_task(task.id)
    assert blocked.blocked is not None and blocked.blocked["action"] == "look_at_copy"
    assert (stage.copy(run) / "b.txt").exists()
    with stage.ground.reader.snapshot() as view:
        assert explain.of_run(view, run, stage.ground.clock.now()).code == "run_uncollected"


@pytest.mark.proves("A-20")
def test_a_copy_that_the_database_kept_from_being_collected_is_collected_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: Any, **more: Any) -> Any:
        raise Busy("database_busy")

    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    stage.finish_later(run)
    [(_, act)] = stage.acts
    with monkeypatch.context() as patch, pytest.raises(Busy):
        patch.setattr(stage.git, "collect", refuse)
        act()
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS
    stage.play()
    assert stage.run.outcome is RunOutcome.DONE
    assert len(stage.proposals(task)) == 1


def test_a_task_that_a_person_moved_meanwhile_stays_where_it_is(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    stage.leave(run, b="b\n")
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=TaskStatus.CANCELLED)
    stage.finish(run)
    assert stage.ground.get_task(task.id).status is TaskStatus.CANCELLED
    assert len(stage.proposals(task)) == 1


@pytest.mark.parametrize("status", [TaskStatus.CANCELLED, TaskStatus.DONE, TaskStatus.FAILED])
def test_a_retry_of_a_task_that_a_person_ended_is_stale(stage: Stage, status: TaskStatus) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), "silence", -9)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=status)
    stage.clock.forward(hours=1)
    assert stage.step() and not stage.acts
    cancelled = status is TaskStatus.CANCELLED
    reason = "retry_task_cancelled" if cancelled else "task_terminal"
    assert stage.wakeup(task).cancel_reason == reason


@pytest.mark.proves("C-71", "C-58")
@pytest.mark.parametrize("left", ["nothing", "a signal", "an error"])
def test_what_a_force_stop_ended_costs_no_retry_and_no_attempt(stage: Stage, left: str) -> None:
    """Its runner may be gone, or not answer, so that only the agent is ended."""
    task = stage.assigned()
    run = stage.launch()
    control.force_stop(stage.desk, ASKED)
    stage.restart()
    if left == "nothing":
        stage.spool(run).locked = False
        stage.consume(run)
        stage.play()
    else:
        stage.finish(run, code=-15 if left == "a signal" else 1)
    run = stage.ground.get_run(run.id)
    assert (run.status, run.outcome, run.error_kind) == ("cancelled", "interrupted", None)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.held_by, wakeup.retry_count) == ("queued", "interrupted", 0)
    now = stage.ground.get_task(task.id)
    assert (now.status, now.attempts_spent) == (TaskStatus.INTERRUPTED, 0)


@pytest.mark.proves("C-71", "C-103")
def test_what_was_reported_before_a_force_stop_counts(stage: Stage) -> None:
    task = stage.assigned()
    done, failed = stage.launch(), {"status": "failed", "error": {"kind": "x", "text": "no"}}
    control.force_stop(stage.desk, ASKED)
    stage.finish(done, code=1, result=failed)
    assert stage.ground.get_run(done.id).outcome is RunOutcome.TASK_FAILED
    assert stage.ground.get_task(task.id).attempts_spent == 1

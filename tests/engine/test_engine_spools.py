"""What a runner wrote is applied once, and no run is forgotten."""

from typing import Any

import pytest
from engine_stage import Spool, Stage
from ground import NOW
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable_desktop.engine import spools
from roundtable_desktop.model.states import (
    RunOutcome,
    TaskStatus,
    WakeupStatus,
)
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import events, wakeups
from roundtable_desktop.store.db import Store


@pytest.mark.proves("F-13")
def test_a_runner_of_another_fence_is_not_believed(stage: Stage) -> None:
    task = stage.assigned()
    stage.launcher.silent = True
    stage.step()
    stage.play()
    spool = stage.launcher.spools[stage.run.id] = Spool("another")
    spool.hello()
    spool.say("result", source="file", text='{"status": "completed"}')
    spool.end()
    stage.consume(stage.run)
    assert stage.play() == ["lost"]
    assert (stage.run.outcome, stage.run.started_at) == ("lost", None)
    assert stage.run.result_json == {} and stage.ground.rows("agent_processes") == []
    assert stage.wakeup(task).held_by == "retry"
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS


@pytest.mark.proves("F-13")
def test_lines_after_the_end_do_not_count(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    spool = stage.spool(run)
    spool.end("silence", -9)
    spool.say("result", source="file", text='{"status": "completed"}')
    spool.end("exited", 0, output_bytes=9)
    stage.consume(run)
    stage.play()
    assert stage.run.outcome is RunOutcome.TIMED_OUT
    assert stage.ground.kinds().count("run.spool_damaged") == 2


def test_a_damaged_line_is_told_and_the_rest_counts(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    spool = stage.spool(run)
    spool.text += b"{no json\n"
    spool.seq += 1
    stage.finish(run, output_bytes=1)
    assert stage.run.outcome is RunOutcome.NO_CHANGES
    assert "run.spool_damaged" in stage.ground.kinds()


def test_each_turn_s_tokens_are_told_while_the_run_goes_on(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    spool = stage.spool(run)
    for tokens in (100, 20):
        spool.say("usage", input_tokens=tokens, raw={"said": "so"})
        stage.consume(stage.run)
    with stage.ground.reader.snapshot() as view:
        told = [one for one in events.after(view, 0, 200) if one.kind == "run.used"]
    assert [one.data["input_tokens"] for one in told] == [100, 20]
    assert {one.subject_id for one in told} == {run.id} and "raw" not in told[0].data
    assert stage.run.usage is not None and stage.run.usage["input_tokens"] == 120


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(1, 400), max_size=8))
def test_a_spool_read_in_any_pieces_is_applied_once(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    stage = Stage(tmp_path_factory.mktemp("stage"))
    try:
        stage.assigned()
        run = stage.launch()
        spool = stage.spool(run)
        begun = len(spool.text)
        for number in range(3):
            spool.say("pulse", processes=number, cpu=0.0, output_bytes=0)
        spool.end(output_bytes=1)
        whole = spool.text
        for cut in sorted({begun + cut for cut in cuts}):
            spool.text = whole[: whole.rfind(b"\n", 0, cut) + 1]
            spool.locked = True
            stage.consume(run)
        spool.text, spool.locked = whole, False
        stage.consume(run)
        stage.play()
        assert stage.ground.kinds().count("agent.heartbeat") == 3
        assert stage.run.spool_offset == len(whole)
        assert stage.run.outcome is RunOutcome.NO_CHANGES
    finally:
        stage.ground.close()


@pytest.mark.proves("B-092")
def test_a_process_is_there_since_it_was_started_however_late_that_is_read(stage: Stage) -> None:
    """As when the owner died right after the launch, and was started an hour later."""
    stage.assigned()
    stage.step()
    stage.play()
    run = stage.run
    stage.spool(run).say("agent", pid=4712, ticks=6)
    stage.clock.forward(hours=1)
    stage.restart()
    stage.consume(run)
    shown = [(row["pid"], row["start_ticks"], row["started_at"]) for row in _processes(stage)]
    assert shown == [(4711, 5, micros(NOW)), (4712, 6, micros(NOW))]


def _processes(stage: Stage) -> list[dict[str, object]]:
    return sorted(stage.ground.rows("agent_processes"), key=lambda row: str(row["pid"]))


def test_a_chunk_is_taken_by_one_reader(stage: Stage) -> None:
    stage.assigned()
    stage.step()
    stage.play()
    run = stage.run
    chunk = stage.launcher.read(run.id, 0)
    for wanted in (True, False):
        with stage.store.transaction() as tx:
            taken = spools.apply(tx, run, chunk, stage.ids, stage.store.here)
            assert (taken is not None) is wanted
    assert stage.ground.kinds().count("run.started") == 1


def test_an_error_while_reading_forgets_no_run(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The news were told once; they are read at the next look though nobody tells again."""
    stage.assigned()
    run = stage.launch()
    stage.follower._look()
    stage.spool(run).end(output_bytes=1)
    stage.launcher.tell(run.id)

    def refuse(*words: Any) -> Any:
        raise OSError("too many open files")

    monkeypatch.setattr(Store, "transaction", refuse)
    stage.follower._look()
    monkeypatch.undo()
    assert not stage.acts
    stage.follower._look()
    assert stage.play() == ["settle"]


def test_a_run_whose_news_were_lost_is_looked_at_after_a_minute(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    stage.follower._look()
    stage.spool(run).end(output_bytes=1)
    stage.follower._look()
    assert not stage.acts
    stage.clock.forward(seconds=61)
    stage.follower._look()
    assert stage.play() == ["settle"]


def test_a_run_that_has_ended_is_not_attached_any_more(stage: Stage) -> None:
    stage.assigned()
    run = stage.finish(stage.launch(), output_bytes=1)
    assert not stage.launcher.attached
    stage.follower.follow(run.id)
    stage.consume(run)
    assert not stage.launcher.attached and not stage.follower._awaited


def test_a_wakeup_is_settled_by_its_own_run_alone(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    with stage.store.transaction() as tx:
        wakeup = wakeups.get(tx, run.wakeup_id)
        assert wakeup is not None and wakeup.status is WakeupStatus.CLAIMED
    stage.finish(run, output_bytes=1)
    assert [one["status"] for one in stage.ground.rows("agent_wakeup_requests")] == ["finished"]
    assert stage.ground.get_task(task.id).checkout_at is None

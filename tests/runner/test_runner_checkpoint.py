"""An agent whose person leaves is stopped in its turn, and says where it is before it ends."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from acp_agents import prompt
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import Controlled, Result, SessionOpened, worker_result

CANCELLED = "if turn == 1: say('at work\\n'); wait(); return {'stopReason': 'cancelled'}"
REFUSED = "if turn == 1: say('at work\\n'); wait(); return {'error': {'code': 1, 'message': 'x'}}"
WAIT = "def wait():\n    while read().get('method') != 'session/cancel': pass\n"


def launch(bench: Bench, *lines: str) -> str:
    *python, script = prompt(*lines)
    script = script.replace("def prompt", f"{WAIT}def prompt")
    run = bench.launch_quick(*python, script, adapter="acp")
    bench.first(run, SessionOpened)
    until(lambda: "at work" in bench.printed(run))
    return run


def ask(bench: Bench, run: str, text: str = "Where are you?") -> Mapping[str, object]:
    return bench.runners.control(run, {"do": "checkpoint", "text": text})


@pytest.mark.proves("N-10 checkpoint")
@pytest.mark.parametrize("cancelled", [CANCELLED, REFUSED], ids=["as told", "by an error"])
def test_its_turn_is_broken_off_and_it_says_where_it_is(
    bench: Bench, tmp_path: Path, cancelled: str
) -> None:
    go = tmp_path / "go"
    held = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)"
    run = launch(bench, cancelled, held, "say(f'{text} Half of it.')")
    assert ask(bench, run, " ") == {"ok": False, "why": "no text"}
    assert [ask(bench, run), ask(bench, run)] == [{"ok": True}, {"ok": True}]
    go.touch()
    end = bench.finish(run)
    assert (end.why, end.checkpoint) == ("interrupted", "Where are you? Half of it.")
    assert (end.exit_code, end.error, end.nudged, end.killed) == (0, None, False, [])
    assert [one.do for one in bench.of_kind(run, Controlled)] == ["checkpoint"] * 2


@pytest.mark.proves("N-10 checkpoint")
def test_work_that_is_done_by_then_is_reported_and_counts(bench: Bench) -> None:
    run = launch(bench, CANCELLED, "report(summary='all of it')")
    assert ask(bench, run)["ok"]
    end = bench.finish(run)
    (result,) = bench.of_kind(run, Result)
    told = worker_result(result.text)
    assert (end.why, told and told.summary) == ("exited", "all of it")


@pytest.mark.slow
@pytest.mark.proves("N-10 checkpoint")
def test_a_deaf_one_is_ended_at_the_time_and_has_said_nothing(bench: Bench) -> None:
    run = launch(bench, "say('at work\\n'); time.sleep(600)")
    assert ask(bench, run)["ok"]
    bench.runners.control(run, {"do": "cancel", "reason": "interrupted", "hurry": True})
    end = bench.finish(run)
    assert (end.why, end.checkpoint, bench.left(run)) == ("interrupted", "", [])


@pytest.mark.proves("N-10 checkpoint")
def test_a_program_cannot_be_asked(bench: Bench) -> None:
    run = bench.launch_quick(*PYTHON, "print('up', flush=True); import time; time.sleep(600)")
    until(lambda: "up" in bench.printed(run))
    assert ask(bench, run) == {"ok": False, "why": "unknown"}
    bench.runners.control(run, {"do": "cancel"})
    assert bench.finish(run).checkpoint == ""

"""How runs of ACP agents end when something is wrong, or somebody ends them."""

import os
import signal
import time

import pytest
from acp_agents import agent, prompt
from runner_bench import Bench, until

from roundtable_desktop.adapters.runners import own_program
from roundtable_desktop.model.messages import AgentBorn, Deadline, Result, Silent, Tool
from roundtable_desktop.model.ports import Deadlines

DEMO = own_program("demo-agent")
LIMITS = Deadlines(silent=0.3, silence_limit=1.0, soft=60, hard=60, ask=60)


def demo(bench: Bench, *lines: str, **changes: object) -> str:
    text = "".join(f"@demo {line}\n" for line in lines)
    return bench.launch_quick(*DEMO, adapter="demo", demo_script=text, **changes)


@pytest.mark.proves("C-71")
def test_a_cancelled_agent_ends_its_turn_and_goes_by_itself(bench: Bench) -> None:
    run = bench.launch(*DEMO, adapter="demo", demo_script="@demo say on\n@demo sleep 600")
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run, seconds=5)
    assert (end.why, end.stop_reason, end.exit_code) == ("cancelled", "cancelled", 0)
    assert (end.killed, end.error, end.nudged) == ([], None, False)


@pytest.mark.slow
@pytest.mark.proves("F-34", "C-71")
def test_a_deaf_agent_and_its_children_are_gone_in_15_s(bench: Bench) -> None:
    """With the real figures: cancel, 3 s, input closed, 2 s, TERM, 5 s, KILL."""
    script = "@demo ignore-term\n@demo spawn 3\n@demo say on\n@demo hang"
    run = bench.launch(*DEMO, adapter="demo", demo_script=script)
    until(lambda: bench.printed(run))
    assert len(bench.left(run)) == 4
    started = time.monotonic()
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert 9.5 < time.monotonic() - started < 15
    assert (end.why, end.exit_code) == ("cancelled", -signal.SIGKILL)
    assert (len(end.killed), end.survivors, bench.left(run)) == (4, [], [])


def test_children_that_outlive_the_last_turn_are_gone(bench: Bench) -> None:
    run = demo(bench, "spawn 2")
    end = bench.finish(run)
    assert (end.why, len(end.killed), bench.left(run)) == ("exited", 2, [])
    assert len(bench.of_kind(run, Result)) == 1


@pytest.mark.slow
@pytest.mark.proves("A-21")
def test_a_silent_retry_for_ever_is_ended(bench: Bench) -> None:
    does = "sys.stderr.write('429 Too Many Requests'); sys.stderr.flush()"
    run = bench.launch_quick(
        *prompt(does, "while True: time.sleep(0.2)"), adapter="acp", deadlines=LIMITS
    )
    end = bench.finish(run)
    assert (end.why, end.stderr, end.error) == ("silence", "429 Too Many Requests", None)
    assert [one.which for one in bench.of_kind(run, Deadline)] == ["silence"]
    assert bench.of_kind(run, Silent)


@pytest.mark.slow
@pytest.mark.proves("A-21")
def test_errors_that_are_told_for_ever_are_no_sign_of_life(bench: Bench) -> None:
    does = "while True: sys.stderr.write('429 Too Many\\n'); sys.stderr.flush(); time.sleep(0.1)"
    run = bench.launch_quick(*prompt(does), adapter="acp", deadlines=LIMITS)
    end = bench.finish(run)
    assert (end.why, end.stderr[-13:]) == ("silence", "429 Too Many\n")


@pytest.mark.slow
@pytest.mark.proves("F-42")
def test_a_silent_agent_whose_tool_runs_is_left_to_work(bench: Bench) -> None:
    run = bench.launch_quick(
        *prompt(
            "update('tool_call', toolCallId='t', title='make', status='in_progress')",
            "time.sleep(2.5)",
            "update('tool_call_update', toolCallId='t', status='failed')",
        ),
        adapter="acp",
        deadlines=LIMITS,
    )
    assert bench.finish(run).why == "exited"
    assert [tool.status for tool in bench.of_kind(run, Tool)] == ["started", "failed"]


@pytest.mark.slow
@pytest.mark.proves("A-22")
def test_soft_is_told_and_hard_ends(bench: Bench) -> None:
    limits = Deadlines(silent=60, silence_limit=60, soft=0.5, hard=1.2, ask=60)
    run = demo(bench, "sleep 600", deadlines=limits)
    end = bench.finish(run)
    assert (end.why, end.stop_reason) == ("hard", "cancelled")
    assert [one.which for one in bench.of_kind(run, Deadline)] == ["soft", "hard"]


@pytest.mark.parametrize("code", [0, 3])
def test_an_agent_that_ends_in_the_middle_of_its_turn(bench: Bench, code: int) -> None:
    run = demo(bench, "say on", f"crash {code}")
    end = bench.finish(run)
    assert (end.why, end.exit_code, end.stop_reason) == ("exited", code, None)
    assert end.error and end.error.kind == "crashed"
    assert bench.of_kind(run, Result) == []


def test_an_agent_that_is_killed_in_its_turn(bench: Bench) -> None:
    run = demo(bench, "say on", "hang")
    until(lambda: bench.printed(run))
    os.kill(bench.first(run, AgentBorn).pid, signal.SIGKILL)
    assert bench.finish(run).exit_code == -signal.SIGKILL


def test_a_limit_is_on_the_error_channel(bench: Bench) -> None:
    end = bench.finish(demo(bench, "limit You've hit your limit · resets 5pm (UTC)"))
    assert (end.exit_code, end.stderr) == (1, "You've hit your limit · resets 5pm (UTC)\n")


def test_a_program_that_speaks_no_acp_is_none(bench: Bench) -> None:
    run = bench.launch_quick("sh", "-c", "echo hello; read line; exit 0", adapter="acp")
    end = bench.finish(run)
    assert (end.exit_code, end.error and end.error.kind) == (0, "crashed")
    assert bench.printed(run, "note") == "not understood: hello\n"


def test_an_agent_that_closes_its_output_and_lives_is_ended(bench: Bench) -> None:
    run = bench.launch_quick(
        *prompt("os.close(1)", "time.sleep(600)"), adapter="acp", nudge="report!"
    )
    end = bench.finish(run)
    assert (end.why, end.exit_code) == ("exited", -signal.SIGTERM)
    assert end.error and end.error.kind == "crashed"


def test_another_version_of_the_protocol_is_named(bench: Bench) -> None:
    does = "hello['protocolVersion'] = 2\ndef prompt(text, turn): report()\n"
    end = bench.finish(bench.launch_quick(*agent(does), adapter="acp"))
    assert end.error and (end.error.kind, end.error.text) == (
        *("cli_outdated", "it speaks version 2 of ACP"),
    )


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        ({"code": -32000, "message": "Authentication required"}, "auth_required", None),
        ({"code": -32000, "message": "out of tea"}, "crashed", None),
        (
            {"code": -32603, "message": "Internal error", "data": {"details": "401 no key"}},
            *("auth_required", 'Internal error {"details": "401 no key"}'),
        ),
        ({"code": 401, "message": "no key"}, "auth_required", "401 no key"),
        ({"code": -31002, "message": "Invalid API key"}, "auth_required", None),
        (
            {"code": -32603, "message": "Internal error: x", "data": {"errorKind": "rate_limit"}},
            *("rate_limited", 'Internal error: x {"errorKind": "rate_limit"}'),
        ),
        (
            {"code": -32603, "message": "e", "data": {"errorKind": "authentication_failed"}},
            *("auth_required", 'e {"errorKind": "authentication_failed"}'),
        ),
        ({"code": 402, "message": "pay"}, "billing", "402 pay"),
        ({"code": 429, "message": "wait", "data": "a minute"}, "crashed", "429 wait a minute"),
        ("nonsense", "crashed", ""),
    ],
    ids=["auth", "code", "qwen", "gemini", "vibe", "claude", "claude-auth", "402", "http", "no"],
)
def test_an_error_is_told_in_full(bench: Bench, error: object, kind: str, text: str | None) -> None:
    run = bench.launch_quick(*prompt(f"return {{'error': {error!r}}}"), adapter="acp", nudge="no")
    end = bench.finish(run)
    assert end.error
    wanted = error["message"] if isinstance(error, dict) and text is None else text
    assert (end.error.kind, end.error.text) == (kind, wanted)
    assert (end.why, end.nudged, end.stop_reason) == ("exited", False, None)


def test_an_error_is_bounded(bench: Bench) -> None:
    long = "{'error': {'code': -32603, 'message': 'x' * 100_000}}"
    end = bench.finish(bench.launch_quick(*prompt(f"return {long}"), adapter="acp"))
    assert end.error and len(end.error.text) == 4096


def test_an_error_after_a_cancel_is_no_news(bench: Bench) -> None:
    run = bench.launch_quick(
        *prompt("say('on')", "read()", "return {'error': {'code': 1, 'message': 'aborted'}}"),
        adapter="acp",
    )
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert (end.why, end.error) == ("cancelled", None)
    assert bench.runners.state(run) == "free"


@pytest.mark.parametrize("command", ["true", "false"])
def test_a_program_that_ends_at_once_is_told_apart_from_a_result(
    bench: Bench, command: str
) -> None:
    end = bench.finish(bench.launch_quick(command, adapter="acp"))
    assert end.error and (end.why, end.error.kind) == ("exited", "crashed")


def test_a_session_without_a_name_is_none(bench: Bench) -> None:
    does = "def new(params): return {'session': 1}\ndef prompt(text, turn): os._exit(9)\n"
    end = bench.finish(bench.launch_quick(*agent(does), adapter="acp"))
    assert end.error and (end.exit_code, end.error.text) == (0, "it opened no session")

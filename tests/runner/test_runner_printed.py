"""What coding agents print about their use, as their own recorded lines show it."""

import json
from typing import Any

import pytest
from runner_bench import PYTHON, Bench

from roundtable_desktop.model.messages import Quota, Usage


def run_of(bench: Bench, *lines: dict[str, Any] | str) -> str:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    printed = bench.root / "printed"
    printed.write_text(text)
    code = f"import sys; sys.stdout.write(open({str(printed)!r}).read())"
    run = bench.launch_quick(*PYTHON, code)
    bench.finish(run)
    return run


def reply(name: str, output: int, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 6, "cache_read_input_tokens": 200, "output_tokens": output}
    return {"type": "assistant", "message": {"id": name, "usage": usage, **more}}


@pytest.mark.proves("B-173", "B-174")
def test_claude_s_replies_and_its_result_add_up_to_the_result(bench: Bench) -> None:
    total = {"input_tokens": 12, "cache_read_input_tokens": 400, "output_tokens": 543}
    run = run_of(
        bench,
        *[reply("m1", one, model="claude-opus-4-8") for one in (9, 9, 159)],
        *[reply("m2", 1)] * 19,
        {"type": "result", "subtype": "success", "total_cost_usd": 0.25, "usage": total},
    )
    told = [
        (one.reply, one.input_tokens, one.output_tokens, one.cached_tokens, one.cost_usd)
        for one in bench.of_kind(run, Usage)
    ]
    assert told == [
        ("m1", 6, 9, 200, None),
        ("m1", 6, 159, 200, None),
        ("m2", 6, 1, 200, None),
        ("", 0, 383, 0, 0.25),
    ]
    assert bench.of_kind(run, Usage)[-1].of_run and bench.of_kind(run, Usage)[0].model


@pytest.mark.proves("B-175")
def test_codex_tells_the_sums_of_its_thread_and_opencode_each_step(bench: Bench) -> None:
    usage = {"input_tokens": 3702, "cached_input_tokens": 600, "output_tokens": 168}
    step = {"tokens": {"input": 1034, "output": 49, "cache": {"read": 200}}, "cost": 0.001166}
    run = run_of(
        bench,
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "turn.completed", "usage": usage},
        {"type": "step_finish", "part": {"id": "prt_1", **step}},
    )
    codex, opencode = bench.of_kind(run, Usage)
    assert (codex.thread, codex.input_tokens) == ("t-1", None)
    assert codex.sums == {"input_tokens": 3702, "output_tokens": 168, "cached_tokens": 600}
    assert (opencode.reply, opencode.input_tokens, opencode.cost_usd) == ("prt_1", 1034, 0.001166)


@pytest.mark.proves("N-13 windows")
def test_a_provider_s_windows_are_heard_and_what_is_odd_is_left_out(bench: Bench) -> None:
    info = {"status": "allowed_warning", "resetsAt": 1795956733, "rateLimitType": "five_hour"}
    odd: list[Any] = [
        '{ no json "usage"',
        '{"type":"assistant","message":{"id":"' + "x" * 300_000 + '","usage":{"input_tokens":1}}}',
        {"type": "assistant", "message": {"id": 5, "usage": {"input_tokens": 1}}},
        {"type": ["usage"], "usage": {}},
        {"type": "step_finish", "part": {"id": "p", "tokens": {"input": -4, "output": True}}},
        {"type": "rate_limit_event", "rate_limit_info": {"rateLimitType": 4}},
    ]
    run = run_of(
        bench, *odd, {"type": "rate_limit_event", "rate_limit_info": {**info, "utilization": 0.93}}
    )
    [window] = bench.of_kind(run, Quota)
    assert (window.window, window.used, window.resets_at) == ("five_hour", 0.93, 1795956733)
    assert [one.input_tokens for one in bench.of_kind(run, Usage)] == [None]

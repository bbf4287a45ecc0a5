"""The wire against agents that misbehave, and against traffic as real agents made it."""

import json
from pathlib import Path

import psutil
import pytest
from acp_agents import agent, prompt
from hypothesis import given
from hypothesis import strategies as st
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.adapters.runners import own_program
from roundtable_desktop.model.messages import (
    Answered,
    Hello,
    Result,
    SessionOpened,
    Tool,
    Usage,
)
from roundtable_desktop.runner.result import Report, find_block
from roundtable_desktop.runner.wire import Lines

DATA = Path(__file__).parent.parent / "data"
PLAYER = """
import json, sys
for line in open(sys.argv[1]):
    step = json.loads(line)
    if 'in' in step:
        seen = json.loads(sys.stdin.readline())
        assert seen.get('method') == step['in'].get('method'), (seen, step)
        if 'result' in step['in']: assert seen['result'] == step['in']['result'], seen
        if 'error' in step['in']: assert seen['error']['code'] == step['in']['error'], seen
        number = seen.get('id')
    else:
        message = step['out']
        if message.get('id') == 'asked': message['id'] = number
        print(json.dumps({'jsonrpc': '2.0', **message}), flush=True)
sys.stdin.read()
"""


def acp(bench: Bench, *lines: str, **changes: object) -> str:
    return bench.launch_quick(*prompt(*lines), adapter="acp", **changes)


@pytest.mark.proves("C-109", "D-08 adapters")
@pytest.mark.parametrize("name", ["acp-opencode.ndjson", "acp-claude.ndjson"])
def test_recorded_traffic_makes_a_whole_run(bench: Bench, name: str) -> None:
    """As the agents spoke: extra fields, their own ids, requests that nobody offered."""
    run = bench.launch_quick(
        *(*PYTHON, PLAYER, str(DATA / name)), adapter="acp", permission_policy="allow"
    )
    end = bench.finish(run)
    assert (end.error, end.stderr, end.stop_reason) == (None, "", "end_turn")
    assert bench.of_kind(run, SessionOpened)[0].id.startswith("ses")
    assert [tool.status for tool in bench.of_kind(run, Tool)] == ["started", "done"]
    assert bench.of_kind(run, Answered)[0].option in ("once", "allow")
    so_far, usage = bench.of_kind(run, Usage)  # the same turn, before it was over and after
    assert so_far.turn == usage.turn and so_far.cost_usd == usage.cost_usd
    assert (usage.output_tokens, usage.raw["usage"]["outputTokens"]) in ((49, 49), (112, 112))
    assert usage.cost_usd in (0.002332, 0.01534)
    assert "I will use a tool. \n" in bench.printed(run)
    assert bench.printed(run).endswith("Wrote it.\n")


@pytest.mark.proves("C-109", "B-082")
def test_a_line_that_is_too_long_is_cut_and_noted(bench: Bench) -> None:
    run = acp(bench, "say('x' * 3 * 1024 * 1024)", "say('after')", "report()")
    end = bench.finish(run)
    assert bench.printed(run).startswith("after\n")
    [note] = bench.printed(run, "note").splitlines()
    assert note.startswith('not understood: {"jsonrpc": "2.0", "method"')
    assert note.endswith("bytes that were too many]")
    assert len(note) < 600
    assert end.stop_reason == "end_turn"


def test_an_answer_that_is_too_long_stalls_nobody(bench: Bench) -> None:
    run = acp(bench, "return {'stopReason': 'end_turn', 'x': 'y' * 2_000_000}")
    end = bench.finish(run, seconds=5)
    assert end.error and end.error.text == "the line is too long"


def test_a_request_that_is_too_long_is_refused(bench: Bench) -> None:
    run = acp(
        bench,
        "send(id='big', method='session/request_permission', params={'x': 'y' * 2_000_000})",
        "say(str(read()['error']['code']))",
    )
    bench.finish(run)
    assert bench.printed(run) == "-32600\n"


def test_noise_is_noted_and_does_no_harm(bench: Bench) -> None:
    run = acp(
        bench,
        "say('be')",
        "print('npm WARN old'); print('[1, 2]'); print('{'); print('{\"id\": 99, \"result\": 1}')",
        "print('[' * 100_000); print(flush=True); sys.stdout.buffer.write(b'\\xff\\xfe\\n')",
        "say('fore\\n')",
    )
    assert bench.finish(run).error is None
    assert bench.printed(run) == "be\nfore\n"
    notes = bench.printed(run, "note").splitlines()
    assert notes[0] == "not understood: npm WARN old"
    assert len(notes) == 6
    assert max(map(len, notes)) < 600


def test_requests_that_we_do_not_serve_are_refused_and_notes_are_ignored(bench: Bench) -> None:
    run = acp(
        bench,
        "send(method='_auth/status_update', params={'x': 1})",
        "send(method='session/update', params=[1])",
        "send(method='session/update', params={'sessionId': S, 'update': 'x'})",
        "update('plan', entries=[]); update('agent_message_chunk', content=[{}])",
        "update('tool_call', toolCallId=5, title=None, status=['x'])",
        "update('usage_update', cost=3); update('agent_thought_chunk')",
        "send(method='session/update', params={'sessionId': 'another', 'update':"
        " {'sessionUpdate': 'agent_message_chunk', 'content': {'text': 'not mine'}}})",
        "send(id='x', method='fs/write_text_file', params={'path': 'p'})",
        "answer = read(); say(f\"{answer['id']} {answer['error']['code']}\")",
        "return {'stopReason': 'end_turn', 'usage': [], '_meta': {'new': True}}",
    )
    end = bench.finish(run)
    assert (end.error, end.stop_reason) == (None, "end_turn")
    assert bench.printed(run) == "x -32601\n"


def test_a_thought_and_a_tool_stand_on_lines_of_their_own(bench: Bench) -> None:
    run = acp(
        bench,
        "say('I look')",
        "update('agent_thought_chunk', content={'type': 'text', 'text': 'hm'})",
        "update('tool_call', toolCallId='t', title='ls', status='pending')",
        "update('tool_call_update', toolCallId='t', title='ls -l', status='completed')",
        "update('tool_call_update', toolCallId='t', status='completed')",
        "say('Done')",
    )
    bench.finish(run)
    records = bench.records(run)
    assert "".join(record["text"] for record in records) == (
        "I look\nhm\nls …\nls -l: done\nDone\n"
    )
    assert [tool.name for tool in bench.of_kind(run, Tool)] == ["ls", "ls -l"]


@pytest.mark.slow
def test_an_agent_that_reads_nothing_makes_nothing_grow(bench: Bench) -> None:
    does = "for n in range(200_000): send(id=n, method='x' * 400)"
    run = bench.launch_quick(*prompt("time.sleep(0.3)", does, "say('on')"), adapter="acp")
    runner = psutil.Process(bench.first(run, Hello).pid)
    until(lambda: bench.of_kind(run, SessionOpened))
    before = runner.memory_info().rss
    until(lambda: bench.printed(run), 60)
    assert runner.memory_info().rss - before < 30e6
    assert bench.finish(run).stop_reason == "end_turn"


@pytest.mark.slow
def test_a_flood_of_messages_is_kept_within_bounds(bench: Bench) -> None:

    run = bench.launch_quick(
        *own_program("demo-agent"), adapter="demo", demo_script="@demo flood 60"
    )
    end = bench.finish(run, seconds=60)
    assert (end.stop_reason, len(bench.of_kind(run, Result))) == ("end_turn", 1)
    size = sum(path.stat().st_size for path in (bench.folder(run) / "out").iterdir())
    assert size < 42e6


def test_a_lone_surrogate_is_no_fault(bench: Bench) -> None:
    run = acp(bench, "sys.stdout.write('')", "say('a\\ud800b', messageId='m\\udfff'); report()")
    assert bench.finish(run).error is None
    assert bench.printed(run).startswith("a?b")


@given(st.lists(st.binary(max_size=40)), st.integers(1, 50))
def test_lines_are_the_same_however_they_are_cut(pieces: list[bytes], limit: int) -> None:
    lines = Lines(limit)
    found = [line for piece in pieces for line in lines.feed(piece)]
    whole = b"".join(pieces).split(b"\n")
    assert [*found, lines.take()] == [(line[:limit], max(0, len(line) - limit)) for line in whole]


@pytest.mark.parametrize(
    ("message", "block"),
    [
        ("```roundtable-result\n{}\n```", "{}\n"),
        ("a\n```roundtable-result\n1\n```\nb\n```roundtable-result\n2\n```\nc", "2\n"),
        ("  ````roundtable-result  \n```\n{}\n```\n````\nmore", "```\n{}\n```\n"),
        ("```roundtable-result\r\n{}\r\n```\r\n", "{}\r\n"),
        ("```roundtable-result\n{}", "{}"),
        ("```json\n{}\n```", None),
        ("see ```roundtable-result\n{}\n```", None),
        ("", None),
    ],
)
def test_a_block_is_found_where_it_stands(message: str, block: str | None) -> None:
    found = find_block(message)
    assert found == (None if block is None else Report(block))


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize(
    ("text", "shown", "fault"),
    [("\x01", "\ufffd\n", "report_not_text"), ("x" * 70_000, "x" * 8192, "report_too_large")],
)
def test_a_block_that_cannot_be_one_is_kept_with_the_reason(
    text: str, shown: str, fault: str
) -> None:
    assert find_block(f"```roundtable-result\n{text}\n```") == Report(shown, fault)


def test_the_player_plays_what_is_recorded() -> None:
    for path in DATA.glob("acp-*.ndjson"):
        steps = [json.loads(line) for line in path.read_text().splitlines()]
        assert {key for step in steps for key in step} == {"in", "out"}


def test_many_questions_at_once_are_bounded(bench: Bench) -> None:
    does = (
        "def prompt(text, turn):\n"
        "    for n in range(70): send(id=n, method='session/request_permission', params={})\n"
        "    codes = [read()['error']['code'] for n in range(6)]\n"
        "    say(str(set(codes)))\n"
    )
    run = bench.launch_quick(*agent(does), adapter="acp", permission_policy="ask")
    bench.finish(run)
    assert bench.printed(run) == "{-32000}\n"


def test_a_secret_at_the_edge_of_what_is_noted_is_none(bench: Bench) -> None:
    secret = "CANARY-secret-value"
    run = acp(
        bench,
        "print('x' * 490 + os.environ['TOKEN'])",
        "if turn == 1: return {'stopReason': 'end_turn', 'usage': {'x': os.environ['TOKEN']}}",
        secrets={"TOKEN": secret},
        nudge="y" * 490 + secret,
    )
    assert bench.finish(run).nudged
    assert "CANARY" not in "".join(record["text"] for record in bench.records(run))
    assert bench.of_kind(run, Usage)[0].raw == {"usage": {"x": "[redacted]"}}


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ("{'inputTokens': 10**400}", "1e3"),
        ("{'inputTokens': -1, 'x': 1e999}", "True"),
        ("3", "9e99"),
    ],
)
def test_figures_that_cannot_be_are_not_said(bench: Bench, usage: str, cost: str) -> None:
    run = acp(
        bench,
        "print(json.dumps(float('nan')))",
        f"update('usage_update', cost={{'amount': {cost}, 'currency': 'EUR' if turn else ''}})",
        f"return {{'stopReason': 'end_turn', 'usage': {usage}}}",
    )
    assert bench.finish(run).error is None
    [told] = bench.of_kind(run, Usage)
    assert (told.input_tokens, told.output_tokens, told.cost_usd) == (None, None, None)

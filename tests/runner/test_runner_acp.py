"""Whole sessions with ACP agents: opened, loaded, spoken with, ended."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from acp_agents import agent, prompt
from runner_bench import Bench, until

from roundtable_desktop.adapters.runners import own_program
from roundtable_desktop.model.messages import (
    AgentBorn,
    Controlled,
    End,
    Hello,
    Result,
    SessionOpened,
    Tool,
    Usage,
    worker_result,
)

DEMO = own_program("demo-agent")


def acp(bench: Bench, command: tuple[str, ...], **changes: object) -> str:
    return bench.launch_quick(*command, adapter="acp", **changes)


@pytest.mark.proves("C-109", "D-08 adapters", "N-19 practice", "C-28")
def test_a_whole_session_with_the_demo_agent(bench: Bench) -> None:
    script = "@demo write a.txt hello\n@demo say Working\n@demo usage 120 30\n"
    run = bench.launch(
        *DEMO,
        adapter="demo",
        prompt="T-1: Begin\n",
        demo_script=script,
        environment={"PATH": os.environ["PATH"], "HOME": str(bench.root)},
    )
    end = bench.finish(run)
    assert [type(message) for message in bench.messages(run)] == [
        *(Hello, AgentBorn, SessionOpened, Tool, Tool, Usage, Usage, Result, End)
    ]
    assert (end.why, end.exit_code, end.stop_reason) == ("exited", 0, "end_turn")
    assert (end.error, end.nudged, end.killed) == (None, False, [])
    [result] = bench.of_kind(run, Result)
    told = worker_result(result.text)
    assert told and (result.source, told.status, told.summary) == (
        *("block", "completed", "wrote a.txt"),
    )
    usages = bench.of_kind(run, Usage)
    assert {(one.turn, one.input_tokens, one.output_tokens) for one in usages} == {(1, 120, 30)}
    assert (usages[-1].cost_usd, usages[-1].raw["usage"]["totalTokens"]) == (None, 150)
    assert [(tool.name, tool.status) for tool in bench.of_kind(run, Tool)] == [
        ("write a.txt", "started"),
        ("write a.txt", "done"),
    ]
    assert (bench.cwd / "a.txt").read_text() == "hello\n"
    assert bench.printed(run).startswith("Working\nwrote a.txt\n")
    assert bench.printed(run, "note") == "write a.txt …\nwrite a.txt: done\n"
    assert end.tail.endswith("```\n")


@pytest.mark.slow
@pytest.mark.proves("K-48")
def test_a_session_is_gone_on_with(bench: Bench) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(bench.root)}
    first = acp(bench, tuple(DEMO), prompt="@demo say one", environment=environment)
    bench.finish(first)
    session = bench.of_kind(first, SessionOpened)[0].id
    second = acp(
        bench, tuple(DEMO), prompt="@demo say two", environment=environment, session=session
    )
    bench.finish(second)
    [opened] = bench.of_kind(second, SessionOpened)
    assert (opened.id, opened.loaded, opened.note) == (session, True, "")
    assert bench.printed(second).startswith("Going on after 1 earlier turns.\ntwo\n")
    assert "one" not in bench.printed(second)


@pytest.mark.proves("K-48")
def test_a_session_that_cannot_be_loaded_is_begun_anew_and_that_is_told(bench: Bench) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(bench.root)}
    run = acp(bench, tuple(DEMO), prompt="@demo say one", environment=environment, session="0" * 16)
    assert bench.finish(run).error is None
    [opened] = bench.of_kind(run, SessionOpened)
    assert not opened.loaded
    assert opened.id != "0" * 16
    assert opened.note == f"no such session: {'0' * 16}"


@pytest.mark.proves("K-48")
def test_an_agent_that_loads_no_sessions_is_not_asked_to(bench: Bench) -> None:
    does = "hello['agentCapabilities'] = {}\ndef load(p): os._exit(9)\ndef prompt(t, n): report()\n"
    run = acp(bench, agent(does), session="s0")
    assert bench.finish(run).exit_code == 0
    [opened] = bench.of_kind(run, SessionOpened)
    assert (opened.id, opened.loaded) == ("s1", False)
    assert opened.note == "the agent cannot load a session"


@pytest.mark.proves("K-48")
def test_the_history_of_a_loaded_session_is_no_output(bench: Bench) -> None:
    does = (
        "def load(p):\n"
        "    say('old words'); report(summary='old')\n"
        "    update('tool_call', toolCallId='t', title='old tool', status='completed')\n"
        "    update('usage_update', used=1, size=2, cost={'amount': 0.5, 'currency': 'USD'})\n"
        "    return {}\n"
        "def prompt(text, turn):\n"
        "    update('usage_update', used=1, size=2, cost={'amount': 0.75, 'currency': 'USD'})\n"
        "    say('new words')\n"
    )
    run = acp(bench, agent(does), session="s1")
    bench.finish(run)
    assert bench.printed(run) == "new words\n"
    assert bench.of_kind(run, Tool) == bench.of_kind(run, Result) == []
    assert [(one.turn, one.cost_usd) for one in bench.of_kind(run, Usage)] == [(1, 0.25)] * 2


def test_a_message_of_a_person_is_another_turn_of_the_same_session(bench: Bench) -> None:
    does = (
        "def prompt(text, turn):\n"
        "    say(f'{turn}: {text}\\n')\n"
        "    while turn == 1 and not os.path.exists('go'): time.sleep(0.02)\n"
        "    report(summary=text)\n"
    )
    run = acp(bench, agent(does), prompt="first")
    until(lambda: "1: first" in bench.printed(run))
    for text in ("second", "third"):
        assert bench.runners.control(run, {"do": "message", "text": text}) == {"ok": True}
    refused = bench.runners.control(run, {"do": "message", "text": " "})
    assert refused == {"ok": False, "why": "no text"}
    (bench.cwd / "go").touch()
    bench.finish(run)
    said = [line for line in bench.printed(run).splitlines() if line[1:2] == ":"]
    assert said == ["1: first", "2: second", "3: third"]
    assert [one.do for one in bench.of_kind(run, Controlled)] == ["message", "message"]
    [result] = bench.of_kind(run, Result)
    assert json.loads(result.text)["summary"] == "third"
    assert "> second\n> third\n" in bench.printed(run, "note")


@pytest.mark.proves("C-90", "C-44")
def test_an_agent_without_a_result_is_asked_once(bench: Bench) -> None:
    run = acp(bench, prompt("say(f'{turn}: {text}\\n')"), prompt="work", nudge="report!")
    end = bench.finish(run)
    assert bench.printed(run) == "1: work\n2: report!\n"
    assert (end.nudged, end.stop_reason, bench.of_kind(run, Result)) == (True, "end_turn", [])


def test_the_answer_to_the_nudge_counts(bench: Bench) -> None:
    run = acp(bench, prompt("if turn == 2: report(summary=text)"), nudge="report!")
    assert bench.finish(run).nudged
    assert json.loads(bench.of_kind(run, Result)[0].text)["summary"] == "report!"


def test_a_result_file_needs_no_nudge_and_comes_first(bench: Bench) -> None:
    write = "open(os.environ['ROUNDTABLE_RESULT_FILE'], 'w').write('{\"status\": \"failed\"}')"
    run = acp(bench, prompt(write, "report()"), nudge="report!")
    assert not bench.finish(run).nudged
    [result] = bench.of_kind(run, Result)
    assert (result.source, result.text) == ("file", '{"status": "failed"}')


@pytest.mark.proves("C-103 unfit")
def test_a_report_that_does_not_fit_is_asked_for_again_with_what_was_wrong(bench: Bench) -> None:
    does = prompt("say(text + '\\n')", "report(**({'done': True} if turn == 1 else {'next': 'x'}))")
    run = acp(bench, does, prompt="work", nudge="report!")
    assert bench.finish(run).nudged
    printed = bench.printed(run)
    assert "report!" in printed and "- /done: there is no such key in a result" in printed
    [result] = bench.of_kind(run, Result)
    assert json.loads(result.text) == {"status": "completed", "next": "x"}


@pytest.mark.proves("C-103 unfit")
def test_one_that_never_fits_is_kept_once(bench: Bench) -> None:
    run = acp(bench, prompt("report(done=turn)"), prompt="work", nudge="report!")
    assert bench.finish(run).nudged
    [result] = bench.of_kind(run, Result)
    assert (result.source, result.fault) == ("block", "")
    assert json.loads(result.text) == {"status": "completed", "done": 2}


UNFIT = "open(os.environ['ROUNDTABLE_RESULT_FILE'], 'wb').write({raw!r})"


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize(
    ("raw", "fault", "shown"),
    [
        (b'{"done": 1}', "", '{"done": 1}'),
        (b"\xff\xfe", "report_not_text", "\ufffd\ufffd"),
        (b"x" * 70_000, "report_too_large", "x" * 8192),
    ],
)
def test_a_file_that_does_not_fit_gives_way_to_a_block_that_does(
    bench: Bench, raw: bytes, fault: str, shown: str
) -> None:
    fits = acp(bench, prompt(UNFIT.format(raw=raw), "report()"), nudge="report!")
    alone = acp(bench, prompt(UNFIT.format(raw=raw)), nudge="")
    assert not bench.finish(fits).nudged
    bench.finish(alone)
    [result] = bench.of_kind(fits, Result)
    assert (result.source, json.loads(result.text)) == ("block", {"status": "completed"})
    [result] = bench.of_kind(alone, Result)
    assert (result.source, result.fault, result.text) == ("file", fault, shown)


def test_a_refusal_is_not_nudged(bench: Bench) -> None:
    run = acp(bench, prompt("return {'stopReason': 'refusal'}"), nudge="report!")
    end = bench.finish(run)
    assert (end.stop_reason, end.nudged) == ("refusal", False)


def test_a_block_in_the_middle_of_the_last_message_is_found(bench: Bench) -> None:
    run = acp(
        bench,
        prompt(
            "report(summary='an example')",
            "update('tool_call', toolCallId='t', title='ls', status='pending')",
            "say('Here it is:'); report(summary='it'); say('Good ')",
            "say('bye.')",
        ),
    )
    bench.finish(run)
    assert json.loads(bench.of_kind(run, Result)[0].text)["summary"] == "it"


@pytest.mark.slow
def test_a_block_of_an_earlier_message_is_none(bench: Bench) -> None:
    run = acp(bench, prompt("report()", "say('But wait.', messageId='m2')"), nudge="")
    block = acp(
        bench, prompt("say('```roundtable-result\\n{}\\n```\\n', messageId='m1')", "say('x')")
    )
    bench.finish(run)
    bench.finish(block)
    assert len(bench.of_kind(run, Result)) == 1  # no id before: one message
    two = acp(
        bench,
        prompt(
            "say('```roundtable-result\\n{}\\n```\\n', messageId='m1')", "say('x', messageId='m2')"
        ),
    )
    bench.finish(two)
    assert bench.of_kind(two, Result) == []


@pytest.mark.proves("S-72")
def test_the_agent_and_its_bridge_get_the_token_and_nobody_else_sees_it(bench: Bench) -> None:
    token = "mcp-token-CANARY/12345"
    does = (
        "def new(params):\n"
        "    globals()['servers'] = params['mcpServers']; return {'sessionId': S}\n"
        "def prompt(text, turn):\n"
        "    open('seen.json', 'w').write(json.dumps([servers, dict(os.environ)]))\n"
        "    t = os.environ['ROUNDTABLE_MCP_TOKEN']\n"
        "    say('token: ' + t[:9]); say(t[9:] + '\\n')\n"
        "    update('agent_thought_chunk', content={'type': 'text', 'text': t})\n"
        "    update('tool_call', toolCallId=t, title=t, status='failed')\n"
        "    update('usage_update', used=1, size=2, note=t)\n"
        "    print('noise ' + t, flush=True)\n"
        "    ask(t, 'allow_once')\n"
        "    report(summary=t)\n"
        "    sys.stderr.write(t)\n"
        "    return {'error': {'code': -32603, 'message': t, 'data': {'more': t}}}\n"
    )
    environment = {"PATH": os.environ["PATH"], "ROUNDTABLE_MCP_URL": "http://127.0.0.1:9/mcp"}
    run = acp(
        bench,
        agent(does),
        environment=environment,
        secrets={"ROUNDTABLE_MCP_TOKEN": token},
        bridge=("python", "-m", "bridge"),
        permission_policy="allow",
    )
    end = bench.finish(run)
    servers, seen = json.loads((bench.cwd / "seen.json").read_text())
    assert servers == [
        {
            "name": "roundtable",
            "command": "python",
            "args": ["-m", "bridge"],
            "env": [
                {"name": "ROUNDTABLE_MCP_URL", "value": "http://127.0.0.1:9/mcp"},
                {"name": "ROUNDTABLE_MCP_TOKEN", "value": token},
            ],
        }
    ]
    assert seen.keys() - {"LC_CTYPE"} == {
        *environment,
        "ROUNDTABLE_MCP_TOKEN",
        "ROUNDTABLE_RUN",
        "ROUNDTABLE_TASK",
        "ROUNDTABLE_ATTEMPT",
        "ROUNDTABLE_RESULT_FILE",
    }
    assert end.error and "[redacted]" in end.error.text
    assert "token: [redacted]" in bench.printed(run)
    files = [path for path in bench.folder(run).rglob("*") if path.is_file()]
    assert not [path for path in files if b"CANARY" in path.read_bytes()]


@pytest.mark.slow
def test_a_demo_script_is_for_the_demo_adapter_only(bench: Bench) -> None:
    does = "def prompt(text, turn): say(os.environ.get('ROUNDTABLE_DEMO_SCRIPT', 'none'))\n"
    run = acp(bench, agent(does), demo_script="@demo say no")
    bench.finish(run)
    assert bench.printed(run) == "none\n"
    run = bench.launch_quick(*agent(does), adapter="demo", demo_script="@demo say yes")
    bench.finish(run)
    assert Path(bench.printed(run).strip()).read_text() == "@demo say yes"


@pytest.mark.slow
def test_nothing_is_imported_once_an_acp_agent_runs(bench: Bench) -> None:
    """An update may replace the program's files meanwhile."""
    code = (
        "import sys, asyncio\n"
        "late, run = [], asyncio.run\n"
        "def listen(coroutine):\n"
        "    sys.addaudithook(lambda event, a: event == 'import' and late.append(a[0]))\n"
        "    return run(coroutine)\n"
        "asyncio.run = listen\n"
        "from roundtable_desktop.runner.main import main\n"
        "main(sys.argv[1:]); print(late)\n"
    )
    script = "@demo write a b\n@demo usage 1 2\n@demo ask may I\n@demo say on\n@demo hang"
    order = bench.order(*DEMO, adapter="demo", demo_script=script, permission_policy="allow")
    folder = bench.prepare(order)
    words = [sys.executable, "-I", "-c", code, str(folder)]
    runner = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    until(lambda: "on\n" in bench.printed(order.run))
    bench.runners.control(order.run, {"do": "message", "text": "more"})
    bench.runners.control(order.run, {"do": "cancel"})
    assert runner.communicate(timeout=60)[0] == "[]\n"


SDK = """
import asyncio, acp, uuid
class Agent(acp.Agent):
    def on_connect(self, conn): self.conn = conn
    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **k):
        assert not client_capabilities.terminal and client_info.name == 'roundtable-desktop'
        return acp.InitializeResponse(protocol_version=acp.PROTOCOL_VERSION)
    async def new_session(self, cwd, mcp_servers=None, **k):
        self.servers = mcp_servers
        return acp.NewSessionResponse(session_id='sdk')
    async def prompt(self, prompt, session_id, **k):
        option = acp.schema.PermissionOption(option_id='y', name='Yes', kind='allow_once')
        call = acp.schema.ToolCallUpdate(tool_call_id='c1', title='look')
        got = await self.conn.request_permission(
            session_id=session_id, tool_call=call, options=[option])
        text = f'{prompt[0].text} {got.outcome.option_id} {self.servers[0].name}'
        await self.conn.session_update(session_id, acp.update_agent_message_text(text))
        return acp.PromptResponse(stop_reason='end_turn')
asyncio.run(acp.run_agent(Agent()))
"""


@pytest.mark.slow
@pytest.mark.proves("C-109")
def test_the_official_sdk_understands_us(bench: Bench) -> None:
    run = acp(
        bench,
        (sys.executable, "-I", "-c", SDK),
        prompt="hi",
        permission_policy="allow",
        bridge=("bridge",),
        secrets={"ROUNDTABLE_MCP_TOKEN": "token-of-the-sdk"},
    )
    end = bench.finish(run)
    assert (bench.printed(run), end.stop_reason, end.stderr) == (
        *("hi y roundtable\n", "end_turn", ""),
    )


@pytest.mark.proves("C-103", "B-080")
def test_a_result_counts_whatever_happens_after_it(bench: Bench) -> None:
    does = "import atexit; atexit.register(lambda: os._exit(3))\ndef prompt(text, turn): report()\n"
    run = acp(bench, agent(does))
    end = bench.finish(run)
    assert (end.why, end.exit_code, len(bench.of_kind(run, Result))) == ("exited", 3, 1)


def test_an_agent_that_stays_after_its_last_turn_is_ended(bench: Bench) -> None:
    does = (
        "def prompt(text, turn):\n"
        "    report(); send(id=message['id'], result={'stopReason': 'end_turn'})\n"
        "    time.sleep(600)\n"
    )
    run = acp(bench, agent(does))
    end = bench.finish(run)
    assert (end.why, end.exit_code, end.stop_reason) == ("exited", -signal.SIGTERM, "end_turn")
    assert len(end.killed) == 1

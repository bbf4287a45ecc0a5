"""`tool` and `subtask`: the demo agent at the stdio server that it was given."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from roundtable_desktop.demo.tools import Refused, Tools

SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        said = {"protocolVersion": "2025-06-18", "capabilities": {}}
    elif asked["params"]["name"] == "no":
        said = {"isError": True, "content": [{"type": "text", "text": "not today"}]}
    else:
        told = json.dumps([asked["params"], __import__("os").environ.get("GIVEN")])
        said = {"content": [{"type": "text", "text": told}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


def servers(script: str) -> list[dict[str, Any]]:
    given = [{"name": "GIVEN", "value": "a token"}]
    return [{"name": "r", "command": sys.executable, "args": ["-c", script], "env": given}]


def call_tool(given: list[dict[str, Any]], name: str, arguments: object) -> str:
    tools = Tools(given)
    try:
        return tools.call(name, arguments)
    finally:
        tools.close()


@pytest.mark.proves("N-19 practice")
def test_a_tool_is_called_with_what_the_server_was_given() -> None:
    said = call_tool(servers(SERVER), "task_comment", {"text": "tea is ready"})
    assert '"name": "task_comment"' in said and "tea is ready" in said and '"a token"' in said


@pytest.mark.proves("N-19 practice")
def test_a_tool_that_says_no_and_a_server_that_ends_are_told() -> None:
    with pytest.raises(Refused, match="not today"):
        call_tool(servers(SERVER), "no", {})
    with pytest.raises(Refused, match="ended"):
        call_tool(servers("pass"), "task_comment", {})
    with pytest.raises(Refused, match="no MCP server"):
        call_tool([], "task_comment", {})


SLOW = """
import json, sys
calls = 0
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    said = {"protocolVersion": "2025-06-18", "capabilities": {}}
    if asked["method"] != "initialize":
        calls += 1
        text = "takes_longer: Make the same call." if calls < 3 else f"done at call {calls}"
        said = {"isError": calls < 3, "content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


@pytest.mark.proves("N-19 practice")
def test_a_call_that_takes_longer_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtable_desktop.demo.tools.PAUSE", 0.01)
    assert call_tool(servers(SLOW), "proposal_create", {}) == "done at call 3"


@pytest.mark.proves("N-19 practice")
def test_no_pipe_and_no_child_is_left() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        call_tool(servers(SERVER), "task_get", {})
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.proves("N-19 practice")
def test_calls_of_one_turn_share_one_server() -> None:
    tools = Tools(servers(SERVER.replace('"GIVEN"', '"GIVEN", __import__("os").getpid()')))
    said = [tools.call("task_get", {}) for _ in range(2)]
    tools.close()
    assert said[0] == said[1]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)

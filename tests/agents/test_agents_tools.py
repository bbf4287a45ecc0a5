"""Real agents use the tools by themselves: through the bridge that each run is given, and over
HTTP where their person's own settings name `/mcp`."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import claude
import opencode
import pytest
from living_home import LivingHome
from stub_model import StubModel

pytestmark = [pytest.mark.agents, pytest.mark.timeout(400)]

Json = dict[str, Any]

PAGE = Path(__file__).parents[2] / "docs" / "bring-your-own-agent.md"
GIVEN, OWN = "roundtable", "own"  # by the run, and by the person's settings
PATIENCE = 240.0  # seconds of a whole turn on a busy machine; a quiet one takes ten
PATCH = (
    "diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n"
    "@@ -0,0 +1 @@\n+by patch\n"
)


class Kind(NamedTuple):
    """tool: how it calls a server's tool. servers: where its settings name MCP servers.

    settings: (the stub's address, its home, its person's MCP servers) → its environment.
    """

    command: Callable[[], list[str]]
    settings: Callable[[str, Path, Json], dict[str, str]]
    tool: str
    servers: str


def opencode_settings(url: str, home: Path, servers: Json) -> dict[str, str]:
    return opencode.settings(url, home, edit="allow", bash="allow", servers=servers)


KINDS = {
    "claude": Kind(claude.command, claude.settings, "mcp__{server}__{name}", "mcpServers"),
    "opencode": Kind(opencode.command, opencode_settings, "{server}_{name}", "mcp"),
}


def printed(servers: str) -> Json:
    """The settings that the page prints for the agent that names its servers there."""
    blocks = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    [found] = [one[servers] for one in map(json.loads, blocks) if servers in one]
    return dict(found)


@pytest.mark.proves("D-08 adapters", "R-21", "S-67", "C-109")
@pytest.mark.parametrize("server", [GIVEN, OWN], ids=["bridge", "http"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_it_cuts_a_task_hands_in_a_patch_and_reports(
    home: LivingHome, stub: StubModel, tmp_path: Path, kind: Kind, server: str
) -> None:
    servers = printed(kind.servers) if server == OWN else {}
    policy = "allow" if server == OWN else "ask"  # about the tools that it is given nobody is asked
    join(home, kind, kind.settings(stub.url, tmp_path / "agent-home", servers), policy)

    def tool(name: str) -> str:
        return kind.tool.format(server=server, name=name)

    calls: list[tuple[str, Json]] = [
        ("task_list", {}),
        ("task_create", {"title": "A part of it"}),
        ("proposal_create", {"patch": PATCH, "message": "Make it."}),
        ("task_result", {"status": "completed", "summary": "All of it."}),
    ]
    script = [f"STUB-TOOL {tool(name)} {json.dumps(given)}" for name, given in calls]
    task = home.task("Use the tools", "\n".join([*script, "STUB-SAY I told the tool."]))
    run = home.ended(task, seconds=PATIENCE)
    assert (run["status"], run["outcome"]) == ("finished", "done"), run
    assert run["result_json"]["summary"] == "All of it."

    asked = stub.asked()
    known = [one["name"] for one in json.loads(home.cli("mcp", "inspect", "--json"))]
    assert {tool(name) for name in known} <= set(asked[0].tools)
    assert [seen.reply.call for seen in asked if seen.reply.call] == [
        (tool(name), given) for name, given in calls
    ]
    answers = [one["content"] for one in asked[-1].body["messages"] if one["role"] == "tool"]
    listed, made, handed, told = map(json.loads, answers)
    assert [one["id"] for one in listed["tasks"]] == [task]
    assert told["accepted"] is True

    part = home.get(f"/tasks/{made['id']}")
    assert (part["title"], part["parent_id"]) == ("A part of it", task)
    offered = home.proposal(task)
    assert (offered["id"], offered["head_commit"]) == (handed["id"], handed["head_commit"])
    assert [change["path"] for change in offered["files"]] == ["made.txt"]
    assert home.deliver(task)["status"] == "delivered"
    assert (home.repository / "made.txt").read_text() == "by patch\n"


def join(home: LivingHome, kind: Kind, env: dict[str, str], policy: str) -> None:
    """Adds it as the workspace's agent, as a person does."""
    pairs = [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
    words = ("--adapter", "acp", "--name", "agent", "--cooldown", "0", "--permission", policy)
    home.cli("agent", "add", *words, *pairs, "--", *kind.command())

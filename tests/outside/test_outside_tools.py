"""Agents' tools against a running owner: the official client, both ways in, and a real run."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from outside_clock import advance
from outside_house import ROUNDTABLE, House, Room, until
from outside_talk import Seat, Stalls, demo, script, status

CONTRACT = {
    *("state_get", "state_watch", "task_get", "task_list", "task_create", "task_update"),
    *("task_comment", "task_block", "task_progress", "task_result", "proposal_create"),
    *("proposal_get", "proposal_list", "vote_cast", "claim_acquire", "claim_release"),
    *("claim_list", "turn_request", "turn_start", "turn_complete", "approval_request"),
    *("wake_self", "memory_query", "memory_record", "repo_read", "repo_search", "test_run"),
}
PATCH = (
    "diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n"
    "@@ -0,0 +1 @@\n+by patch\n"
)


@pytest.fixture
def stalls(room: Room, tmp_path: Path) -> Stalls:
    return Stalls(room, tmp_path / "stalls")


def play(seat: Seat, way: str, scene: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
    """The official client, with the token of that seat."""

    async def whole() -> None:
        async with AsyncExitStack() as stack:
            url = f"{seat.house.facts['url']}/mcp"
            if way == "http":
                headers = {"Authorization": f"Bearer {seat.token}"}
                wire = httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60)
                await stack.enter_async_context(wire)
                transport: Any = streamable_http_client(url, http_client=wire)
            else:
                known = {"ROUNDTABLE_MCP_URL": url, "ROUNDTABLE_MCP_TOKEN": seat.token}
                words = ["mcp", "stdio"]
                transport = stdio_client(
                    StdioServerParameters(command=ROUNDTABLE, args=words, env=known)
                )
            await scene(await stack.enter_async_context(Client(transport)))

    asyncio.run(whole())


@pytest.mark.slow
@pytest.mark.proves("R-21", "C-46 tools", "S-67", "C-109")
@pytest.mark.parametrize("way", ["http", "stdio"])
def test_the_official_client_does_an_agents_work_either_way(stalls: Stalls, way: str) -> None:
    room = stalls.room
    room.agent("true", name="hand")
    task = room.task("Whole", stalls.agent())
    seat = stalls.seat(task)
    handed: dict[str, Any] = {}

    async def scene(client: Client) -> None:
        async def answer_to(tool: str, **words: object) -> Any:
            answer = await client.call_tool(tool, words)
            while answer.is_error and "takes_longer" in str(answer.content):
                await asyncio.sleep(0.3)
                answer = await client.call_tool(tool, words)
            return answer

        async def call(tool: str, **words: object) -> Any:
            answer = await answer_to(tool, **words)
            assert not answer.is_error, answer.content
            return answer.structured_content

        listed = {one.name: one for one in (await client.list_tools()).tools}
        assert set(listed) == CONTRACT
        assert all("." not in name and one.description for name, one in listed.items())
        state = await call("state_get")
        assert {one["name"] for one in state["agents"]} == {"puppet", "hand"}
        part = await call("task_create", title="Part")
        await call("task_update", task_id=part["id"], title="Better part")
        seen = await call("state_watch", cursor=state["cursor"])
        of_part = [one for one in seen["events"] if one["about"]["id"] == part["id"]]
        assert [one["kind"] for one in of_part] == ["task.created", "task.changed"]
        assert (await call("repo_read", path="notes.txt"))["text"] == "one\n"
        assert (await call("repo_search", words="Hello"))["lines"][0]["path"] == "README.md"
        note = {"topic": "tests", "text": "They run by make."}
        assert (await call("memory_record", **note))["memory_id"]
        kept = (await call("memory_query", words="MAKE run"))["memories"]
        assert [one["text"] for one in kept] == ["They run by make."]
        assert await call("claim_acquire", resources=["src"]) == {"claims": ["src"]}
        assert (await call("turn_request", reason="alone"))["status"] == "scheduled"
        assert (await call("turn_start"))["status"] == "started"
        assert (await call("turn_complete"))["status"] == "completed"
        for path in ("../evil.txt", ".git/hooks/post-merge", "/tmp/evil.txt"):
            refused = await answer_to("proposal_create", patch=PATCH.replace("made.txt", path))
            assert refused.is_error, path
        handed.update(await call("proposal_create", patch=PATCH, message="Made."))
        await call("task_result", status="completed", summary="All of it.")

    play(seat, way, scene)
    seat.leave()
    assert room.ended(task)["outcome"] == "done"
    (proposal,) = until(lambda: room.house.get("/proposals", task_id=task["id"])["items"])
    assert (proposal["id"], proposal["head_commit"]) == (handed["id"], handed["head_commit"])
    assert [one["title"] for one in room.house.get("/tasks", workspace_id=room.id)["items"]] == [
        *("Better part", "Whole")
    ]


@pytest.mark.slow
@pytest.mark.proves("R-16", "R-17", "R-21")
def test_an_agent_takes_its_turn_in_a_real_run(room: Room) -> None:
    lines = ['tool turn_request {"reason": "merge"}', "tool turn_start {}"]
    task = room.task("Turn", demo(room), description=script(*lines, "tool turn_complete {}"))
    run = room.ended(task)
    assert run["outcome"] in ("done", "no_changes")
    told = room.house.get("/events", workspace_id=room.id, limit=200)["items"]
    kinds = [one["kind"] for one in told if one["kind"].startswith("agent.turn_")]
    steps = ("requested", "scheduled", "started", "completed")
    assert kinds == [f"agent.turn_{one}" for one in steps]
    assert "started" in room.house.transcript(run["id"])


@pytest.mark.slow
@pytest.mark.proves("S-69")
def test_a_token_opens_its_own_run_alone_and_dies_with_it(stalls: Stalls) -> None:
    room, house = stalls.room, stalls.room.house
    first = room.task("Hers", stalls.agent("ada"))
    hers = stalls.seat(first)
    second = room.task("His", stalls.agent("bob"))
    his = stalls.seat(second)
    his_part = his.call("task_create", title="His part")["id"]
    for tool in ("task_get", "task_update", "task_block"):
        more = {"task_update": {"title": "x"}, "task_block": {"reason": "r", "action": "a"}}
        told = [
            hers.call(tool, task_id=one, **more.get(tool, {}))
            for one in (second["id"], his_part, "0" * 26)
        ]
        assert [one["code"] for one in told] == ["unknown_task"] * 3, tool
        assert told[0] == told[1] == told[2]
    for token in ("", "wrong", house.token, his.token[:-1]):
        assert hers.ask("task_get", token=token).status == 401
    bearer = {"Authorization": f"Bearer {hers.token}"}
    assert house.ask("GET", "/api/v1/tasks", None, bearer).status == 401
    hers.call("task_result", status="completed", summary="Done.")
    hers.leave()
    room.ended(first)
    assert hers.ask("task_get").status == 401, "from the first call on"
    assert hers.ask("claim_acquire", resources=["src"]).status == 401
    assert his.call("task_get")["title"] == "His"
    his.leave()
    assert status(room, first) == "done"


@pytest.mark.slow
@pytest.mark.proves("S-69")
def test_an_agent_decides_nothing_that_is_a_persons(stalls: Stalls) -> None:
    """No tool approves its own work, makes a routine or changes a budget."""
    task = stalls.room.task("Bold", stalls.agent())
    seat = stalls.seat(task)
    vote = seat.call("vote_cast", verdict="approve")
    assert vote["code"] == "tool_not_allowed"
    body = seat.ask("routine_create", name="x")
    assert "There is no tool" in json.dumps(body.json)
    seat.leave()


@pytest.mark.slow
@pytest.mark.proves("W-12", "R-16")
def test_the_owner_itself_passes_a_turn_on_that_nobody_takes(stage: Room, tmp_path: Path) -> None:
    stalls = Stalls(stage, tmp_path / "stalls")
    ada = stalls.seat(stage.task("Hers", stalls.agent("ada")))
    bob = stalls.seat(stage.task("His", stalls.agent("bob")))
    assert ada.call("turn_request", reason="first")["status"] == "scheduled"
    waits = bob.call("turn_request", reason="second")
    assert (waits["status"], waits["place"]) == ("requested", 1)
    advance(stage.house, 61)
    assert bob.call("turn_start")["status"] == "started"
    assert ada.call("turn_start")["code"] == "turn_waits"
    advance(stage.house, 3601)
    assert bob.call("turn_complete")["code"] == "no_turn", "an hour is over"
    assert ada.call("turn_start")["status"] == "started"
    for seat in (ada, bob):
        seat.leave("Done.")


def test_the_tools_are_shown_with_what_each_takes(shared: House) -> None:
    told = shared.cli("mcp", "inspect")
    heads = [line for line in told.out.splitlines() if line[:1].strip()]
    assert {line.split()[0] for line in heads} == CONTRACT
    assert "task_comment text [task_id]" in heads
    assert "approval_request text" in heads
    described = shared.cli("mcp", "inspect", "--json").json
    assert [one["name"] for one in described] == [line.split()[0] for line in heads]


def test_a_bridge_without_a_run_says_whose_it_is(shared: House) -> None:
    told = shared.cli("mcp", "stdio", env={"ROUNDTABLE_MCP_URL": f"{shared.facts['url']}/mcp"})
    assert (told.code, told.out) == (2, "")
    assert "missing: $ROUNDTABLE_MCP_TOKEN. Roundtable sets them for each agent" in told.err

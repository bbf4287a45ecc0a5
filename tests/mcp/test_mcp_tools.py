"""The tools as the SDK's own client sees them, over HTTP and through the bridge."""

import json
from contextlib import AsyncExitStack
from datetime import timedelta

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_house import BRIDGE, House, call, play

from roundtable_desktop.mcp import longer
from roundtable_desktop.mcp.tools import describe
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.placed import Placed
from roundtable_desktop.model.states import DependencyType

NAMES = [
    *("state_get", "state_watch"),
    *("task_get", "task_list", "task_comment", "task_progress", "task_result", "task_create"),
    *("approval_request", "task_update", "task_block", "wake_self"),
    *("proposal_get", "proposal_list", "vote_cast"),
    *("claim_acquire", "claim_release", "claim_list"),
    *("turn_request", "turn_start", "turn_complete"),
    *("memory_query", "memory_record"),
    *("repo_read", "repo_search", "proposal_create"),
    "test_run",
]

WAYS = [(way, mode) for way in ("http", "bridge") for mode in ("legacy", "auto", "2026-07-28")]


async def connect(stack: AsyncExitStack, house: House, way: str, mode: str = "auto") -> Client:
    if way == "http":
        headers = {"Authorization": f"Bearer {house.token}"}
        wire = httpx2.AsyncClient(headers=headers, trust_env=False)
        transport = streamable_http_client(f"{house.url}/", http_client=wire)
        await stack.enter_async_context(wire)
    else:
        known = {"ROUNDTABLE_MCP_URL": house.url, "ROUNDTABLE_MCP_TOKEN": house.token}
        transport = stdio_client(
            StdioServerParameters(command=BRIDGE[0], args=BRIDGE[1:], env=known)
        )
    return await stack.enter_async_context(Client(transport, mode=mode))  # type: ignore[arg-type]


@pytest.mark.proves("C-28")
@pytest.mark.parametrize(("way", "mode"), WAYS)
def test_an_agent_does_its_work(house: House, way: str, mode: str) -> None:
    """C-46: the names have underscores, whatever protocol the client speaks."""

    async def scene(stack: AsyncExitStack) -> None:
        client = await connect(stack, house, way, mode)
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == NAMES
        mine = await client.call_tool("task_get", {})
        assert mine.structured_content == house.desk.tasks["task-mine"]
        said = await client.call_tool("task_comment", {"text": "ünder way"})
        assert not said.is_error
        made = await client.call_tool("task_create", {"title": "Part", "assignee_agent": "ada"})
        part = await client.call_tool("task_get", {"task_id": made.structured_content["id"]})
        assert part.structured_content["parent_id"] == "task-mine"
        await client.call_tool("wake_self", {"reason": "look at CI", "in": "1h 30m"})
        ended = await client.call_tool("task_result", {"status": "completed", "summary": "ok"})
        assert ended.structured_content == {"status": "completed"}

    play(scene)
    assert house.desk.comments == ["ünder way"]
    assert house.desk.wakes == [("look at CI", None, timedelta(minutes=90))]
    assert [result.summary for result in house.desk.results] == ["ok"]
    assert (None in house.desk.keys) == (way == "http")


@pytest.mark.proves("N-10 checkpoint")
def test_what_it_has_to_know_now_comes_with_the_next_answer(house: House) -> None:
    house.desk.notices["run-a"] = "The developer leaves."
    (_, _, first), (_, _, second) = (house.ask(call("task_get")) for _ in range(2))
    told, mine = first["result"]["structuredContent"], house.desk.tasks["task-mine"]
    assert told == {**mine, "notice": "The developer leaves."}
    assert "The developer leaves." in first["result"]["content"][0]["text"]
    assert second["result"]["structuredContent"] == mine


@pytest.mark.proves("N-10 checkpoint")
def test_what_was_done_is_not_refused_for_want_of_a_notice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be done again."""

    def busy(_: object) -> None:
        raise Busy("database_busy")

    monkeypatch.setattr(house.desk, "notice", busy)
    (_, _, told) = house.ask(call("task_comment", text="under way"))
    assert not told["result"].get("isError") and house.desk.comments == ["under way"]


@pytest.mark.proves("A-03", "A-17")
def test_a_plan_is_made_of_edges_write_areas_and_what_matters(house: House) -> None:
    edge = {"depends_on_task_id": "task-1", "dependency_type": "soft", "reason": "so"}
    hard = {"depends_on_task_id": "task-2"}
    planned = {"depends_on": [edge, hard], "write_area": ["src/"], "priority": 5, "optional": True}
    _, _, made = house.ask(call("task_create", title="Part", **planned))
    assert not made["result"].get("isError")
    assert house.desk.placed == [
        Placed(
            depends_on=(
                Edge(
                    depends_on_task_id="task-1",
                    dependency_type=DependencyType.SOFT,
                    reason="so",
                    pointer="/depends_on/0",
                ),
                Edge(depends_on_task_id="task-2", pointer="/depends_on/1"),
            ),
            write_area=("src/",),
            priority=5,
            optional=True,
        )
    ]


@pytest.mark.parametrize("way", ["http", "bridge"])
def test_a_client_is_told_that_its_access_ended(house: House, way: str) -> None:
    async def scene(stack: AsyncExitStack) -> None:
        client = await connect(stack, house, way, "legacy")
        house.end("run-a")
        with pytest.raises(Exception, match=r"access has ended|401|opens nothing"):
            await client.call_tool("task_get", {})

    play(scene)


# --- what is refused -----------------------------------------------------------------------------


def told(house: House, tool: str, /, **arguments: object) -> dict[str, object]:
    status, _, answer = house.ask(call(tool, **arguments))
    assert status == 200
    result = answer["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(result["structuredContent"]["code"])
    return result["structuredContent"]  # type: ignore[no-any-return]


RESULT = {"status": "completed"}


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize("given", [{**RESULT, "done": True}, {"status": "blocked"}])
def test_a_report_that_is_refused_is_kept_for_people(
    house: House, given: dict[str, object]
) -> None:
    refused = told(house, "task_result", **given)
    words = refused["message"], *(one["message"] for one in refused["errors"])  # type: ignore[attr-defined]
    assert not any("permitted" in one or "Input" in one for one in words)
    assert [json.loads(one) for one in house.desk.refused] == [given]
    told(house, "task_comment", text="")
    assert len(house.desk.refused) == 1 and not house.desk.results


@pytest.mark.parametrize(
    ("tool", "arguments", "pointer"),
    [
        ("task_get", {"run_id": "run-b"}, "/run_id"),
        ("task_get", {"task_id": 7}, "/task_id"),
        ("task_comment", {"text": "a", "task_id": 7}, "/task_id"),
        (
            "task_create",
            {
                "title": "a",
                "depends_on": [{"depends_on_task_id": "t-1234", "dependency_type": "x"}],
            },
            "/depends_on/0/dependency_type",
        ),
        ("task_create", {"title": "a", "write_area": [""]}, "/write_area/0"),
        ("task_list", {"status": "over"}, "/status"),
        ("task_progress", {"text": "a", "percent": 101}, "/percent"),
        ("task_list", {"limit": 1000}, "/limit"),
        ("task_comment", {}, "/text"),
        ("task_comment", {"text": ""}, "/text"),
        ("task_comment", {"text": "x" * 16_385}, "/text"),
        ("task_result", {**RESULT, "done": True}, "/done"),
        ("task_result", {"status": "approved"}, "/status"),
        ("task_result", {**RESULT, "summary": "x" * 8193}, "/summary"),
        ("task_result", {**RESULT, "evidence": [{"kind": "note", "x": 1}]}, "/evidence/0/x"),
        ("task_result", {**RESULT, "resumable": "yes"}, "/resumable"),
        ("task_create", {"title": "a", "workspace_id": "other"}, "/workspace_id"),
        ("task_create", {"title": "a", "parent_id": "task-others"}, "/parent_id"),
        ("task_create", {"title": "a\nb"}, "/title"),
        ("task_create", {"title": "a", "description": "x" * 65_537}, "/description"),
        ("state_get", {"workspace_id": "other"}, "/workspace_id"),
        ("state_watch", {"cursor": 7}, "/cursor"),
        ("state_watch", {"cursor": "-1"}, "/cursor"),
        ("state_watch", {"wait_seconds": 2}, "/wait_seconds"),
        ("task_update", {"impact": "large"}, "/impact"),
        ("task_update", {"task_id": "task-mine", "status": "done"}, "/status"),
        ("task_block", {"reason": "a", "action": "b", "owner": "nobody"}, "/owner"),
        ("claim_acquire", {"resources": []}, "/resources"),
        ("turn_request", {"reason": ""}, "/reason"),
        ("memory_query", {"workspace_id": "w"}, "/workspace_id"),
        ("memory_record", {"topic": "a\nb", "text": "x"}, "/topic"),
        ("memory_record", {"topic": "a", "text": "x" * 4097}, "/text"),
        ("turn_start", {"turn_id": "x"}, "/turn_id"),
        ("turn_complete", {"summary": 1}, "/summary"),
        ("repo_read", {"path": "a", "commit": "HEAD"}, "/commit"),
        ("repo_read", {"path": "a", "limit": 65_537}, "/limit"),
        ("repo_search", {"words": "a\nb"}, "/words"),
        ("proposal_create", {"patch": ""}, "/patch"),
        ("proposal_create", {"patch": "x" * 524_289}, "/patch"),
        ("proposal_create", {"patch": "x", "base": "HEAD"}, "/base"),
        ("proposal_create", {"patch": "x", "base": "--output=/tmp/p"}, "/base"),
        ("proposal_create", {"patch": "x", "task_id": "task-others"}, "/task_id"),
        ("claim_acquire", {"resources": "src"}, "/resources"),
        ("claim_acquire", {"resources": ["a"], "run_id": "run-b"}, "/run_id"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused_by_name(
    house: House, tool: str, arguments: dict[str, object], pointer: str
) -> None:
    refused = told(house, tool, **arguments)
    assert refused["code"] == "bad_arguments"
    assert [fault["pointer"] for fault in refused["errors"]] == [pointer]  # type: ignore[attr-defined]
    assert not house.desk.keys and not house.desk.claims.asked


def test_sizes_are_counted_in_bytes(house: House) -> None:
    assert told(house, "task_comment", text="ü" * 8193)["code"] == "text_too_large"
    evidence = [{"kind": "note", "text": "x" * 1000}] * 70
    assert told(house, "task_result", **RESULT, evidence=evidence)["code"] == "text_too_large"
    assert not house.desk.keys


def test_what_is_to_change_is_named_and_what_a_change_means_needs_no_name(house: House) -> None:
    assert told(house, "task_update", title="a")["code"] == "name_a_task_below"
    answer = house.ask(call("task_update", impact="implementation", note="They dig on."))[2]
    assert answer["result"]["isError"] is False


def test_a_blocked_result_says_who_has_to_do_what(house: House) -> None:
    assert told(house, "task_result", status="blocked")["code"] == "blocked_on_nobody"
    blocked = {"owner": "user", "action": "Decide."}
    answer = house.ask(call("task_result", status="blocked", blocked=blocked))[2]
    assert answer["result"]["isError"] is False


def test_what_belongs_to_others_is_refused_like_what_does_not_exist(house: House) -> None:
    theirs, none = (told(house, "task_get", task_id=f"task-{word}") for word in ("others", "none"))
    assert theirs == none
    assert theirs["code"] == "unknown_task"
    theirs, none = (
        told(house, "task_create", title="a", assignee_agent=word) for word in ("their bob", "none")
    )
    assert theirs == none


def test_the_engines_refusal_comes_as_code_and_sentence(house: House) -> None:
    refused = told(house, "task_create", title="too many")
    assert refused["code"] == "task_not_assigned"
    assert refused["message"] == "Nobody is assigned to this task. Assign an agent first."


def test_our_own_fault_is_told_without_its_inside(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    refused = told(house, "task_comment", text="break")
    assert refused["code"] == "tool_failed"
    assert "secret-of-the-inside" not in str(refused)
    assert "secret-of-the-inside" in caplog.text
    assert house.token not in caplog.text


def test_every_tool_is_described_without_a_server() -> None:
    described = describe()
    assert [tool["name"] for tool in described] == NAMES
    for tool in described:
        assert tool["description"]
        schema = tool["input_schema"]
        assert schema["type"] == "object"  # type: ignore[index]
        assert schema["additionalProperties"] is False  # type: ignore[index]
        assert '"title":"' not in json.dumps(schema, separators=(",", ":")), "words for nobody"
    [made] = [tool for tool in described if tool["name"] == "task_create"]
    assert {"title", "description"} <= made["input_schema"]["properties"].keys()  # type: ignore[index]


# --- what takes longer ---------------------------------------------------------------------------


def test_no_call_waits_longer_than_two_seconds_and_what_goes_on_is_done_once(house: House) -> None:
    """The handle is the same call: of the same run, with the same words."""
    house.desk.go.clear()
    assert longer.PATIENCE < 2
    assert told(house, "task_comment", text="slow")["code"] == "takes_longer"
    house.desk.go.set()
    _, _, answer = house.ask(call("task_comment", text="slow"))
    assert answer["result"]["structuredContent"] == {"id": "comment-1"}
    assert house.desk.comments == ["slow"]
    house.ask(call("task_comment", text="slow"))
    assert house.desk.comments == ["slow", "slow"], "a later one is another"


def test_what_goes_on_for_one_run_is_no_answer_for_another(house: House) -> None:
    house.desk.go.clear()
    assert told(house, "task_comment", text="slow")["code"] == "takes_longer"
    house.desk.go.set()
    house.ask(call("task_comment", text="slow"), token=house.run("run-b"))
    assert house.desk.comments == ["slow", "slow"]

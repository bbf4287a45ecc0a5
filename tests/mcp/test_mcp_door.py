"""Who gets in at `/mcp`, with what, and how many at once."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp_house import DASHBOARD_TOKEN, House, call

from roundtable_desktop.mcp import longer
from roundtable_desktop.mcp.answers import Answer
from roundtable_desktop.mcp.tools import TOOLS

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def nested(depth: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":' + b"[" * depth + b"]" * depth + b"}"


def test_a_live_run_is_answered_at_both_addresses(house: House) -> None:
    for path in ("/mcp", "/mcp/"):
        status, _, answer = house.ask(LIST, path=path)
        assert status == 200
        assert len(answer["result"]["tools"]) == len(TOOLS)


@pytest.mark.parametrize(
    "token",
    [None, "wrong", DASHBOARD_TOKEN, "é" * 43, "x" * 20_000],
    ids=["none", "wrong", "dashboard's", "not ASCII", "long"],
)
def test_any_other_token_is_401(house: House, token: str | None) -> None:
    status, headers, answer = house.ask(call("task_get"), token=token)
    assert status == 401
    assert headers["WWW-Authenticate"] == "Bearer"
    assert answer["error"]["data"] == {"code": "run_access_over"}


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz"])
def test_what_is_no_bearer_token_is_401(house: House, authorization: str) -> None:
    assert house.ask(LIST, token=None, Authorization=authorization)[0] == 401


def test_a_token_in_the_address_is_401(house: House) -> None:
    assert house.ask(LIST, token=None, path=f"/mcp?token={house.token}")[0] == 401


def test_a_token_dies_with_its_run_and_no_other_does(house: House) -> None:
    other = house.run("run-b")
    assert house.ask(call("task_get"))[0] == 200
    house.end("run-a")
    assert house.ask(call("task_get"))[0] == 401, "from the first call on"
    assert house.ask(call("task_get"), token=other)[0] == 200


def test_who_holds_a_token_is_asked_at_each_call(house: House) -> None:
    for _ in range(3):
        house.ask(LIST)
    assert house.desk.lookups == 3


def test_an_agents_token_opens_nothing_else(house: House) -> None:
    """K-08: what an agent may not ask for has no tool, and its token no other door."""
    for path in ("/api/v1/tasks", "/api/v1/approvals", "/closed"):
        for method in ("GET", "POST"):
            assert house.ask({}, method=method, path=path)[0] == 401


def test_an_agent_cannot_approve_wake_fire_or_spend(house: House) -> None:
    for tool in ("proposal_approve", "wake_agent", "routine_create", "budget_set", "task.create"):
        status, _, answer = house.ask(call(tool))
        assert (status, answer["error"]["code"]) == (200, -32602)


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_there_is_no_stream_and_no_session_to_end(house: House, method: str) -> None:
    status, headers, _ = house.ask(method=method)
    assert status == 405
    assert "POST" in headers["Allow"]


def test_pages_of_others_and_other_names_are_kept_out_by_the_guard(house: House) -> None:
    assert house.ask(LIST, Origin="https://evil.example")[0] == 403
    assert house.ask(LIST, Host="evil.example")[0] == 421
    assert house.desk.lookups == 0


@pytest.mark.proves("S-57")
@pytest.mark.parametrize("depth", [65, 1000, 100_000])
def test_a_deeply_nested_message_is_400(house: House, depth: int) -> None:
    assert house.ask(nested(depth))[0] == 400
    assert house.ask(LIST)[0] == 200


@pytest.mark.proves("S-58")
@pytest.mark.parametrize(
    "value",
    [
        b"NaN",
        b"1e999",
        b"9" * 5000,
        b"18446744073709551616",
        b'"\\ud800"',
        b'"a\\u0000b"',
        b'{"a":1,"a":2}',
        b'"\xff"',
        b"01",
    ],
)
def test_what_breaks_parsers_is_400(house: House, value: bytes) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%s}}' % value
    assert house.ask(body)[0] == 400


@pytest.mark.proves("S-59")
def test_a_huge_message_is_413(house: House) -> None:
    assert house.ask(b" " * ((1 << 20) + 1))[0] == 413


@pytest.mark.parametrize("body", [[LIST], [LIST] * 10_000, [], 1, "text", None])
def test_a_batch_is_400(house: House, body: object) -> None:
    status, _, answer = house.ask(body)
    assert (status, answer["error"]["data"]["code"]) == (400, "one_message")


@pytest.mark.parametrize("body", [b"", b"{", b"POST / HTTP/1.1"])
def test_what_is_no_json_is_400(house: House, body: bytes) -> None:
    assert house.ask(body)[0] == 400


@pytest.mark.parametrize("body", [{}, {"jsonrpc": "2.0"}, {"id": 1, "method": "ping"}])
def test_json_that_is_no_message_is_400(house: House, body: object) -> None:
    assert house.ask(body)[0] == 400


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "1999-01-01", "ü"])
def test_nothing_opens_a_stream(house: House, version: str) -> None:
    """Whatever is asked for, in whatever protocol: one JSON answer, at once."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    for method in ("subscriptions/listen", "resources/subscribe", "logging/setLevel"):
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}
        _, headers, answer = house.ask(
            asked,
            Accept="application/json, text/event-stream",
            MCP_Protocol_Version=version,
            Mcp_Method=method,
        )
        assert headers["Content-Type"] == "application/json"
        assert "error" in answer


def test_a_form_is_refused(house: House) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert house.ask(LIST, Content_Type=kind)[0] in (400, 415)


@pytest.mark.parametrize("key", ["", "x" * 201, "two words"])
def test_an_unusable_key_is_400(house: House, key: str) -> None:
    status, _, answer = house.ask(call("task_comment", text="a"), Idempotency_Key=key)
    assert (status, answer["error"]["data"]["code"]) == (400, "bad_idempotency_key")


def test_the_same_key_is_the_same_act(house: House) -> None:
    made = [house.ask(call("task_comment", text="a"), Idempotency_Key="k")[2] for _ in range(3)]
    assert made[0] == made[1] == made[2]
    assert house.desk.comments == ["a"]
    house.ask(call("task_comment", text="a"), Idempotency_Key="other")
    house.ask(call("task_comment", text="a"), token=house.run("run-b"), Idempotency_Key="k")
    house.ask(call("task_comment", text="a"))
    assert house.desk.comments == ["a"] * 4


def test_a_fifth_call_at_once_is_503_and_may_come_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(longer, "PATIENCE", 100)  # however busy the machine is
    house.desk.go.clear()
    with ThreadPoolExecutor(4) as agents:
        asked = [agents.submit(house.ask, call("task_comment", text=f"{n}")) for n in range(4)]
        for _ in asked:
            assert house.desk.inside.acquire(timeout=60)
        status, headers, answer = house.ask(call("task_get"))
        assert (status, headers["Retry-After"]) == (503, "1")
        assert answer["error"]["data"] == {"code": "unavailable"}
        assert house.ask(LIST, token="wrong")[0] == 401
        house.desk.go.set()
        assert [one.result()[0] for one in asked] == [200] * 4
    assert house.ask(call("task_get"))[0] == 200


def test_closing_waits_for_what_is_under_way_and_leaves_no_thread(house: House) -> None:
    house.desk.go.clear()
    with ThreadPoolExecutor(2) as others:
        asked = others.submit(answer_to, house, "last")
        assert house.desk.inside.acquire(timeout=60)
        stopping = others.submit(house.door.stop)
        time.sleep(0.1)
        assert answer_to(house, "late").status == 503
        house.desk.go.set()
        assert asked.result(60).status == 200
        stopping.result(60)
    assert house.desk.comments == ["last"]
    assert not [t for t in threading.enumerate() if t.name.startswith("mcp")]
    assert answer_to(house, "after").status == 503


def answer_to(house: House, text: str) -> Answer:
    """Past the web server, which ends before the door does."""
    plain = {"Accept": "application/json", "Content-Type": "application/json"}
    headers = [*plain.items(), ("Authorization", f"Bearer {house.token}")]
    return house.door.answer("POST", headers, json.dumps(call("task_comment", text=text)).encode())

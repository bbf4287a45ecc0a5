"""The bridge: every message is answered once, whatever happens to the app meanwhile."""

import json
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from mcp_house import BRIDGE, House, call

from roundtable_desktop.mcp import longer

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_the_handshake_is_the_servers(house: House) -> None:
    [answer] = house.through_bridge(INITIALIZE, INITIALIZED)
    assert answer["id"] == "first"
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "roundtable"
    assert house.statuses == [200, 202]


def test_five_calls_at_once_are_all_answered(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(longer, "PATIENCE", 100)  # however busy the machine is
    house.desk.go.clear()
    with house.bridge() as bridge:
        assert bridge.stdin and bridge.stdout
        for number in range(5):
            line = json.dumps(call("task_comment", number, text=f"{number}"))
            bridge.stdin.write(line.encode() + b"\n")
        bridge.stdin.flush()
        until = time.monotonic() + 60
        while 503 not in house.statuses and time.monotonic() < until:
            time.sleep(0.01)
        house.desk.go.set()
        answers = [json.loads(bridge.stdout.readline()) for _ in range(5)]
        bridge.stdin.close()
    assert 503 in house.statuses
    assert sorted(answer["id"] for answer in answers) == [0, 1, 2, 3, 4]
    assert not any(answer["result"]["isError"] for answer in answers)
    assert sorted(house.desk.comments) == ["0", "1", "2", "3", "4"]


@pytest.mark.slow
def test_a_call_that_a_restart_cuts_is_done_once(house: House) -> None:
    house.desk.go.clear()
    with house.bridge() as bridge:
        assert bridge.stdin and bridge.stdout
        bridge.stdin.write(json.dumps(call("task_comment", 7, text="once")).encode() + b"\n")
        bridge.stdin.flush()
        assert house.desk.inside.acquire(timeout=60)
        closing = threading.Thread(target=house.close)
        closing.start()  # the write is done; its answer is cut off
        time.sleep(2.5)
        house.desk.go.set()
        closing.join(60)
        house.open()
        first = json.loads(bridge.stdout.readline())
        assert first["result"]["structuredContent"]["code"] == "takes_longer"
        bridge.stdin.write(json.dumps(call("task_comment", 8, text="once")).encode() + b"\n")
        bridge.stdin.flush()
        answer = json.loads(bridge.stdout.readline())
        bridge.stdin.close()
    assert (answer["id"], answer["result"]["structuredContent"]) == (8, {"id": "comment-1"})
    assert house.desk.comments == ["once"]
    assert len(house.desk.keys) == 2
    assert len(set(house.desk.keys)) == 1


def test_it_waits_for_an_app_that_is_not_there_yet(house: House) -> None:
    house.close()
    with house.bridge() as bridge:
        assert bridge.stdin and bridge.stdout
        bridge.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        bridge.stdin.flush()
        time.sleep(0.5)
        house.open()
        assert json.loads(bridge.stdout.readline())["result"]["serverInfo"]["name"] == "roundtable"
        bridge.stdin.close()


def test_what_is_no_message_is_answered_and_the_rest_goes_on(house: House) -> None:
    answers = house.through_bridge(
        b"garbage",
        b"[" * 100_000,
        [call("task_get")],
        b"x" * ((1 << 20) + 5),
        b"",
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        call("task_get", "last"),
    )
    *refused, last = sorted(answers, key=lambda answer: answer["id"] is not None)
    assert [answer["error"]["code"] for answer in refused] == [-32700, -32700, -32600, -32600]
    assert (last["id"], last["result"]["isError"]) == ("last", False)


def test_a_refusal_of_the_door_bears_the_callers_id(house: House) -> None:
    deep = b'{"jsonrpc":"2.0","id":5,"method":"ping","params":' + b'{"a":' * 80 + b"1" + b"}" * 81
    [answer] = house.through_bridge(deep)
    assert (answer["id"], answer["error"]["data"]["code"]) == (5, "unreadable_json")


def test_an_ended_run_is_told_so_and_the_token_is_nowhere(house: House) -> None:
    house.end("run-a")
    [answer] = house.through_bridge(call("task_get"))
    assert answer["error"]["data"] == {"code": "run_access_over"}
    assert house.token not in json.dumps(answer)


def test_names_that_no_header_can_hold_are_carried(house: House) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    strange = call("täsk\r\nX-Evil: 1")
    strange["params"]["_meta"] = meta
    plain = call("task_get", 2)
    plain["params"]["_meta"] = meta
    answers = {answer["id"]: answer for answer in house.through_bridge(strange, plain)}
    assert "There is no tool" in answers[1]["error"]["message"]
    assert answers[2]["result"]["structuredContent"]["id"] == "task-mine"


def test_a_proxy_of_the_environment_sees_nothing(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        where = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        with house.bridge(http_proxy=where, HTTP_PROXY=where, ALL_PROXY=where) as bridge:
            out, _ = bridge.communicate(json.dumps(call("task_get")).encode() + b"\n", timeout=90)
        assert json.loads(out)["result"]["isError"] is False
        proxy.settimeout(0.1)
        with pytest.raises(TimeoutError):
            proxy.accept()


class Stranger(BaseHTTPRequestHandler):
    """Whatever else may listen on a port that the app has left."""

    def do_POST(self) -> None:
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<h1>do as I say</h1>")

    def log_message(self, *told: object) -> None: ...


def test_a_stranger_on_the_port_gets_no_word_through(house: House) -> None:
    with HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        threading.Thread(target=stranger.serve_forever).start()
        url = f"http://127.0.0.1:{stranger.server_port}/mcp"
        with house.bridge(ROUNDTABLE_MCP_URL=url) as bridge:
            out, err = bridge.communicate(json.dumps(call("task_get")).encode() + b"\n", timeout=90)
        stranger.shutdown()
    assert json.loads(out)["error"]["message"] == "Roundtable answered with HTTP 404."
    assert err == b""


def test_what_was_said_is_done_though_nobody_listens_any_more(house: House) -> None:
    with house.bridge() as bridge:
        assert bridge.stdin and bridge.stdout and bridge.stderr
        bridge.stdout.close()
        bridge.stdin.write(b"garbage\n" + json.dumps(call("task_comment", text="a")).encode())
        bridge.stdin.close()
        assert bridge.stderr.read() == b""
    assert bridge.returncode == 0
    assert house.desk.comments == ["a"]


@pytest.mark.parametrize(
    "environment",
    [
        {"ROUNDTABLE_MCP_URL": ""},
        {"ROUNDTABLE_MCP_TOKEN": ""},
        {"ROUNDTABLE_MCP_URL": "ftp://127.0.0.1/tok3n"},
        {"ROUNDTABLE_MCP_URL": "http://127.0.0.1:tok3n/"},
    ],
)
def test_without_an_address_or_a_token_it_says_what_is_missing(environment) -> None:
    known = {"ROUNDTABLE_MCP_URL": "http://127.0.0.1:9/mcp", "ROUNDTABLE_MCP_TOKEN": "tok3n"}
    ran = subprocess.run(BRIDGE, env={**known, **environment}, input=b"", capture_output=True)
    assert ran.returncode == 64
    assert b"ROUNDTABLE_MCP_" in ran.stderr
    assert b"tok3n" not in ran.stderr + ran.stdout


def test_it_loads_the_standard_library_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import roundtable_desktop.mcp.bridge; "
        "print(*{n.split('.')[0] for n in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    told = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert told.stdout.split() == ["roundtable_desktop"]

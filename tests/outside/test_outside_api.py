"""The API as a program meets it: its description, what it refuses, what it promises twice."""

import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from outside_house import Answer, House, Room, until
from outside_talk import demo, item_of, office, script

JSON = {"Content-Type": "application/json"}
PROBLEM = {"status", "title", "detail", "code", "request_id"}
BUDGET = {"scope": "workspace", "meter": "runs", "period": "month", "limit": 1000}
BY_STRANGERS = {"/api/routine-triggers/{public_id}/fire"}
"""Whoever may not is answered alike, whatever was sent; a sender names its delivery (S-51)."""
BAD = {
    "deep": b'{"a":' * 100_000,
    "deep list": b"[" * 100_000 + b"]" * 100_000,
    "deep closed": b'{"title":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "nan": b'{"title": "x", "retry_budget": NaN}',
    "infinity": b'{"title": "x", "retry_budget": -Infinity}',
    "1e999": b'{"title": "x", "retry_budget": 1e999}',
    "long integer": b'{"title": "x", "retry_budget": ' + b"9" * 5000 + b"}",
    "2^70": b'{"title": "x", "retry_budget": 1180591620717411303424}',
    "lone surrogate": b'{"title": "\\ud800"}',
    "nul": b'{"title": "a\\u0000b"}',
    "twice": b'{"title": "a", "title": "b"}',
    "number for text": b'{"title": 7}',
    "list": b"[]",
    "text": b'"x"',
    "null": b"null",
    "half": b'{"title": "x"',
    "bom": b'\xef\xbb\xbf{"title": "x"}',
    "latin": b'{"title": "caf\xe9"}',
    "utf-16": '{"title": "x"}'.encode("utf-16"),
    "unknown": b'{"title": "x", "color": "red"}',
    "control in a name": b'{"title": "x", "name": "a\\u001bb"}',
}
BY_READER = (
    *("deep", "deep list", "deep closed", "nan", "infinity", "1e999", "long integer"),
    *("twice", "half", "bom", "latin", "utf-16"),
)
SOME = 4
"""What reads bodies refuses those before any route is asked: one in so many routes gets each."""


def routes(house: House) -> list[tuple[str, str, Any]]:
    document = house.get("/openapi.json")
    return [
        (method.upper(), path, told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
        if method in ("get", "post", "patch", "put", "delete")
    ]


def filled(path: str, ref: str = "zzzzzz") -> str:
    return re.sub(r"\{\w+\}", ref, path)


def ask(house: House, method: str, path: str, body: bytes | None = None, **more: str) -> Answer:
    headers = {"Authorization": f"Bearer {house.token}"}
    if body is not None:
        headers |= JSON
    sent = {name.replace("_", "-"): value for name, value in more.items()}
    return house.ask(method, path, body, headers | sent)


def check_problem(answer: Answer) -> None:
    assert answer["Content-Type"] == "application/problem+json", answer.text
    assert answer.json.keys() >= PROBLEM and answer.json["status"] == answer.status
    for word in ("Traceback", 'File "', "SELECT", "sqlite", "roundtable_desktop", "/home/"):
        assert word not in answer.text
    assert answer["Server"] == "" and answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff" and answer["X-Frame-Options"] == "DENY"


@pytest.mark.slow
@pytest.mark.proves("C-110")
def test_the_description_holds_every_route_and_its_answers(room: Room) -> None:
    house = room.house
    reports = '{"status": "completed", "artifacts": [{"path": "d.txt"}]}'
    lines = f"echo d > d.txt; echo '{reports}' > $ROUNDTABLE_RESULT_FILE"
    task = room.task("Described", room.shell(lines))
    asks = room.task("Ask", demo(room), description=script("ask May I?"))
    run, proposal = room.ended(task), room.proposal(task)
    agent = task["assignee_agent_id"]
    recurs = {"workspace_id": room.id, "name": "Recurs", "assignee_agent_id": agent}
    gate = room.task("Gate", requires_approval=True)
    for to in ("in_progress", "in_review"):
        house.post(f"/tasks/{gate['id']}/move", {"status": to})
    refs = {
        "approvals": house.get("/approvals", task_id=gate["id"])["items"][0]["id"],
        "workspaces": room.id,
        "agents": agent,
        "routines": office(house, "POST", "", recurs).json["id"],
        "tasks": task["id"],
        "runs": run["id"],
        "wakeups": run["wakeup_id"],
        "proposals": proposal["id"],
        "inbox": item_of(room, asks)["id"],
        "artifacts": house.get(f"/runs/{run['id']}/artifacts")["items"][0]["id"],
        "sittings": house.post(f"/workspaces/{room.id}/sittings", {"goal": "Go"})["id"],
        "budgets": house.post("/budgets", {"workspace_id": room.id, **BUDGET})["id"],
        "missions": house.post("/missions", {"workspace_id": room.id, "goal": "Go"})["id"],
    }
    document = house.get("/openapi.json")
    assert document["openapi"].startswith("3.1")
    seen = 0
    for method, path, told in routes(house):
        assert told.get("summary") or told.get("description"), path
        responses = told["responses"]
        noun = path.split("/")[3] if path.count("/") > 2 else ""
        content = responses.get("200", {}).get("content", {})
        endless = "text/event-stream" in content
        if method == "GET" and "trigger" not in path and not endless:
            answer = ask(house, "GET", filled(path, refs.get(noun, "zzzzzz")))
            assert answer.status == 200 and "200" in responses, (path, answer.text)
            assert answer["Content-Type"].partition(";")[0] in content, path
            if "$ref" in content.get("application/json", {}).get("schema", {}):
                name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
                schema = document["components"]["schemas"][name]
                assert answer.json.keys() == schema["properties"].keys(), path
            seen += 1
        if "{" in path:
            body, key = b"{}" if method != "GET" else None, "nobody-knows-it"
            absent = ask(house, method, filled(path), body, Idempotency_Key=key)
            wanted = (401,) if path in BY_STRANGERS else (404, 422)
            assert absent.status in wanted and str(absent.status) in responses, (method, path)
            check_problem(absent)
        signed_out = house.ask(method, filled(path))
        assert signed_out.status == 401 and "401" in responses, path
        check_problem(signed_out)
        other = ask(house, "PUT", filled(path), b"{}")
        assert other.status == 405 and other["Allow"], path
    assert seen >= 14


@pytest.mark.slow
@pytest.mark.proves("S-57", "S-58", "C-110")
def test_no_bad_body_is_ever_a_500_and_nothing_is_made(running: House) -> None:
    house = running  # in a home that is shared something may go on
    before = [len(house.query(f"SELECT id FROM {noun}")) for noun in ("tasks", "agents")]
    with_body = [one for one in routes(house) if one[0] not in ("GET", "DELETE")]
    for number, (method, path, told) in enumerate(with_body):
        for turn, (name, body) in enumerate(BAD.items()):
            elsewhere = (number + turn) % SOME and path not in BY_STRANGERS
            if name in BY_READER and elsewhere:
                continue
            answer = ask(house, method, filled(path), body)
            assert 400 <= answer.status < 500, (method, path, name, answer.status)
            if name.startswith("deep") or name in ("nan", "half", "twice", "utf-16"):
                wanted = (401, 413) if path in BY_STRANGERS else (400,)
                assert answer.status in wanted, (path, name, answer.status)
            check_problem(answer)
            assert str(answer.status) in told["responses"], (method, path, name, answer.status)
    for query in (
        "limit=0", "limit=201", "limit=x", "limit=1e3", "cursor=%00", "cursor=%F0%9F%98%80",
        "cursor=AAAA", "odd=1", "limit=1&limit=2", "limit=" + "9" * 400, "workspace_id=%27--",
        "status=%3Cb%3E", "after=" + "9" * 30, "after=-1", "number=" + "9" * 19, "number=0",
    ):  # fmt: skip
        for method, path, _ in routes(house):
            if method == "GET":
                answer = ask(house, "GET", f"{filled(path)}?{query}")
                assert answer.status < 500, (path, query, answer.text)
    after = [len(house.query(f"SELECT id FROM {noun}")) for noun in ("tasks", "agents")]
    assert after == before
    assert house.ask("GET", "/healthz").json == {"status": "ok"}


@pytest.mark.proves("S-59")
def test_a_body_beyond_the_limit_is_413_by_length_and_by_chunks(room: Room) -> None:
    house = room.house
    head = f'{{"workspace_id": "{room.id}", "title": "x", "description": "'.encode()
    most = ask(house, "POST", "/api/v1/tasks", head + b"y" * 60_000 + b'"}')
    assert most.status == 201
    over = ask(house, "POST", "/api/v1/tasks", head + b"y" * (1 << 20) + b'"}')
    assert over.status == 413 and over.json["code"] == "body_too_large"
    again = ask(house, "POST", "/api/v1/tasks", head + b"y" * (1 << 20) + b'"}')
    assert over.json["request_id"] and over.json["request_id"] != again.json["request_id"]
    start = (
        f"POST /api/v1/tasks HTTP/1.1\r\nHost: {house.address}\r\n"
        f"Authorization: Bearer {house.token}\r\nContent-Type: application/json\r\n"
    )
    chunk = b"10000\r\n" + b"y" * 0x10000 + b"\r\n"
    for raw in (
        f"{start}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 18 + b"0\r\n\r\n",
        f"{start}Content-Length: 99999999999\r\n\r\n".encode(),
        f"{start}Content-Length: -1\r\n\r\n{{}}".encode(),
        f"{start}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{{}}".encode(),
    ):
        assert raw_status(house, raw) in (400, 413), raw[:300]
    assert len(house.get("/tasks", workspace_id=room.id)["items"]) == 1


def raw_status(house: House, raw: bytes) -> int:
    """The status of the answer; 400 when the connection is simply closed."""
    with socket.create_connection(("127.0.0.1", house.port), 10) as sock:
        try:
            sock.sendall(raw)
            first = sock.recv(4096)
        except (ConnectionResetError, BrokenPipeError):
            return 400
    return int(first.split()[1]) if first else 400


@pytest.mark.slow
@pytest.mark.proves("S-62", "S-01", "S-04")
def test_garbage_closes_its_own_connection_and_readers_are_served(running: House) -> None:
    """In a home of its own: what `/status` tells grows with the workspaces that others made."""
    house, room = running, running.room()
    for number in range(3):
        room.task(f"Read me {number}")
    for raw in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 2 + b"\r\n\r\n",
        b"\x00" * 1000 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: {house.address}\r\n".encode()
        + b"".join(b"X-%d: y\r\n" % n for n in range(5000))
        + b"\r\n",
        f"GET / HTTP/1.1\r\nHost: {house.address}\r\nA: {'x' * 300_000}\r\n\r\n".encode(),
        f"GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer {house.token}"
        "\r\n\r\n".encode(),
        f"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:{house.port + 1}\r\n\r\n".encode(),
    ):
        assert 400 <= raw_status(house, raw) < 500
    paths = ("/tasks", "/status", "/runs", "/events", "/agents") * 20

    def timed(path: str) -> float:
        began = time.monotonic()
        assert house.program("GET", path).status == 200
        return time.monotonic() - began

    def slow() -> float:
        with ThreadPoolExecutor(100) as pool:
            return sorted(pool.map(timed, paths))[94]

    # The promise is 1 s for the 95th of 100 on a machine of one's own; here others work too, and
    # where they leave nothing over it is asked again.
    until(lambda: slow() < 3, 60)


@pytest.mark.proves("W-26")
def test_a_change_of_what_was_changed_meanwhile_is_412(room: Room) -> None:
    one, two = room.shell("sleep 60", "one"), room.shell("sleep 60", "two")
    task = room.task("Whose")
    path = f"/tasks/{task['id']}"
    seen = room.house.program("GET", path)
    assert seen["ETag"] == f'"{task["revision"]}"'
    first = room.house.program("PATCH", path, {"assignee_agent_id": one}, If_Match=seen["ETag"])
    assert first.status == 200 and first["ETag"] != seen["ETag"]
    late = room.house.program("PATCH", path, {"assignee_agent_id": two}, If_Match=seen["ETag"])
    assert late.status == 412 and late.json["code"] == "changed_meanwhile"
    odd = room.house.program("PATCH", path, {"assignee_agent_id": two}, If_Match='"never"')
    assert odd.status == 412
    assert room.house.get(path)["assignee_agent_id"] == one
    ran = room.house.program("POST", f"{path}/run", {}, If_Match=seen["ETag"])
    assert ran.status == 412


@pytest.mark.slow
@pytest.mark.proves("W-26", "C-63")
def test_a_repeated_key_gives_the_same_task_and_another_body_is_409(room: Room) -> None:
    agent = room.shell("echo once >> once.txt")
    body = {"workspace_id": room.id, "title": "Once", "assignee_agent_id": agent}
    key = {"Idempotency_Key": "order-4711"}
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(room.house.program, "POST", "/tasks", body, **key) for _ in range(24)]
        made = [one.result() for one in asked]
    assert {one.status for one in made} <= {200, 201}, {one.status for one in made}
    assert len({one.json["id"] for one in made}) == 1
    other = room.house.program("POST", "/tasks", body | {"title": "Twice"}, **key)
    assert other.status == 409 and other.json["code"] == "key_reused"
    elsewhere = room.house.program("POST", "/workspaces", {"path": "/"}, **key)
    assert elsewhere.status in (409, 422)
    assert len(room.house.get("/tasks", workspace_id=room.id)["items"]) == 1
    task = made[0].json
    room.ended(task)
    assert len(room.house.get("/wakeups", task_id=task["id"])["items"]) == 1
    runs = [
        room.house.program("POST", f"/tasks/{task['id']}/run", {}, Idempotency_Key="again")
        for _ in range(3)
    ]
    assert {one.status for one in runs} == {202}
    room.ended(task, 2)
    assert len(room.house.get("/wakeups", task_id=task["id"])["items"]) == 2
    bad = room.house.program("POST", "/tasks", body, Idempotency_Key="x" * 201)
    assert 400 <= bad.status < 500


@pytest.mark.proves("W-30 keys")
def test_a_repeated_key_is_answered_though_its_branch_has_gone_since(room: Room) -> None:
    room.git("branch", "side")
    body = {"workspace_id": room.id, "title": "Aside", "base_branch": "side"}
    made = room.house.program("POST", "/tasks", body, Idempotency_Key="aside-1")
    room.git("branch", "-D", "side")
    again = room.house.program("POST", "/tasks", body, Idempotency_Key="aside-1")
    assert (made.status, again.status) == (201, 201), again.text
    assert again.json["id"] == made.json["id"]
    new = room.house.program("POST", "/tasks", body, Idempotency_Key="aside-2")
    assert (new.status, new.json["code"]) == (422, "unknown_branch")


@pytest.mark.proves("W-30 keys")
def test_every_post_takes_a_key_but_those_that_must_always_answer_anew(shared: House) -> None:
    paths = shared.get("/openapi.json")["paths"]
    without = {
        path
        for path, methods in paths.items()
        for taken in [{one["name"] for one in methods.get("post", {}).get("parameters", ())}]
        if "post" in methods and "Idempotency-Key" not in taken
    }
    twice = {"/api/v1/import", "/api/v1/doctor/fix"}  # done again they find nothing to do
    looks = {"/api/v1/simulate", "/api/v1/usage/forecast"}  # nothing is made
    assert without == {"/api/v1/sign-in-links"} | looks | twice | BY_STRANGERS
    links = [shared.post("/sign-in-links", Idempotency_Key="k")["url"] for _ in range(2)]
    assert links[0] != links[1]
    assert "key" in paths["/api/v1/sign-in-links"]["post"]["summary"]


@pytest.mark.proves("S-32", "S-30", "S-31")
def test_errors_show_no_trace_path_or_query(shared: House) -> None:
    for path in (
        "/console",
        "/static/../app.py",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/x" * 900,
    ):
        answer = ask(shared, "GET", path)
        assert answer.status in (404, 400), path
        for word in ("Traceback", "roundtable_desktop", "Werkzeug", "debugger"):
            assert word not in answer.text
        assert answer["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer["Server"] == ""
    odd = ask(shared, "GET", "/api/v1/tasks/abcdef?x=1")
    check_problem(odd)


@pytest.mark.proves("C-110")
def test_lists_go_on_by_their_cursor_without_gap_or_repeat(room: Room) -> None:
    for number in range(7):
        room.task(f"Number {number}")
    seen, cursor, pages = [], None, 0
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = room.house.get("/tasks", workspace_id=room.id, limit=3, **more)
        seen += [one["number"] for one in page["items"]]
        pages += 1
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert (seen, pages) == ([7, 6, 5, 4, 3, 2, 1], 3)
    feed, after = [], 0
    while events := room.house.get("/events", workspace_id=room.id, after=after, limit=3)["items"]:
        feed += [one["id"] for one in events]
        after = events[-1]["id"]
    assert feed == sorted(set(feed)) and len(feed) >= 8


@pytest.mark.slow
@pytest.mark.proves("C-104")
def test_nothing_is_delivered_twice(room: Room) -> None:
    task = room.task("Once", room.shell("echo 1 > one.txt"))
    proposal = room.proposal(task)
    room.delivered(proposal)
    again = room.house.program("POST", f"/proposals/{proposal['id']}/deliver", {})
    assert again.status == 409 and again.json["code"] == "proposal_not_open"
    assert "delivered" in again.json["detail"]
    assert room.git("rev-list", "--count", "HEAD") == "2"

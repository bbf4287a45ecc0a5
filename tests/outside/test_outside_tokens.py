"""What an agent's token opens, and what it does not, at a running owner (S-69)."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from outside_house import House, Room
from outside_talk import Seat, Stalls
from pictures.album import routes

pytestmark = pytest.mark.slow

NOBODYS = "0" * 26
PATCH = (
    "diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n"
    "@@ -0,0 +1 @@\n+by patch\n"
)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

NAMING: dict[str, list[tuple[str, Callable[[str], Mapping[str, object]]]]] = {
    "task": [
        ("task_get", lambda one: {"task_id": one}),
        ("task_comment", lambda one: {"task_id": one, "text": "Hello."}),
        ("task_update", lambda one: {"task_id": one, "title": "Mine now"}),
        ("task_block", lambda one: {"task_id": one, "reason": "r", "action": "a"}),
        ("task_create", lambda one: {"title": "x", "blocked_by": [one]}),
        ("task_create", lambda one: {"title": "x", "depends_on": [{"depends_on_task_id": one}]}),
    ],
    "proposal": [("proposal_get", lambda one: {"proposal_id": one})],
    "memory": [("memory_record", lambda one: {"topic": "t", "text": "x", "replaces": one})],
    "agent": [
        ("task_create", lambda one: {"title": "x", "assignee_agent": one}),
        ("task_create", lambda one: {"title": "x", "gates": [{"kind": "review", "agents": [one]}]}),
    ],
    "run": [
        ("task_get", lambda one: {"task_id": one}),
        ("test_run", lambda one: {"check_id": one}),
    ],
}
"""The tools that take the id of a noun, and how it is given."""


@pytest.fixture
def stalls(room: Room, tmp_path: Path) -> Stalls:
    return Stalls(room, tmp_path / "stalls")


def seated(stalls: Stalls, name: str) -> tuple[Any, Seat]:
    task = stalls.room.task(f"Of {name}", stalls.agent(name))
    return task, stalls.seat(task)


def kept(stalls: Stalls, name: str) -> tuple[Seat, dict[str, list[str]]]:
    """A run, and the ids of all that it has."""
    task, seat = seated(stalls, name)
    part = seat.call("task_create", title="A part")["id"]
    memory = seat.call("memory_record", topic="t", text=f"Of {name}.")["memory_id"]
    proposal = seat.call("proposal_create", patch=PATCH, message="Made.")["id"]
    return seat, {
        "task": [task["id"], part],
        "proposal": [proposal],
        "memory": [memory],
        "agent": [task["assignee_agent_id"]],
        "run": [seat.run],
    }


@pytest.mark.proves("S-69")
def test_what_another_run_has_is_to_it_as_if_it_were_not(
    stalls: Stalls, shared: House, tmp_path: Path
) -> None:
    _, hers = seated(stalls, "ada")
    elsewhere = Stalls(shared.room("elsewhere"), tmp_path / "elsewhere")
    far, theirs = kept(elsewhere, "cleo")
    near, his = kept(stalls, "bob")
    his = {noun: ids for noun, ids in his.items() if noun in ("task", "proposal", "run")}
    told: dict[tuple[str, str], str] = {}
    for noun, tools in NAMING.items():
        for tool, given in tools:
            wanted = hers.call(tool, **given(NOBODYS))
            assert wanted.get("code"), f"{tool} took an id of nothing"
            for one in [*theirs[noun], *his.get(noun, [])]:
                answer = json.dumps(hers.call(tool, **given(one)))
                if answer.replace(one, NOBODYS) != json.dumps(wanted):
                    told[noun, tool] = answer
    assert not told
    assert far.call("memory_query")["memories"][0]["text"] == "Of cleo.", "nothing was replaced"
    assert [one["text"] for one in hers.call("memory_query")["memories"]] == ["Of bob."]
    for seat in (hers, near, far):
        seat.leave()


@pytest.mark.proves("S-69", "F-13")
@pytest.mark.parametrize("how", ["cancelled", "killed"])
def test_a_token_is_dead_however_its_run_ended(stalls: Stalls, how: str) -> None:
    task, seat = seated(stalls, "ada")
    assert seat.ask("task_get").status == 200
    run = stalls.room.live(task)
    if how == "cancelled":
        stalls.room.house.post(f"/runs/{seat.run}/cancel")
    else:
        for one in run["processes"]:
            if one["role"] == "runner":
                psutil.Process(one["pid"]).kill()
    stalls.room.ended(task)
    assert seat.ask("task_result", status="completed", summary="Late.").status == 401
    stalls.room.house.post(f"/tasks/{task['id']}/cancel")  # else its next run would wait for us
    assert not stalls.room.house.run(seat.run)["result_json"]


@pytest.mark.proves("S-69")
def test_no_other_door_takes_an_agents_token(
    stalls: Stalls, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither as a program's token nor as a browser's session, at any route there is."""
    house = stalls.room.house
    _, seat = seated(stalls, "ada")
    bearer = {"Authorization": f"Bearer {seat.token}"}
    cookies = {"Cookie": f"__Host-roundtable={seat.token}; roundtable-{house.port}={seat.token}"}
    open_to_all = ("/healthz", "/static/", "/login", "/mcp")
    wrong, asked = [], 0
    for method, place in routes(tmp_path_factory.mktemp("routes")):
        path = place.replace("<>", NOBODYS)
        if path.startswith(open_to_all):
            continue
        asked += 1
        told = [
            house.ask(method, path, None, headers, host).status
            for headers, host in ((bearer, house.address), (cookies, house.browser_host))
        ]
        if told != [401, 401]:
            wrong.append((method, path, told))
    assert not wrong
    assert asked > 100
    assert seat.ask("task_get").status == 200, "it is alive all the while"
    seat.leave()


@pytest.mark.proves("S-69")
def test_the_door_takes_one_message_of_its_own_visitors(stalls: Stalls) -> None:
    house = stalls.room.house
    _, seat = seated(stalls, "ada")

    def status(body: object, **headers: str) -> int:
        sent = {"Authorization": f"Bearer {seat.token}", "Content-Type": "application/json"}
        return house.ask("POST", "/mcp", json.dumps(body), sent | headers).status

    assert status(LIST, Accept="application/json") == 200
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{house.port + 1}"):
        assert status(LIST, Origin=origin) == 403
    assert status(LIST, Host="evil.example") == 421
    assert status([LIST] * 10_000) == 400
    assert status(LIST, **{"Content-Length": str(5 << 20)}) == 413, "before it is read"
    assert status(LIST, Accept="application/json") == 200
    seat.leave()

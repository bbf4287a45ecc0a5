"""Nothing of one workspace is seen, woken or changed from another, and an agent's token opens no
door but its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from outside_house import House, Room
from outside_talk import Stalls, wakeups

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def pair(shared: House, tmp_path: Path) -> tuple[Room, Room]:
    return shared.room("ours"), shared.room("theirs")


def routes(house: House) -> Iterator[tuple[str, str]]:
    for path, methods in house.get("/openapi.json")["paths"].items():
        for method in methods:
            yield method.upper(), path


def counted(*rooms: Room) -> list[Any]:
    """What they hold; in other workspaces of this home something may be going on."""
    ids = ", ".join(f"'{one.id}'" for one in rooms)
    ours = f"WHERE workspace_id IN ({ids})"
    rows = [f"{table} {ours}" for table in ("tasks", "agents", "agent_wakeup_requests")]
    rows.append(f"comments WHERE task_id IN (SELECT id FROM tasks {ours})")
    rows.append(f"settings WHERE scope_id IN ('', {ids})")
    return [rooms[0].house.query(f"SELECT count(*), max(rowid) FROM {one}") for one in rows]


@pytest.mark.proves("K-64")
def test_an_agent_of_another_workspace_is_not_there(shared: House, pair: tuple[Room, Room]) -> None:
    ours, theirs = pair
    mine, stranger = ours.shell("true"), theirs.shell("true", name="stranger")
    before = counted(*pair)
    body = {"workspace_id": ours.id, "title": "Reach over", "assignee_agent_id": stranger}
    refused = shared.program("POST", "/tasks", body)
    assert refused.status == 404 and refused.json["code"] == "unknown_agent"
    assert counted(*pair) == before
    task = ours.task("Reach over", mine)
    before = counted(*pair)
    path = f"/tasks/{task['id']}"
    refused = shared.program("PATCH", path, {"assignee_agent_id": stranger})
    assert refused.status == 404 and refused.json["code"] == "unknown_agent"
    assert shared.get(path)["assignee_agent_id"] == mine
    assert shared.get("/wakeups", agent_id=stranger)["items"] == []


@pytest.mark.slow
@pytest.mark.proves("K-64")
def test_every_list_holds_what_is_of_its_workspace_alone(
    shared: House, pair: tuple[Room, Room]
) -> None:
    ours, theirs = pair
    task = ours.task("Ours", ours.shell("echo a > a.txt"))
    ours.ended(task)
    seen = 0
    for method, path in routes(shared):
        if method != "GET" or "{" in path:
            continue
        there = shared.program("GET", f"{path.removeprefix('/api/v1')}?workspace_id={theirs.id}")
        if there.status != 200 or not there.text.startswith("{") or "items" not in there.json:
            continue
        seen += 1
        of_others = [one for one in there.json["items"] if one.get("workspace_id", theirs.id)]
        assert all(one.get("workspace_id", theirs.id) == theirs.id for one in of_others), path
        assert task["id"] not in there.text, path
    assert seen >= 6


@pytest.mark.proves("K-64")
def test_an_agent_sees_and_wakes_nothing_of_another_workspace(
    shared: House, pair: tuple[Room, Room], tmp_path: Path
) -> None:
    ours, theirs = pair
    stalls = Stalls(ours, tmp_path / "stalls")
    task = ours.task("Ours", stalls.agent())
    stranger = theirs.shell("true", name="stranger")
    secret = theirs.task("Theirs", description="nobody else's business")
    seat = stalls.seat(task)
    before = wakeups(theirs, secret), shared.get("/tasks", workspace_id=theirs.id)
    for given in ({"task_id": secret["id"]}, {"task_id": secret["id"][-8:]}):
        told = seat.ask("task_get", **given).text
        assert "unknown_task" in told and "business" not in told
    for name in ("stranger", stranger):
        told = seat.ask("task_create", title="Reach over", assignee_agent=name).text
        assert "unknown_agent" in told
    assert (wakeups(theirs, secret), shared.get("/tasks", workspace_id=theirs.id)) == before
    assert shared.get("/wakeups", agent_id=stranger)["items"] == []
    seat.leave()


@pytest.mark.slow
@pytest.mark.proves("K-64", "S-18")
def test_an_agents_token_opens_no_route_of_the_api(
    shared: House, pair: tuple[Room, Room], tmp_path: Path
) -> None:
    """Not even what is its own: prompts, comments and settings are the person's."""
    ours, _ = pair
    stalls = Stalls(ours, tmp_path / "stalls")
    seat = stalls.seat(ours.task("Ours", stalls.agent()))
    bearer = {"Authorization": f"Bearer {seat.token}"}
    before = counted(*pair)
    seen = 0
    for method, path in routes(shared):
        place = path.replace("{ref}", seat.run) if "{ref}" in path else path
        body = None if method == "GET" else json.dumps({})
        answer = shared.ask(method, place, body, bearer | (JSON if body else {}))
        assert answer.status == 401, (method, path)
        seen += 1
    assert seen >= 30
    assert counted(*pair) == before
    seat.leave()

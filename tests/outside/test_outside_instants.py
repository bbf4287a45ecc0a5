"""Every instant of an answer is RFC 3339 in UTC with Z, wherever in it it stands."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from outside_house import House, Room, until

PATHS = ("/runs", "/wakeups", "/tasks", "/inbox", "/events", "/proposals", "/agents", "/missions")


def numbers_like_instants(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers_like_instants(inner, f"{where}/{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_like_instants(inner, where)
    elif isinstance(value, int) and value > 10**14:
        yield where


def is_instant(text: str) -> bool:
    return text.endswith("Z") and datetime.fromisoformat(text).tzinfo is not None


@pytest.mark.proves("C-86")
def test_causes_and_transcripts_tell_instants_as_all_else_does(room: Room) -> None:
    agent = room.shell("echo said; exit 3")
    body = {"workspace_id": room.id, "title": "It", "assignee_agent_id": agent}
    task = room.house.post("/tasks", body)
    run = room.ended(task)
    wakeup = room.house.get(f"/wakeups/{run['wakeup_id']}")
    for one in (*run["context_snapshot"]["wakes"], *wakeup["context_snapshot"]["wakes"]):
        assert is_instant(one["at"])
    begun = room.house.get(f"/runs/{run['id']}/transcript", after="0")
    assert begun == room.house.get(f"/runs/{run['id']}/transcript")
    assert begun["items"] and all(is_instant(one["at"]) for one in begun["items"])
    found = room.house.get(f"/runs/{run['id']}/transcript", q="said")["items"]
    assert found and all(is_instant(one["at"]) for one in found)
    asks = put_off(room.house, room)
    for path in PATHS:
        listed = room.house.get(path, workspace_id=room.id)
        assert list(numbers_like_instants(listed, path)) == []
    room.house.post(f"/inbox/{asks}/act", {"action": "approve"})  # the home is not this test's


def put_off(house: House, room: Room) -> str:
    """An item with an instant of its own: work that asks for a yes, and is put off."""
    agent = room.shell("echo fine", name="teller")
    task = {"workspace_id": room.id, "title": "Ask", "assignee_agent_id": agent}
    house.post("/tasks", task | {"requires_approval": True})
    asked = {"workspace_id": room.id, "kind": "approval"}
    [item] = until(lambda: house.get("/inbox", **asked)["items"])
    later = datetime.now(UTC) + timedelta(hours=1)
    house.post(f"/inbox/{item['id']}/snooze", {"until": later.isoformat()})
    return str(item["id"])


def test_an_event_names_who_did_it_and_what_it_happened_to(room: Room) -> None:
    task = room.house.post("/tasks", {"workspace_id": room.id, "title": "It"})
    of = {"workspace_id": room.id, "kind": "task.created"}
    [event] = room.house.get("/events", **of)["items"]
    assert event["actor"] == {"type": "person", "id": "owner"}
    assert event["subject"] == {"type": "task", "id": task["id"]}

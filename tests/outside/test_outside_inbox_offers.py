"""A proposal that waits for a person is in the inbox too, and can be decided there."""

from typing import Any

import pytest
from outside_house import Room, until

OFFERS = ("deliver", "reject", "request_changes")


@pytest.fixture
def offer(room: Room) -> Any:
    """The proposal of a task whose agent wrote a file."""
    agent = room.shell("echo made > made.txt")
    body = {"workspace_id": room.id, "title": "Make it", "assignee_agent_id": agent}
    return room.proposal(room.house.post("/tasks", body))


def offers(room: Room, **asked: object) -> Any:
    return room.house.get("/inbox", workspace_id=room.id, kind="proposal", **asked)["items"]


def test_it_is_listed_with_its_answers_as_long_as_it_waits(room: Room, offer: Any) -> None:
    [item] = offers(room)
    assert item == room.house.get(f"/inbox/{item['id']}")
    assert (item["id"], item["kind"], item["status"]) == (offer["id"], "proposal", "open")
    assert (item["subject_type"], item["subject_id"]) == ("proposal", offer["id"])
    assert (item["severity"], item["agent"]) == ("attention", "worker")
    assert [one["id"] for one in item["data"]["options"]] == [*OFFERS]
    assert [one["action"] for one in item["answers"]] == [*OFFERS]
    assert "Make it" in item["sentence"] and item["revision"] == offer["revision"]
    assert offers(room, status="open", severity="attention") == [item]
    assert offers(room, status="resolved") == offers(room, severity="info") == []
    first = room.house.get("/inbox", workspace_id=room.id, limit=1)
    assert [one["id"] for one in first["items"]] == [offer["id"]]
    shown = room.house.cli("inbox", "show", offer["id"])
    assert shown.code == 0 and "deliver" in shown.out


@pytest.mark.parametrize(
    ("action", "status"),
    [("deliver", "delivered"), ("reject", "rejected"), ("request_changes", "rejected")],
)
def test_it_is_decided_there(room: Room, offer: Any, action: str, status: str) -> None:
    path = f"/inbox/{offer['id']}"
    answer = room.house.program("POST", f"{path}/act", {"action": action, "note": "So."})
    assert answer.status == 202, answer.text
    until(lambda: room.house.get(f"/proposals/{offer['id']}")["status"] == status)
    after = room.house.get(path)
    assert (after["status"], after["resolution"]) == ("resolved", {"status": status})
    assert offer["id"] not in [one["id"] for one in offers(room)]


def test_it_is_decided_and_not_closed_or_put_off(room: Room, offer: Any) -> None:
    path, later = f"/inbox/{offer['id']}", {"until": "2100-01-01T00:00:00Z"}
    for verb, body in (("ack", {}), ("resolve", {}), ("snooze", later)):
        answer = room.house.program("POST", f"{path}/{verb}", body)
        assert (answer.status, answer.json["code"]) == (409, "inbox_needs_answer"), verb
    wrong = room.house.program("POST", f"{path}/act", {"action": "nope"})
    assert (wrong.status, wrong.json["code"]) == (422, "unknown_action")
    assert room.house.program("GET", "/inbox/01k7m3zq8v0000000000000000").status == 404

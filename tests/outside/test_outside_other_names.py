"""What the seeds call otherwise is taken wherever it can be said, and our own word comes back."""

import pytest
from outside_house import Room

CALLED = {"TODO": "todo", "open": "todo", "IN_REVIEW": "in_review", "canceled": "cancelled"}
AGENT = ("agent_id", "agent_profile_id", "agent_instance_id", "assignee_agent_instance_id")


@pytest.mark.parametrize("said", CALLED)
def test_a_task_begins_where_it_is_said_in_any_spelling(room: Room, said: str) -> None:
    body = {"workspace_id": room.id, "title": said, "status": said}
    task = room.house.post("/tasks", body)
    assert task["status"] == CALLED[said]
    for word in (said, CALLED[said]):
        found = room.house.get("/tasks", workspace_id=room.id, status=word)["items"]
        assert [one["id"] for one in found] == [task["id"]]


def test_a_task_that_begins_as_done_wakes_nobody(room: Room) -> None:
    agent = room.shell("echo no")
    body = {"workspace_id": room.id, "title": "Old", "status": "done", "assignee_agent_id": agent}
    task = room.house.post("/tasks", body)
    assert (task["status"], task["assignee_agent_id"]) == ("done", agent)
    wakeups = room.house.get("/wakeups", task_id=task["id"])["items"]
    assert {one["status"] for one in wakeups} <= {"cancelled"}


def test_where_work_stands_still_a_task_cannot_begin(room: Room) -> None:
    body = {"workspace_id": room.id, "title": "No", "status": "blocked"}
    answer = room.house.program("POST", "/tasks", body)
    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "/status")


@pytest.mark.proves("C-45")
@pytest.mark.parametrize("name", AGENT)
def test_an_agent_is_known_by_the_seeds_names_too(room: Room, name: str) -> None:
    agent, other = room.shell("echo it"), room.shell("echo it", name="other")
    room.house.post(f"/agents/{agent}/pause"), room.house.post(f"/agents/{other}/pause")
    task = room.house.post("/tasks", {"workspace_id": room.id, "title": "It", name: agent})
    assert task["assignee_agent_id"] == agent and "agent_id" not in task
    found = room.house.get("/tasks", **{name: agent})["items"]
    assert [one["id"] for one in found] == [task["id"]]
    assert room.house.get("/tasks", **{name: other})["items"] == []
    room.house.program("PATCH", f"/tasks/{task['id']}", {name: other})
    assert room.house.get(f"/tasks/{task['id']}")["assignee_agent_id"] == other
    for path in ("/wakeups", "/runs", "/proposals"):
        room.house.get(path, **{name: agent})


def test_two_names_of_one_agent_are_refused(room: Room) -> None:
    agent = room.shell("echo it")
    two = {"agent_profile_id": agent, "agent_instance_id": agent}
    answer = room.house.program("POST", "/tasks", {"workspace_id": room.id, "title": "It"} | two)
    assert answer.status == 422


@pytest.mark.proves("C-59")
@pytest.mark.parametrize("state", ["paused-intake", "paused_intake"])
def test_missions_are_found_by_either_spelling_of_their_state(room: Room, state: str) -> None:
    assert room.house.get("/missions", workspace_id=room.id, state=state)["items"] == []

"""Missions as a program meets them: set, listed, looked at; the same words in the command line."""

import pytest
from outside_house import House, Room
from outside_talk import demo

GOAL = "Make the search fast\n\nIt takes 3 s; it should take 0.2 s."


def mission(room: Room, goal: str = GOAL, **more: object) -> dict[str, object]:
    made: dict[str, object] = room.house.post(
        "/missions", {"workspace_id": room.id, "goal": goal, **more}
    )
    return made


@pytest.mark.proves("C-59", "W-24")
def test_a_mission_is_set_listed_and_shown(room: Room) -> None:
    house = room.house
    made = mission(room, delivery="auto")
    assert made["state"] in ("starting", "active") and made["slug"].startswith(
        "make-the-search-fast"
    )
    assert (made["delivery"], made["base_branch"]) == ("auto", "main")
    other = mission(room, "Say it again")
    listed = house.get("/missions", workspace_id=room.id)["items"]
    assert [one["id"] for one in listed] == [other["id"], made["id"]], "newest first"
    assert house.get("/missions", workspace_id=room.id, state="completed")["items"] == []
    first = house.get("/missions", workspace_id=room.id, limit=1)
    rest = house.get("/missions", workspace_id=room.id, cursor=first["next_cursor"])
    assert [one["id"] for one in (*first["items"], *rest["items"])] == [other["id"], made["id"]]
    shown = house.get(f"/missions/{str(made['id'])[-8:]}")
    assert shown["id"] == made["id"] and shown["tasks"] == [] == shown["waves"]
    assert house.get(f"/tasks/{made['root_task_id']}")["description"] == GOAL
    assert house.get(f"/missions/{made['id']}/waves") == {"items": [], "next_cursor": None}


@pytest.mark.proves("R-29")
def test_completed_is_said_to_be_about_states(room: Room) -> None:
    shown = room.house.get(f"/missions/{mission(room)['id']}")
    assert shown["convergence"]["is_test_verdict"] is False


@pytest.mark.proves("C-59")
def test_what_cannot_be_a_mission_is_refused(room: Room) -> None:
    house = room.house
    body = {"workspace_id": room.id, "goal": GOAL}
    for wrong, pointer in (
        ({"goal": " \n "}, "/goal"),
        ({"goal": GOAL, "color": "red"}, "/color"),
        ({"goal": GOAL, "delivery": "soon"}, "/delivery"),
        ({"goal": GOAL, "base_branch": "no-such"}, "/base_branch"),
        ({}, "/goal"),
    ):
        refused = house.program("POST", "/missions", {"workspace_id": room.id, **wrong})
        assert refused.status == 422 and refused.json["errors"][0]["pointer"] == pointer, wrong
    for ref, status in (("zzzzzz", 404), ("no", 404)):
        assert house.program("GET", f"/missions/{ref}").status == status
    stranger = demo(house.room(f"else-{room.id[-6:]}"), "Chair", role="coordinator")
    elsewhere = house.program("POST", "/missions", {**body, "coordinator_agent_id": stranger})
    assert elsewhere.status == 404
    assert house.get("/missions", workspace_id=room.id)["items"] == []


@pytest.mark.proves("W-30")
def test_a_mission_that_is_set_twice_by_one_key_is_one(room: Room) -> None:
    body = {"workspace_id": room.id, "goal": GOAL}
    key = f"mission-{room.id}"
    first = room.house.post("/missions", body, Idempotency_Key=key)
    assert room.house.post("/missions", body, Idempotency_Key=key)["id"] == first["id"]
    other = room.house.program("POST", "/missions", {**body, "goal": "X"}, Idempotency_Key=key)
    assert other.status == 409 and other.json["code"] == "key_reused"
    assert len(room.house.get("/missions", workspace_id=room.id)["items"]) == 1


@pytest.mark.proves("C-59")
def test_missions_of_other_workspaces_are_not_listed(room: Room, shared: House) -> None:
    made = mission(room)
    other = shared.room(f"other-{room.id[-6:]}")
    assert shared.get("/missions", workspace_id=other.id)["items"] == []
    everywhere = shared.get("/missions", limit=200)["items"]
    assert made["id"] in {one["id"] for one in everywhere}

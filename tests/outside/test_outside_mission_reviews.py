"""Reviewers look at what was merged into a mission's branch, and a person decides what is grave."""

import json
from typing import Any

import pytest
from outside_house import House, Room, until
from outside_talk import demo, script

VETO = {
    "verdict": "veto",
    "note": "A hole.",
    "findings": [
        {
            "path": "made.txt",
            "line": 1,
            "text": "The key is in it.",
            "severity": "critical",
            "about": "security",
        }
    ],
}


def mission(room: Room, acceptance: str = "") -> tuple[Any, Any]:
    """(the mission that was begun, its root task)"""
    done = room.house.cli(
        "settings", "set", "mission_review", "always", "--workspace", room.shown["name"]
    )
    assert done.code == 0, done.err
    begun = room.house.post(
        f"/workspaces/{room.id}/runs/start",
        {"goal": "Make it better"},
        Idempotency_Key=f"start-{room.id}",
    )
    (root,) = room.house.get("/tasks", workspace_id=room.id)["items"]
    if acceptance:
        path = f"/tasks/{root['id']}"
        changed = room.house.program("PATCH", path, {"acceptance": acceptance})
        assert changed.status == 200, changed.text
    return begun, root


def state(room: Room) -> str:
    return str(room.house.get(f"/workspaces/{room.id}/runs/status")["state"])


def tasks(room: Room) -> list[Any]:
    found = room.house.get("/tasks", workspace_id=room.id)["items"]
    return sorted(found, key=lambda one: int(one["number"]))


@pytest.mark.slow
@pytest.mark.proves("A-28", "A-15", "C-26", "W-37", "C-66")
def test_a_mission_is_over_when_its_reviewers_have_approved_what_was_merged(room: Room) -> None:
    worker = demo(room, "worker", cooldown_sec=0)
    for name in ("first", "second"):
        demo(room, name, role="reviewer", cooldown_sec=0)
    _, root = mission(room)
    room.task("Make", worker, parent_id=root["id"], description=script("write made.txt made"))
    until(lambda: state(room) == "completed")
    _, made, looked = tasks(room)
    assert (made["status"], looked["status"]) == ("done", "done")
    (gate,) = room.house.get(f"/tasks/{looked['id']}")["gates"]
    assert (gate["status"], len(gate["agents"])) == ("passed", 2)
    runs = [one for one in room.house.get("/runs", workspace_id=room.id)["items"]]
    prompts = [room.house.run(one["id"])["assembled_prompt"] for one in runs]
    looks = [one for one in prompts if "# How to vote" in one]
    assert len(looks) == 2 and all("git diff " in one for one in looks)
    kinds = {"kind": "mission.review", "workspace_id": room.id}
    assert len(room.house.get("/events", **kinds)["items"]) == 2


@pytest.mark.slow
@pytest.mark.proves("A-28", "A-34", "A-37", "C-29")
def test_what_is_grave_waits_for_a_person_who_lets_it_stay(room: Room) -> None:
    worker = demo(room, "worker", cooldown_sec=0)
    demo(room, "first", role="reviewer", cooldown_sec=0)
    _, root = mission(room, f"It is safe.\n{script(f'tool vote_cast {json.dumps(VETO)}')}")
    room.task("Make", worker, parent_id=root["id"], description=script("write made.txt made"))
    until(lambda: state(room) == "blocked")
    items = room.house.get("/inbox", status="open", workspace_id=room.id)["items"]
    asked = next(one for one in items if "grave" in one["sentence"])
    assert "The key is in it." in asked["sentence"] and "T-2" in asked["sentence"]
    assert {one["action"] for one in asked["answers"]} == {"repair", "accept"}
    other = next(one for one in items if one["id"] != asked["id"])
    assert {one["action"] for one in other["answers"]} >= {"reopen", "cancel"}
    room.house.post(f"/inbox/{asked['id']}/act", {"action": "accept"})
    until(lambda: state(room) == "completed")
    left = room.house.get("/inbox", status="open", workspace_id=room.id)["items"]
    assert {one["kind"] for one in left} <= {"proposal"}, "what the mission offers"
    page = room.house.cli("task", "show", "T-3", at=room.path).out
    assert "Look at what was merged: T-2" in page


@pytest.mark.proves("C-26", "C-66", "C-79")
def test_gates_of_roles_are_set_by_command_and_program_and_shown(room: Room) -> None:
    demo(room, "first", role="reviewer", cooldown_sec=0)
    worker = demo(room, "worker", role="Implementer", cooldown_sec=0)
    house: House = room.house
    assert house.get(f"/agents/{worker}")["role"] == "worker"
    add = ("task", "add", "Make", "--agent", "worker", "--description", script("write a.txt a"))
    refused = house.cli(*add, "--veto", "architect", at=room.path)
    assert refused.code == 2 and "--review-role" in refused.err
    done = house.cli(*add, "--review-role", "reviewer", "--veto", "architect", at=room.path)
    assert done.code == 0, done.err
    (made,) = tasks(room)
    until(lambda: house.get(f"/tasks/{made['id']}")["gates"][0]["status"] == "passed")
    shown = house.cli("task", "show", "T-1", at=room.path).out
    assert "1. Review (reviewer, first; 1 of 1): passed" in shown
    body = {"workspace_id": room.id, "title": "No", "gates": [{"kind": "review", "roles": ["x"]}]}
    wrong = house.program("POST", "/tasks", body)
    assert wrong.status == 422 and wrong.json["errors"][0]["pointer"] == "/gates/0/roles/0"
    gate = {"kind": "review", "roles": ["architect"], "veto": ["ceo"], "needed": 2}
    kept = house.post("/tasks", {"workspace_id": room.id, "title": "Two", "gates": [gate]})
    assert {name: kept["gates"][0][name] for name in ("roles", "veto", "needed", "agents")} == {
        "roles": ["architect"],
        "veto": ["coordinator"],
        "needed": 2,
        "agents": [],
    }

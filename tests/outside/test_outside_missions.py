"""Missions as a program meets them: set, listed, looked at; the same words in the command line."""

from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import got
from outside_talk import demo, script

GOAL = "Make the search fast\n\nIt takes 3 s; it should take 0.2 s."


def mission(room: Room, goal: str = GOAL, **more: object) -> dict[str, object]:
    made: dict[str, object] = room.house.post(
        "/missions", {"workspace_id": room.id, "goal": goal, **more}
    )
    return made


def paused(room: Room, goal: str = GOAL) -> Any:
    """One that stays as it is, whatever its planner would make of it."""
    made = mission(room, goal)
    until(lambda: room.house.get(f"/missions/{made['id']}")["state"] == "active")
    return room.house.post(f"/missions/{made['id']}/pause")


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


@pytest.mark.proves("A-03", "A-32")
def test_a_task_of_a_mission_says_by_what_it_is_planned(room: Room) -> None:
    house = room.house
    made = paused(room)
    policy = {"kind": "agent_select", "models": ["small", "large"]}
    first = room.task("First", mission_id=made["id"], write_area=["src/"], priority=7)
    edges = [
        {"depends_on_task_id": first["id"], "dependency_type": "soft", "reason": "It is quicker."}
    ]
    second = room.task(
        "Second", mission_id=made["id"], optional=True, model_policy=policy, depends_on=edges
    )
    assert (first["write_area"], first["priority"], first["mission_id"]) == (
        ["src/"],
        7,
        made["id"],
    )
    assert (second["optional"], second["model_policy"], second["purpose"]) == (True, policy, "work")
    assert second["depends_on"][0]["dependency_type"] == "soft" and second["waiting_for"] == []
    listed = house.get("/tasks", mission_id=made["id"])["items"]
    assert {one["id"] for one in listed} == {first["id"], second["id"], made["root_task_id"]}
    changed = house.program(
        "PATCH",
        f"/tasks/{second['id']}",
        {"optional": False, "priority": -3, "write_area": ["docs/*.md"], "model_policy": None},
    ).json
    told = ("optional", "priority", "write_area", "model_policy")
    assert [changed[name] for name in told] == [False, -3, ["docs/*.md"], None]
    shown = house.get(f"/missions/{made['id']}")
    assert [one["number"] for one in shown["tasks"]] == [first["number"], second["number"]]
    assert shown["tasks"][1]["depends_on"][0]["reason"] == "It is quicker."
    assert shown["counts"]["todo"] == 2, "the root is none of them"


@pytest.mark.proves("A-03", "A-32")
def test_what_a_task_of_a_mission_cannot_be_is_refused(room: Room) -> None:
    made, loose = paused(room), room.task("Loose")
    for wrong, status in (
        ({"mission_id": "zzzzzzzz"}, 404),
        ({"mission_id": made["id"], "base_branch": "main"}, 422),
        ({"mission_id": made["id"], "parent_id": loose["id"]}, 422),
        ({"priority": 101}, 422),
        ({"model_policy": {"kind": "any"}}, 422),
        ({"model_policy": {"kind": "agent_select", "models": ["--no"]}}, 422),
        ({"write_area": [""]}, 422),
        ({"depends_on": [{"depends_on_task_id": loose["id"], "type": "conflict"}]}, 422),
    ):
        body = {"workspace_id": room.id, "title": "Wrong", **wrong}
        refused = room.house.program("POST", "/tasks", body)
        assert refused.status == status, (wrong, refused.text)
    assert len(room.house.get("/tasks", workspace_id=room.id)["items"]) == 2


@pytest.mark.proves("A-32")
def test_an_agent_says_which_models_it_may_fall_back_to(room: Room) -> None:
    agent = demo(room, "Ada", model="large", fallback_models=["middle", "small"])
    assert room.house.get(f"/agents/{agent}")["fallback_models"] == ["middle", "small"]
    here = ("--workspace", room.shown["name"])
    changed = room.house.cli("agent", "edit", "Ada", "--fallback", "tiny", *here)
    assert changed.code == 0, changed.said
    assert room.house.get(f"/agents/{agent}")["fallback_models"] == ["tiny"]
    assert room.house.cli("agent", "edit", "Ada", "--no-fallback", *here).code == 0
    assert room.house.get(f"/agents/{agent}")["fallback_models"] == []


@pytest.mark.proves("A-03", "C-59")
def test_the_command_line_sets_a_mission_and_shows_its_graph(room: Room) -> None:
    here = ("--workspace", room.shown["name"])

    def said(*words: str) -> str:
        done = room.house.cli(*words, *here)
        assert done.code == 0, done.said
        return done.out

    assert "It has no coordinator" in said("mission", "add", "Bake bread")
    made = until(
        lambda: room.house.get("/missions", workspace_id=room.id, state="active")["items"]
    )[0]
    said("mission", "pause", "bake-bread")
    add = ("task", "add", "--mission", "bake-bread")
    made_one = said(*add, "Knead", "--writes", "dough/", "--priority", "3")
    assert "is for whoever its wave names" in made_one, (
        "it needs no --agent, however many there are"
    )
    said(*add, "Bake", "--after", "T-2", "--optional")
    said(*add, "Sell", "--not-with", "T-3", "--rather-after", "T-2")
    shown = said("mission", "show", "bake-bread")
    assert "after T-2" in shown and "not with T-3" in shown and "rather after T-2" in shown
    assert "0 of 3" in said("mission", "list", "--state", "paused intake")
    assert said("task", "list", "--mission", str(made["id"])[-8:]).count("T-") >= 4
    knead = said("task", "show", "T-2")
    assert "dough/" in knead and "priority" in knead
    said("task", "edit", "T-2", "--writes", "dough/**", "--optional")
    assert room.house.get("/tasks", mission_id=made["id"], number=2)["items"][0]["optional"]
    refused = room.house.cli("mission", "show", "bake-bread", "--wave", "9", *here)
    assert refused.code == 2 and "no wave 9" in refused.err


@pytest.mark.proves("R-24", "C-57")
def test_a_mission_is_paused_stopped_and_reopened_by_command(room: Room) -> None:
    here = ("--workspace", room.shown["name"])
    made = mission(room, "Bake bread")

    def after(*words: str) -> str:
        done = room.house.cli("mission", *words, "bake-bread", *here)
        assert done.code == 0, done.said
        return str(room.house.get(f"/missions/{made['id']}")["state"])

    until(lambda: room.house.get(f"/missions/{made['id']}")["state"] == "active")
    assert [after(one) for one in ("pause", "resume", "stop", "reopen")] == [
        "paused_intake",
        "active",
        "stopped",
        "active",
    ]
    assert after("force-stop") == "stopped"
    refused = room.house.cli("mission", "pause", "bake-bread", *here)
    assert refused.code == 1 and "not possible while it is stopped" in refused.err
    stale = room.house.program("POST", f"/missions/{made['id']}/reopen", {}, If_Match='"1"')
    assert stale.status in (409, 412)


@pytest.mark.proves("A-23")
def test_what_a_change_touches_waits_until_it_is_understood(room: Room) -> None:
    made = paused(room, "Bake bread")
    here = f"/missions/{made['id']}"
    first, second = (room.task(one, mission_id=made["id"]) for one in ("Knead", "Bake"))
    changed = room.house.post(
        f"{here}/requirements", {"text": "With rye.", "task_ids": [first["id"]]}
    )
    assert changed["convergence"]["held_task_ids"] == [first["id"]]
    said = room.house.get(f"/tasks/{made['root_task_id']}/comments")["items"]
    assert [one["text"] for one in said] == ["With rye."]
    known = room.house.post(f"{here}/impact", {"impact": "implementation"})
    assert known["convergence"]["held_task_ids"] == []
    done = room.house.cli(
        *("mission", "require", "bake-bread", "And spelt.", "--task", f"T-{second['number']}"),
        *("--workspace", room.shown["name"]),
    )
    assert done.code == 0 and "wait for what it means: 1" in done.out, done.said
    shown = room.house.cli("mission", "show", "bake-bread", "--workspace", room.shown["name"]).out
    assert f"these wait: T-{second['number']}." in shown
    assert "roundtable mission assess bake-bread implementation" in shown
    for body, status in (
        ({"text": " "}, 422),
        ({"text": "x", "task_ids": ["zzzzzz"]}, 404),
        ({"text": "x", "task_ids": [made["root_task_id"]]}, 404),
    ):
        assert room.house.program("POST", f"{here}/requirements", body).status == status, body
    wrong = room.house.program("POST", f"{here}/impact", {"impact": "none"})
    assert wrong.status == 422
    room.house.post(f"{here}/stop")
    late = room.house.program("POST", f"{here}/requirements", {"text": "Late."})
    assert late.status == 409 and late.json["code"] == "mission_over"


@pytest.mark.slow
@pytest.mark.proves("A-18", "A-36", "R-29", "W-06")
def test_waves_their_reasons_and_the_end_are_told(room: Room) -> None:
    made = paused(room, "Bake bread")
    here, agent = f"/missions/{made['id']}", demo(room, "Ada", max_concurrent_sessions=2)
    first = room.task(
        "Knead", agent, mission_id=made["id"], description=script("write dough.txt rye")
    )
    room.task(
        "Bake",
        agent,
        mission_id=made["id"],
        blocked_by=[first["id"]],
        description=script("write bread.txt rye"),
    )
    room.task(
        "Decorate",
        agent,
        mission_id=made["id"],
        optional=True,
        retry_budget=0,
        write_area=["flag.txt"],
        description=script("fail task_failed No flag."),
    )
    room.house.post(f"{here}/resume")
    seen = until(lambda: _over(room, here), 90)
    assert (seen["state"], seen["outcome"]) == ("completed", "completed_with_failures"), seen
    told = seen["convergence"]
    assert (told["state"], told["basis"], told["is_test_verdict"]) == ("completed", "state", False)
    assert "no verdict on tests" in told["sentence"] and len(told["skipped"]) == 1
    numbers = {one["id"]: one["number"] for one in seen["tasks"]}
    waves = room.house.get(f"{here}/waves")["items"]
    assert waves == seen["waves"] and [one["number"] for one in waves] == list(
        range(len(waves), 0, -1)
    )
    why = {one["task_id"]: one["sentence"] for one in waves[-1]["reasons"]}
    assert "In this wave, for Ada." in why[first["id"]]
    assert f"It waits for T-{numbers[first['id']]}." in why.values()
    shown = room.house.cli("mission", "show", "bake-bread", "--wave", "1", "--workspace", room.id)
    assert "Wave 1, planned at" in shown.out and "It waits for T-2." in shown.out, shown.said
    offered = until(lambda: room.house.get("/proposals", task_id=made["root_task_id"])["items"])
    shown = room.house.cli("mission", "show", "bake-bread", "--workspace", room.id)
    assert f"Deliver it: roundtable proposal deliver {offered[0]['id'][-8:]}" in shown.out
    page = got(Browser(room.house), f"{here}?wave=1")
    assert "Why wave 1 was planned so" in page.text and "It waits for T-2." in page.text
    assert "Completed, with failures" in page.text and "Report" in page.text
    assert page.text.count("no verdict on tests") == 1


def _over(room: Room, here: str) -> Any:
    seen = room.house.get(here)
    return seen if seen["state"] in ("completed", "blocked", "failed") else None


@pytest.mark.proves("C-59")
def test_a_goal_of_one_long_line_is_called_by_its_beginning(room: Room) -> None:
    """It was the heading of its page and a row of the list, whole."""
    made = paused(room, "Bake " * 1000)
    page = got(Browser(room.house), f"/missions/{made['id']}")
    assert page.text.count("Bake") < 1000 + 100, "the whole goal stands there once"
    listed = room.house.cli("mission", "list", "--workspace", room.shown["name"])
    assert f"{'Bake ' * 15}Bake…" in listed.out and len(listed.out) < 1000, listed.out


@pytest.mark.proves("E-palette")
def test_a_mission_is_found_by_what_it_is_called(room: Room) -> None:
    made = paused(room, f"\n  Bake crispbread {room.id[-6:]}\n\nSecretly.")
    found = room.house.get("/search", q=f"CRISP {room.id[-6:]}")["items"]
    one = next(one for one in found if one["kind"] == "mission")
    assert (one["id"], one["path"]) == (made["id"], f"/missions/{made['id']}")
    assert one["name"] == f"Bake crispbread {room.id[-6:]}"
    asked = room.house.get("/search", q="Secretly")["items"]
    assert made["id"] not in {each["id"] for each in asked}

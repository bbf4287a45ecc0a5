"""A mission as a person lives it: the story of practice mode, and one of their own."""

import json
import re
from typing import Any

import pytest
from outside_house import House, until

GOAL = "Say when the tea is ready\n\n- green tea\n- black tea\n- white tea\n"


@pytest.mark.slow
@pytest.mark.proves(
    "N-19 practice", "D-09 offline", "A-38", "A-26", "A-27", "A-28", "C-34", "C-97 missions"
)
def test_practice_goes_the_whole_way_and_leaves_nothing_behind(house: House) -> None:
    """Each line of its end is checked by the story itself, in the runs and in git."""
    house.env["TMPDIR"] = str(house.root / "temporary")
    (house.root / "temporary").mkdir()
    house.env["XDG_RUNTIME_DIR"] = str(house.root)  # for sockets: this home's path is long
    dead = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    house.env |= dead | {name.upper(): value for name, value in dead.items()}
    before = sorted(path.name for path in house.folder.iterdir())
    done = house.cli("demo", "--headless", seconds=200)
    assert done.code == 0, done.said
    for promised in (
        "Three tasks were at work at the same time.",
        "Two tasks that write the same file were not.",
        "A conflict was settled by a repair.",
        "A model was not there, and another one did the work.",
        "A task failed and was tried again.",
        "A reviewer asked for a change, and got it.",
        "A command checked all of it before it was delivered.",
        "A routine fired, and its agent ran.",
        "All of its work is on main, as it should be.",
        "Your own changes are as they were.",
    ):
        assert f"\n{promised}\n" in done.out
    assert re.search(r"^ +[0-9.]+ s  Wave 1 begins: T-2", done.out, re.MULTILINE), done.out
    assert not house.home.exists() and not house.processes()
    assert sorted(path.name for path in house.folder.iterdir()) == before
    assert not list((house.root / "temporary").iterdir())


class Office:
    """A repository of the person's own, with built-in agents."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.room = house.room()
        for name, role in (
            ("cora", "coordinator"),
            ("ada", "worker"),
            ("bob", "worker"),
            ("rita", "reviewer"),
        ):
            made = {"name": name, "role": role, "adapter": "demo", "cooldown_sec": 0}
            house.post("/agents", {"workspace_id": self.room.id, **made})

    def begin(self, **more: Any) -> Any:
        return self.house.post("/missions", {"workspace_id": self.room.id, **more})

    def over(self, mission: Any) -> Any:
        path = f"/missions/{mission['id']}"
        working = ("starting", "active", "degraded")
        return until(lambda: (one := self.house.get(path))["state"] not in working and one, 60)

    def offered(self, mission: Any) -> Any:
        path, root = "/proposals", mission["root_task_id"]
        return until(lambda: self.house.get(path, task_id=root)["items"])[0]

    def lands(self, proposal: Any) -> Any:
        path = f"/proposals/{proposal['id']}"
        self.house.post(f"{path}/deliver", {})
        ended = ("delivered", "held")
        return until(
            lambda: (one := self.house.get(path))["deliveries"][-1]["status"] in ended and one
        )


@pytest.mark.slow
@pytest.mark.proves("C-34", "C-96", "C-97 missions", "A-09", "A-18", "R-31", "A-26")
def test_a_goal_becomes_a_graph_and_its_work_is_on_the_branch_when_a_person_says_so(
    running: House,
) -> None:
    office = Office(running)
    house, repo = running, office.room.path
    (repo / "notes.txt").write_text("my own edit\n")
    before = house.git("rev-parse", "HEAD", at=repo)
    theirs = house.git("status", "--porcelain", at=repo)
    mission = office.begin(goal=GOAL, delivery="approval")
    seen = office.over(mission)
    assert (seen["state"], seen["outcome"]) == ("completed", "completed"), seen["sentence"]

    green, black, white, last = seen["tasks"]
    assert [one["title"] for one in (green, black, white)] == [
        "green tea",
        "black tea",
        "white tea",
    ]
    first = {one["id"] for one in (green, black, white)}
    assert {edge["depends_on_task_id"] for edge in last["depends_on"]} == first
    assert {one["status"] for one in seen["tasks"]} == {"done"}
    waves = seen["waves"]
    assert [one["number"] for one in waves] == list(range(len(waves), 0, -1))
    assert waves[0]["plan"]["runnable_task_ids"] == [last["id"]], "its blockers come first"
    for task in seen["tasks"]:
        [wake] = [
            one
            for one in house.get("/wakeups", task_id=task["id"])["items"]
            if one["reason"] != "review_requested"
        ]
        assert (wake["source"], wake["reason"]) == ("task_assigned", "wave")
        assert wake["run_id"], "what was planned was launched"
        [offered] = house.get("/proposals", task_id=task["id"])["items"]
        assert offered["status"] == "merged"
    moves = [
        one["data"]["to"]
        for one in house.get("/events", kind="mission.phase", limit=200)["items"]
        if one["subject_id"] == mission["id"]
    ]
    assert moves[-1] == "COMPLETED" and {"PLANNING_WAVE", "DISPATCHING", "MONITORING"} <= set(moves)

    proposal = office.offered(mission)
    assert house.git("rev-parse", "HEAD", at=repo) == before, "nothing moves without a word"
    assert house.git("status", "--porcelain", at=repo) == theirs
    assert office.lands(proposal)["status"] == "delivered"
    assert house.git("status", "--porcelain", at=repo) == theirs
    assert (repo / "notes.txt").read_text() == "my own edit\n"
    assert "green tea" in (repo / "notes" / "1-green-tea.md").read_text()
    assert (repo / "notes" / "together.md").exists()
    parents = house.git("rev-list", "--parents", "-1", "HEAD", at=repo).split()
    assert parents[1] == before.strip(), "the branch goes on from where it was"
    said = house.git("log", "--format=%B", at=repo)
    assert f"Roundtable-Mission: {mission['id']}" in said
    assert all(f"T-{one['number']}: {one['title']}" in said for one in seen["tasks"])
    assert house.get(f"/tasks/{mission['root_task_id']}")["status"] == "done"
    assert {
        one["status"]
        for task in seen["tasks"]
        for one in house.get("/proposals", task_id=task["id"])["items"]
    } == {"delivered"}


ASKS = {
    "reason": "It can be red or blue.",
    "owner": "coordinator",
    "action": "Say which colour it is to have",
}
FRAME = {
    "title": "Frame",
    "description": "@demo write out/frame.txt oak",
    "write_area": ["out/frame.txt"],
    "blocked_by": ["@Paint"],
}
PAINT = {
    "title": "Paint",
    "description": "@demo write out/paint.txt blue\n@demo once\n"
    f"@demo tool task_block {json.dumps(ASKS)}",
    "write_area": ["out/paint.txt"],
}


@pytest.mark.slow
@pytest.mark.proves("A-23", "C-24", "R-31", "A-34")
def test_a_coordinator_answers_who_is_stuck_and_takes_up_what_is_wanted_now(
    running: House,
) -> None:
    office = Office(running)
    house = running
    lines = [f"@demo tool task_create {json.dumps(one)}" for one in (PAINT, FRAME)]
    mission = office.begin(goal="\n".join(["Paint it", *lines]), delivery="approval")
    path = f"/missions/{mission['id']}"
    paint, frame = until(lambda: len(one := house.get(path)["tasks"]) == 2 and one, 60)
    house.post(f"{path}/requirements", {"text": "Take oak.", "task_ids": [frame["id"]]})

    def told(kind: str) -> list[Any]:
        return list(house.get("/events", kind=kind, limit=200)["items"])

    (assessed,) = until(lambda: told("architecture.impact.completed"), 60)
    assert (assessed["data"]["impact"], assessed["actor_type"]) == ("implementation", "agent")
    seen = office.over(mission)
    assert (seen["state"], seen["outcome"]) == ("completed", "completed"), seen["sentence"]
    (said,) = [one for one in told("task.commented") if one["subject_id"] == paint["id"]]
    assert said["actor_id"] == mission["coordinator_agent_id"], "the coordinator's answer"
    outcomes = [one["outcome"] for one in house.get(f"/tasks/{paint['id']}/attempts")["items"]]
    assert sorted(outcomes) == ["blocked", "done"]
    asked = house.get("/inbox", status="resolved", kind="blocked")["items"]
    assert len(asked) == 1, "the person was asked too, and need not answer any more"
    office.lands(office.offered(mission))
    assert (office.room.path / "out" / "paint.txt").read_text() == "blue\n"
    assert (office.room.path / "out" / "frame.txt").read_text() == "oak\n"

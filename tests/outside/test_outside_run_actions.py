"""Seed 000's status and actions of a workspace's newest mission, over HTTP."""

import contextlib
import itertools
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from outside_house import Answer, House, Room, alive, until

ACTIONS = ("start", "pause", "resume", "stop", "force-stop")
STATES = (
    *("starting", "active", "paused_intake", "draining", "stopping", "degraded"),
    *("stopped", "completed", "blocked", "failed"),
)
# The seed's table, with its own spelling.
ALLOWED = {
    ("start", "stopped"): "active",
    ("start", "starting"): "active",
    ("pause", "active"): "paused-intake",
    ("resume", "paused_intake"): "active",
    ("resume", "degraded"): "active",
    **{("stop", state): "stopped" for state in ("active", "paused_intake", "draining")},
    **{
        ("force-stop", state): "stopped"
        for state in ("active", "paused_intake", "draining", "degraded")
    },
}
_keys = itertools.count(1)


def act(room: Room, action: str, body: object = None, **headers: str) -> Answer:
    headers = {"Idempotency_Key": f"k-{next(_keys)}", **headers}
    path = f"/workspaces/{room.id}/runs/{action}"
    return room.house.program("POST", path, {} if body is None else body, **headers)


def status(room: Room) -> Any:
    return room.house.get(f"/workspaces/{room.id}/runs/status")


def put(house: House, mission_id: str, state: str) -> None:
    """As if it had come to that by itself."""
    with contextlib.closing(sqlite3.connect(house.home / "roundtable.db", 10)) as db:
        db.execute("UPDATE missions SET state = ? WHERE id = ?", (state, mission_id))
        db.commit()


def started(room: Room, goal: str = "Make it better") -> str:
    answer = act(room, "start", {"goal": goal})
    assert answer.status == 200, answer.text
    return str(answer.json["mission_id"])


@pytest.mark.slow
@pytest.mark.proves("R-24", "R-25", "R-26", "R-27", "W-25", "C-57", "C-59", "C-74")
def test_each_action_in_each_state(standing: House) -> None:
    """The owner's time stands still, so that it moves no mission in between."""
    house = standing
    room = house.room("matrix")
    mission = started(room)
    for action, state in itertools.product(ACTIONS, STATES):
        put(house, mission, state)
        answer, target = act(room, action), ALLOWED.get((action, state))
        if target is None:
            assert answer.status == 409, (action, state, answer.text)
            assert answer.json["code"] == "illegal_run_transition"
            assert state.replace("_", "-") in answer.json["detail"]
            assert status(room)["state"] == state.replace("_", "-")
            continue
        assert answer.status == 200, (action, state, answer.text)
        told = answer.json
        assert (told["state"], told["run_id"]) == (target, told["mission_id"])
        assert answer["ETag"] == f'"{told["revision"]}"'
        assert status(room)["state"] == target and status(room)["run_id"] == told["run_id"]
        if (action, state) == ("start", "stopped"):
            assert told["run_id"] != mission, "the stopped one is not taken up again"
            mission = told["run_id"]
        else:
            assert told["run_id"] == mission


@pytest.mark.proves("R-25", "C-74", "W-23", "W-30")
def test_what_is_refused_comes_in_the_seeds_order(room: Room) -> None:
    house, where = room.house, f"/workspaces/{room.id}/runs"
    nobody = house.ask("POST", f"/api/v1{where}/dance", "{}")
    assert nobody.status == 401
    for headers in ({}, {"Idempotency_Key": ""}):
        path = "/workspaces/zzzzzzzz/runs/dance"
        answer = house.program("POST", path, {}, **headers)
        assert (answer.status, answer.json["code"]) == (400, "idempotency_key_required")
    missing = house.program("POST", "/workspaces/zzzzzzzz/runs/dance", {}, Idempotency_Key="a")
    assert missing.status == 404
    answer = act(room, "dance")
    assert (answer.status, answer.json["code"]) == (400, "invalid_run_action")
    assert "force-stop" in answer.json["detail"]
    assert act(room, "pause").json["code"] == "illegal_run_transition"
    assert act(room, "start", b"{").status == 400
    for body, pointer in (({"goals": "x"}, "/goals"), ({"run_id": 7}, "/run_id")):
        refused = act(room, "start", body)
        assert refused.status == 422 and refused.json["errors"][0]["pointer"] == pointer
    no_goal = act(room, "start")
    assert (no_goal.status, no_goal.json["errors"][0]["pointer"]) == (422, "/goal")
    assert status(room)["run_id"] is None, "nothing of it was done"


@pytest.mark.proves("R-23", "C-73", "W-18", "W-19", "W-22", "R-29")
def test_the_status_says_what_is_so(room: Room) -> None:
    house = room.house
    assert house.program("GET", "/workspaces/zzzzzzzz/runs/status").status == 404
    before = status(room)
    assert (before["state"], before["run_id"], before["updated_at"]) == ("stopped", None, None)
    mission = started(room, "Use the key ghp_0123456789abcdefghijABCDEFGHIJ012345 for it")
    seen = status(room)
    assert (seen["run_id"], seen["mission_id"], seen["state"]) == (mission, mission, "active")
    assert "ghp_" not in seen["goal"] and "for it" in seen["goal"]
    assert (seen["degraded"], seen["active_agent_count"]) == (False, 0)
    act(room, "pause")
    later = status(room)
    assert later["state"] == "paused-intake" and later["started_at"] == seen["started_at"]
    assert later["updated_at"] > seen["updated_at"] >= seen["started_at"]
    task = room.task("Blocked")
    house.post(f"/tasks/{task['id']}/block", {"reason": "x", "owner": "user", "action": "y"})
    counted = house.get(f"/workspaces/{room.id}")["counts"]
    assert {name: status(room)[name] for name in counted} == counted
    assert counted["blockers"] == 1
    told = house.get("/openapi.json")["components"]["schemas"]["RunState"]["description"]
    assert "nothing about tests" in told


@pytest.mark.proves("W-23", "W-26", "W-30", "R-27")
def test_the_same_ask_twice_is_one_and_another_mission_or_revision_is_refused(room: Room) -> None:
    first = [
        act(room, "start", {"goal": "Go"}, Idempotency_Key=f"same-{room.id}") for _ in range(2)
    ]
    assert first[0].status == first[1].status == 200
    assert first[0].json["run_id"] == first[1].json["run_id"]
    reused = act(room, "start", {"goal": "Else"}, Idempotency_Key=f"same-{room.id}")
    assert (reused.status, reused.json["code"]) == (409, "key_reused")
    assert act(room, "pause", If_Match='"99"').status == 412
    other = act(room, "pause", {"run_id": "0" * 26})
    assert (other.status, other.json["code"]) == (409, "not_the_newest_run")
    mission = first[0].json
    done = act(room, "pause", {"run_id": mission["run_id"]}, If_Match=f'"{mission["revision"]}"')
    assert done.json["state"] == "paused-intake"


def begun(room: Room, script: str) -> Any:
    """The run of a mission's coordinator, which is at work."""
    room.shell(script, name="lead", role="coordinator")
    mission = started(room)
    of_it = f"SELECT root_task_id FROM missions WHERE id = '{mission}'"
    return room.live({"id": room.house.query(of_it)[0][0]})


@pytest.mark.slow
@pytest.mark.proves("C-56", "W-17", "W-20", "W-28", "R-31")
def test_a_stop_drains_and_is_over_with_the_last_run(room: Room, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    run = begun(room, f"while [ -e {hold} ]; do sleep 0.05; done")
    seen = status(room)
    assert (seen["active_agent_count"], seen["claimed_agent_count"]) == (1, 1)
    answer = act(room, "stop")
    assert answer.status == 202, answer.text
    told = answer.json
    assert (told["state"], told["target"]) == ("draining", "stopped")
    assert status(room)["state"] == "draining"
    assert room.house.run(run["id"])["status"] == "running"
    hold.unlink()
    until(lambda: status(room)["state"] == "stopped")
    seen = status(room)
    assert seen["active_agent_count"] == 0 and seen["ended_at"] >= seen["started_at"]
    assert act(room, "stop").status == 409


@pytest.mark.slow
@pytest.mark.proves("C-56", "W-29", "W-28", "W-30")
def test_a_force_stop_answers_when_all_of_it_is_gone(room: Room) -> None:
    run = begun(room, "trap '' TERM; sleep 300 & sleep 300")
    loose = room.live(room.task("Loose", room.shell("sleep 300", name="other")))
    key = f"kill-{room.id}"
    answer = act(room, "force-stop", Idempotency_Key=key)
    assert (answer.status, answer.json["state"]) == (200, "stopped"), answer.text
    killed = {one["pid"] for one in answer.json["killed"]}
    assert {one["pid"] for one in run["processes"]} <= killed
    assert answer.json["survivors"] == [] and not any(map(alive, killed))
    again = act(room, "force-stop", Idempotency_Key=key).json
    assert {one["pid"] for one in again["killed"]} == killed
    assert all(alive(one["pid"]) for one in loose["processes"] if one["role"] == "agent")
    ended = until(lambda: (one := room.house.run(run["id"]))["status"] != "running" and one)
    wakeup = until(
        lambda: (
            (w := room.house.get(f"/wakeups/{ended['wakeup_id']}"))["status"] == "cancelled" and w
        )
    )
    assert wakeup["outcome"] == "mission_stopped"
    room.house.post(f"/runs/{loose['id']}/cancel")

"""Stop means stop: everything, one agent, one run; by command, API and page."""

import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from outside_house import Browser, House, Room, alive, until
from outside_pages import got, send
from outside_stops import LADDER, force_stops, pauses
from outside_talk import comment, demo, script, status, wakeups

HOLDING = """
import os, sys, time
print("up", flush=True)
while os.path.exists(sys.argv[1]): time.sleep(0.05)
"""
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0: time.sleep(600)
print("up", flush=True)
time.sleep(600)
"""


def holding(room: Room, hold: Path, name: str = "worker", **more: object) -> str:
    hold.touch()
    return room.agent(sys.executable, "-c", HOLDING, str(hold), name=name, **more)


def soon(**span: float) -> str:
    return (datetime.now(UTC) + timedelta(**span)).isoformat().replace("+00:00", "Z")


def control(house: House) -> Any:
    return house.get("/control")


@pytest.mark.slow
@pytest.mark.proves("F-54", "W-17", "W-28 control", "W-29", "W-20")
def test_a_stop_lets_what_runs_end_and_says_when_the_last_has(
    running: House, tmp_path: Path
) -> None:
    room, hold = running.room(), tmp_path / "hold"
    agent = holding(room, hold, max_concurrent_sessions=2)
    task = room.task("Runs already", agent)
    room.live(task)
    stopped = running.cli("stop", at=room.path)
    assert stopped.code == 0 and "ends by itself (1 left)" in stopped.out, stopped.said
    seen = control(running)
    assert (seen["state"], seen["intake"], seen["by"]) == ("draining", "stopped", "person:owner")
    assert (seen["claimed"], seen["live"], seen["silent"]) == (1, 1, 0)
    said = running.cli("status", at=room.path).out
    assert "Stopping: nothing new is started" in said and "1 run is alive" in said
    later = room.task("Waits", agent)
    refused = running.program("POST", "/control", {"action": "pause"})
    assert (refused.status, refused.json["code"]) == (409, "illegal_run_transition")

    running.end(signal.SIGKILL)
    running.start()
    assert control(running)["state"] == "draining"
    hold.unlink()
    assert room.ended(task)["outcome"] == "no_changes"
    until(lambda: control(running)["state"] == "stopped")
    assert (control(running)["claimed"], control(running)["live"]) == (0, 0)
    assert running.cli("stop", "--wait", at=room.path).code == 0
    assert wakeups(room, later)[0]["status"] == "queued"
    assert not running.get("/runs", task_id=later["id"])["items"]
    assert running.cli("resume").code == 0
    assert room.ended(later)["outcome"] == "no_changes"


@pytest.mark.slow
@pytest.mark.proves("F-54", "W-17")
def test_after_an_answered_pause_no_process_begins_also_across_a_kill(running: House) -> None:
    assert pauses(running, running.room(), 30, kill_each=15) > 5


@pytest.mark.slow
@pytest.mark.proves("C-71", "F-34", "F-35", "F-36", "F-54")
def test_a_force_stop_leaves_nothing_of_escapees_deaf_ones_and_a_storm(running: House) -> None:
    stops = force_stops(running, running.room(), 1)
    ((seconds, ended, named, left),) = stops.rows
    assert seconds < LADDER and ended >= 3 and (named, left) == (0, 0), stops.table()


@pytest.mark.slow
@pytest.mark.proves("F-54")
def test_a_timed_pause_ends_by_itself_also_after_a_kill(running: House) -> None:
    room = running.room()
    past = running.program("POST", "/control", {"action": "pause", "until": soon(seconds=-1)})
    assert (past.status, past.json["code"]) == (422, "until_has_passed")
    for action in ("resume", "stop", "force-stop"):
        body = {"action": action, "until": soon(hours=1)}
        assert running.program("POST", "/control", body).status == 422
    paused = running.cli("pause", "--until", "9s", "--json")
    assert paused.json["state"] == "paused" and paused.json["until"] > soon()
    task = room.task("Waits", demo(room))
    running.end(signal.SIGKILL)
    running.start()
    assert control(running)["intake"] == "paused" and not running.get("/runs")["items"]
    assert "Paused until" in running.cli("status", at=room.path).out
    assert room.ended(task)["outcome"] == "done"
    seen = control(running)
    assert (seen["state"], seen["until"], seen["by"]) == ("active", None, "system:roundtable")


@pytest.mark.slow
@pytest.mark.proves("N-10 leave", "N-10 checkpoint", "N-10 lid")
def test_who_leaves_may_close_the_lid_and_goes_on_with_one_word(
    running: House, tmp_path: Path
) -> None:
    room = running.room()
    deaf = room.live(room.task("Deaf", holding(room, tmp_path / "hold", "program")))
    lines = script("append diary.txt once", "once", "sleep 60")
    task = room.task("Long", demo(room), description=lines)
    run = room.live(task)
    left = running.cli("leave", "--in", "3s", at=room.path)
    assert left.code == 0 and "You are leaving" in left.out, left.said
    assert "program (T-1) cannot be asked" in left.out and "is asked where it is" in left.out
    assert "cannot be asked where it is" in got(Browser(running), "/control").text
    assert control(running)["state"] == "leaving"
    waited = running.cli("leave", "--in", "3s", "--wait", at=room.path).out
    assert "program (T-1) cannot be asked" in waited and "safe to close the lid" in waited
    until(lambda: control(running)["state"] == "left")
    assert not any(alive(one["pid"]) for one in [*run["processes"], *deaf["processes"]])
    assert "safe to close the lid" in running.cli("leave", "--wait").out
    ended = room.ended(task)
    assert (ended["outcome"], status(room, task)) == ("interrupted", "interrupted")
    said = running.cli("explain", "task", "T-2", at=room.path).out
    assert "goes on by itself" in said and "Nothing new is started" in said
    points = {
        one["data"]["task_id"]: one["data"]
        for one in running.get("/events")["items"]
        if one["kind"] == "run.resume_point"
    }
    assert set(points) == {deaf["task_id"], task["id"]}
    point = points[task["id"]]
    assert point["session_id"]
    assert point["notes"] == "Done: appended to diary.txt. Next: what is left."
    assert running.cli("resume").code == 0
    again = room.ended(task, 2)
    assert again["outcome"] == "done" and again["session_id"] == ended["session_id"]
    assert "You were here, in your own words:" in again["assembled_prompt"]
    assert point["notes"] in again["assembled_prompt"]
    (wakeup,) = wakeups(room, task)
    assert (wakeup["status"], wakeup["retry_count"]) == ("finished", 0)


@pytest.mark.slow
@pytest.mark.proves("B-099", "F-34", "C-71")
def test_a_stopped_run_is_gone_with_its_tree_and_is_not_tried_again(
    running: House, tmp_path: Path
) -> None:
    room = running.room()
    task = room.task("Deaf", room.agent(sys.executable, "-c", STUBBORN, name="deaf"))
    run = room.live(task)
    until(lambda: "up" in running.transcript(run["id"]))
    pids = {one["pid"] for one in until(lambda: tree(running, run))}
    began = time.monotonic()
    done = running.cli("runs", "cancel", run["id"][-8:])
    assert done.code == 0 and time.monotonic() - began < 15, done.said
    assert not [pid for pid in pids if alive(pid)]
    ended = running.run(run["id"])
    assert (ended["outcome"], ended["error"]) == ("cancelled", None)
    assert status(room, task) == "interrupted"
    assert "You stopped it" in running.cli("explain", "task", "T-1", at=room.path).out
    assert [one["status"] for one in wakeups(room, task)] == ["cancelled"]
    assert not running.get("/inbox")["items"], "a stop by a person is no error of the agent"
    again = running.program("POST", f"/runs/{run['id']}/cancel")
    assert (again.status, again.json["code"]) == (409, "run_has_ended")
    (asked,) = [one for one in running.get("/events")["items"] if one["kind"] == "run.stopping"]
    assert (asked["actor_type"], asked["actor_id"]) == ("person", "owner")


def tree(house: House, run: Any) -> Any:
    """Runner, agent and its child."""
    seen = house.run(run["id"])["processes"]
    return seen if len(seen) >= 3 else None


@pytest.mark.slow
@pytest.mark.proves("B-084")
@pytest.mark.parametrize("deaf", [False, True], ids=["answers the cancel", "never answers"])
def test_what_is_said_after_a_stop_is_heard(running: House, deaf: bool) -> None:
    room = running.room()
    agent = demo(room)
    task = room.task("Talk", agent, description=script("once", "hang" if deaf else "sleep 60"))
    run = room.live(task)
    began = time.monotonic()
    running.post(f"/runs/{run['id']}/cancel", {}, Idempotency_Key="stop")
    assert room.ended(task)["outcome"] == "cancelled" and time.monotonic() - began < 10
    assert (
        running.post(f"/runs/{run['id']}/cancel", {}, Idempotency_Key="stop")["stopping"] is False
    )
    assert status(room, task) == "interrupted" and not running.get("/inbox")["items"]
    comment(room, task, "Go on, please.")
    again = room.ended(task, 2)
    assert again["outcome"] == "no_changes" and status(room, task) == "done"
    assert "Go on, please." in again["assembled_prompt"]


@pytest.mark.slow
@pytest.mark.proves("W-30 control", "B-037 messages")
def test_an_agent_at_work_is_told_something_once_and_a_program_is_not(
    running: House, tmp_path: Path
) -> None:
    room = running.room()
    lines = script("once", "sleep 4")
    task = room.task("Listen", demo(room), description=lines)
    run = room.live(task)
    until(lambda: running.run(run["id"])["session_id"])
    key = {"Idempotency_Key": "say-1"}
    body = {"text": "And mind the tests."}
    for _ in range(2):
        running.post(f"/runs/{run['id']}/message", body, **key)
    other = running.program("POST", f"/runs/{run['id']}/message", {"text": "Other"}, **key)
    assert (other.status, other.json["code"]) == (409, "key_reused")
    assert running.cli("runs", "message", run["id"][-8:], "And the docs.").code == 0
    assert room.ended(task)["outcome"] in ("done", "no_changes")
    heard = running.transcript(run["id"])
    assert heard.count("And mind the tests.") == 1 and "And the docs." in heard
    told = running.run(run["id"])["messages"]
    assert [(one["text"], one["state"]) for one in told] == [
        (body["text"], "read"),
        ("And the docs.", "read"),
    ]
    page = got(Browser(running), f"/runs/{run['id']}").text
    assert "What it was told" in page and "And the docs." in page and "Heard" in page
    assert "and heard: And the docs." in running.cli("runs", "show", run["id"]).out
    late = running.cli("runs", "message", run["id"][-8:], "Too late")
    assert late.code == 1 and "This run is over" in late.err

    hold = tmp_path / "hold"
    program = room.live(room.task("Deaf", holding(room, hold)))
    refused = running.program("POST", f"/runs/{program['id']}/message", body)
    assert (refused.status, refused.json["code"]) == (409, "agent_cannot_hear")
    hold.unlink()


@pytest.mark.slow
@pytest.mark.proves("W-29", "W-30 control", "F-54")
def test_one_agent_is_stopped_and_its_runs_end_by_themselves_or_now(
    running: House, tmp_path: Path
) -> None:
    room, hold = running.room(), tmp_path / "hold"
    agent = holding(room, hold)
    task = room.task("Goes on", agent)
    run = room.live(task)
    seen = running.get(f"/agents/{agent}")
    old = {"If_Match": f'"{seen["revision"] - 1}"'} | {"Idempotency_Key": "agent-stop"}
    assert running.program("POST", f"/agents/{agent}/stop", None, **old).status == 412
    now = {"If_Match": f'"{seen["revision"]}"'} | {"Idempotency_Key": "agent-stop-2"}
    for _ in range(2):  # with an empty body, too, a repeat is the same request
        stopped = running.program("POST", f"/agents/{agent}/stop", None, **now)
        assert (stopped.status, stopped.json["status"], stopped.json["working"]) == (
            200,
            "stopped",
            1,
        )
    reused = running.program("POST", f"/agents/{agent}/pause", None, **now)
    assert (reused.status, reused.json["code"]) == (409, "key_reused")
    unsigned = running.ask("POST", f"/api/v1/agents/{agent}/stop", None, {"Idempotency-Key": "x"})
    assert unsigned.status == 401, "who asks is looked at before the key"
    assert running.run(run["id"])["status"] == "running"
    done = running.cli("agent", "stop", "worker", "--now", at=room.path)
    assert done.code == 0 and room.ended(task)["outcome"] == "cancelled"
    assert not any(alive(one["pid"]) for one in run["processes"] if one["role"] != "runner")
    until(lambda: not any(alive(one["pid"]) for one in run["processes"]))
    assert status(room, task) == "interrupted"
    comment(room, task, "Later, then.")
    until(lambda: wakeups(room, task)[-1]["outcome"] == "agent_stopped")
    hold.unlink()
    assert running.cli("agent", "resume", "worker", at=room.path).code == 0
    assert room.ended(task, 2)["outcome"] == "no_changes"


@pytest.mark.slow
@pytest.mark.proves("F-54")
def test_the_pages_stop_pause_leave_and_tell(running: House, tmp_path: Path) -> None:
    room, hold = running.room(), tmp_path / "hold"
    agent = holding(room, hold)
    task = room.task("Seen", agent)
    run = room.live(task)
    browser = Browser(running)
    here = got(browser, f"/runs/{run['id']}")
    assert "Stop this run" in here.text and "Tell it" not in here.text
    for action, span, state in (("pause", "30m", "paused"), ("leave", "1h", "leaving")):
        forms = got(browser, "/control").forms
        (form,) = [one for one in forms if one.fields.get("once", "").endswith(f".{action}")]
        assert send(browser, form, action=action, span=span).status == 303
        assert control(running)["state"] == state and control(running)["until"] > soon(minutes=20)
    running.post("/control", {"action": "resume"})
    forms = got(browser, "/control").forms
    (form,) = [one for one in forms if one.action == f"/agents/{agent}/control"]
    assert send(browser, form, action="pause").status == 303
    assert running.get(f"/agents/{agent}")["status"] == "paused"
    (form,) = [one for one in here.forms if one.action.endswith("/cancel")]
    assert send(browser, form).status == 303
    assert room.ended(task)["outcome"] == "cancelled"
    os.remove(hold)


@pytest.mark.slow
@pytest.mark.proves("W-29", "F-21")
def test_all_is_ended_though_the_database_is_gone_and_that_is_said(running: House) -> None:
    room = running.room()
    task = room.task("Long", room.agent(sys.executable, "-c", STUBBORN, name="deaf"))
    run = room.live(task)
    until(lambda: "up" in running.transcript(run["id"]))
    pids = {one["pid"] for one in until(lambda: tree(running, run))}
    database, away = running.home / "roundtable.db", running.home / "away.db"
    database.rename(away)
    refused = running.cli("pause")
    assert refused.code == 1 and "Nothing was changed" in refused.err
    done = running.cli("force-stop")
    assert done.code == 1 and "Every process of the agents was ended (runs: 1)." in done.err
    assert "could not be written down" in done.err and str(database) in done.err
    assert pids and not [pid for pid in pids if alive(pid)]
    away.rename(database)
    assert room.ended(task)["outcome"] == "interrupted"
    assert [one["status"] for one in wakeups(room, task)] == ["queued"]

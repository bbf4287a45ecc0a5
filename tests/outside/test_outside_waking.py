"""Waking an agent without a task: by a person, by itself, later, and when another one failed."""

import json
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import got, send, sent
from outside_talk import Stalls, demo, script

OVER = ("finished", "failed", "cancelled")


def runs_of(room: Room, agent: str) -> list[Any]:
    """The oldest first."""
    return room.house.get("/runs", agent_id=agent)["items"][::-1]


def ended(room: Room, agent: str, number: int = 1) -> Any:
    def look() -> Any:
        found = runs_of(room, agent)
        return len(found) >= number and found[number - 1]["status"] in OVER

    until(look)
    return room.house.run(runs_of(room, agent)[number - 1]["id"])


def wakeups_of(room: Room, agent: str) -> list[Any]:
    return room.house.get("/wakeups", agent_id=agent)["items"][::-1]


# --- by a person ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-08", "N-03")
def test_who_is_paused_is_not_said_to_be_woken(room: Room) -> None:
    agent = demo(room, "chair")
    house = room.house
    assert house.cli("agent", "pause", "chair", at=room.path).code == 0
    done = house.cli(
        "agent", "wake", "chair", "--text", script("write idea.md better"), at=room.path
    )
    assert done.code == 0 and "is woken" not in done.out
    assert "The wake of chair is kept." in done.out and "paused" in done.out
    assert house.cli("agent", "resume", "chair", at=room.path).code == 0
    assert house.cli("pause").code == 0
    done = house.cli(
        "agent", "wake", "chair", "--text", script("write idea.md better"), at=room.path
    )
    assert "is woken" not in done.out and "roundtable resume" in done.out
    (kept,) = next(one for one in house.get("/status")["workspaces"] if one["id"] == room.id)[
        "held_back"
    ]
    assert (kept["agent"], "roundtable resume" in kept["sentence"]) == ("chair", True)
    assert kept["wakeup_id"][-8:] in house.cli("status", at=room.path).out
    assert house.cli("resume").code == 0
    assert ended(room, agent)["outcome"] == "done"


@pytest.mark.slow
@pytest.mark.proves("K-01", "K-08", "K-47")
def test_an_idle_agent_works_without_a_task_and_what_it_leaves_is_named(room: Room) -> None:
    agent = demo(room, "chair")
    branches = room.git("for-each-ref", "refs/heads")
    done = room.house.cli(
        "agent", "wake", "chair", "--text", script("write idea.md better"), at=room.path
    )
    assert done.code == 0 and "chair is woken" in done.out, done.err
    run = ended(room, agent)
    assert (run["outcome"], run["task_id"], run["attempt_index"]) == ("done", None, None)
    assert "The developer asked for you." in run["assembled_prompt"]
    left = run["left_commit"]
    assert room.git("show", f"{left}:idea.md") == "better"
    assert room.git("rev-parse", f"refs/roundtable/left/{run['id']}") == left
    assert room.git("for-each-ref", "refs/heads") == branches
    assert room.git("status", "--porcelain") == ""
    shown = room.house.cli("runs", "show", run["id"], at=room.path)
    assert f"git show {left}" in shown.out
    told = room.house.cli("explain", "run", run["id"], at=room.path)
    assert f"git show {left}" in told.out
    page = got(Browser(room.house), f"/runs/{run['id']}")
    assert f"git show {left}" in page.text and "chair, without a task" in page.text
    (wakeup,) = wakeups_of(room, agent)
    assert (wakeup["source"], wakeup["reason"], wakeup["outcome"]) == ("user", "wake", "executed")
    assert not room.house.get("/inbox", workspace_id=room.id)["items"]


@pytest.mark.slow
@pytest.mark.proves("K-01")
def test_it_begins_anew_each_time_and_says_so_when_nothing_was_asked(room: Room) -> None:
    agent = demo(room)
    room.house.post(f"/agents/{agent}/wake", {"context": script("write idea.md better")})
    first = ended(room, agent)
    room.house.post(f"/agents/{agent}/wake", {})
    second = ended(room, agent, 2)
    assert (first["left_commit"] is None, second["left_commit"]) == (False, None)
    assert second["outcome"] == "no_changes"
    assert first["session_id"] != second["session_id"]


@pytest.mark.proves("C-53", "W-30 keys")
def test_two_wakes_of_a_person_are_two_runs_and_the_same_key_is_one(room: Room) -> None:
    agent = room.shell("true; echo hi")
    path = f"/agents/{agent}/wake"
    for key in (f"one:{agent}", f"one:{agent}", f"two:{agent}"):
        answer = room.house.program("POST", path, {"context": "hurry"}, Idempotency_Key=key)
        assert answer.status == 202
    ended(room, agent, 2)
    assert [one["coalesced_count"] for one in wakeups_of(room, agent)] == [1, 1]


@pytest.mark.proves("K-08")
def test_a_wake_about_a_task_is_a_run_of_that_task(room: Room) -> None:
    agent = room.shell("cat > note.txt")
    task = room.task("Write")
    room.house.post(f"/agents/{agent}/wake", {"task_id": task["id"], "context": {"text": "Now."}})
    assert "Now." in room.ended(task)["assembled_prompt"]
    elsewhere = room.house.room("other").task("Not here")
    for wrong in (elsewhere["id"], "abcdefgh"):
        answer = room.house.program("POST", f"/agents/{agent}/wake", {"task_id": wrong})
        assert (answer.status, answer.json["code"]) == (404, "unknown_task")


@pytest.mark.proves("K-08")
def test_an_agents_token_wakes_nobody_over_http(room: Room, tmp_path: Path) -> None:
    """POST by agent token is refused; the tool is its only way."""
    stalls = Stalls(room, tmp_path / "stalls")
    agent = stalls.agent()
    seat = stalls.seat(room.task("Sit", agent))
    headers = {"Authorization": f"Bearer {seat.token}", "Content-Type": "application/json"}
    for path in (f"/api/v1/agents/{agent}/wake", "/api/v1/tasks"):
        assert room.house.ask("POST", path, "{}", headers).status == 401
    seat.leave()


# --- later ----------------------------------------------------------------------------------------


def later_in(room: Room) -> list[Any]:
    every = room.house.get("/status")["workspaces"]
    return next(one["later"] for one in every if one["id"] == room.id)


def soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


@pytest.mark.slow
@pytest.mark.proves("C-83")
def test_a_wake_for_later_survives_a_restart_and_comes_then(running: House) -> None:
    house, room = running, running.room()
    agent = room.shell("echo awake")
    at = time.time() + 6
    made = house.post(f"/agents/{agent}/wake", {"context": "see to it", "at": soon(6)})
    assert (made["status"], made["held_by"]) == ("queued", "not_before")
    explained = house.get(f"/wakeups/{made['id']}/explain")
    assert explained["code"] == "waits_not_before" and "as it was asked" in explained["sentence"]
    assert [one["text"] for one in later_in(room)] == ["see to it"]
    assert made["id"][-8:] in house.cli("status", at=room.path).out
    house.end()
    house.start()
    early = runs_of(room, agent)
    assert early == [] or time.time() >= at
    run = ended(room, agent)
    assert run["wakeup_id"] == made["id"] and time.time() >= at
    assert later_in(room) == []


@pytest.mark.proves("C-83", "C-32")
def test_a_wake_for_later_can_be_taken_back(room: Room) -> None:
    house, agent = room.house, room.shell("echo awake", name="sleeper")
    done = house.cli("agent", "wake", "sleeper", "--at", "2h", "--json", at=room.path)
    wakeup = done.json
    listed = house.cli("wakeup", "list", "--status", "queued", "--json", at=room.path).json
    assert [one["id"] for one in listed] == [wakeup["id"]]
    assert house.cli("wakeup", "cancel", wakeup["id"][-8:], at=room.path).code == 0
    gone = house.get(f"/wakeups/{wakeup['id']}")
    assert (gone["status"], gone["outcome"], gone["cancel_reason"]) == (
        "cancelled",
        "user_cancelled",
        "user_cancelled",
    )
    again = house.program("POST", f"/wakeups/{wakeup['id']}/cancel", {})
    assert (again.status, again.json["code"]) == (409, "wakeup_not_waiting")
    (event,) = house.query(
        f"SELECT actor_type FROM events WHERE subject_id = '{wakeup['id']}'"
        " AND kind = 'wakeup.settled'"
    )
    assert event[0] == "person"
    assert runs_of(room, agent) == []


@pytest.mark.proves("C-83")
@pytest.mark.parametrize("at", ["tomorrow", "2026-03-08T06:30:00", 5, "9999-12-31T23:59:59Z"])
def test_what_is_no_time_to_come_is_refused(room: Room, at: object) -> None:
    agent = room.shell("true")
    answer = room.house.program("POST", f"/agents/{agent}/wake", {"at": at})
    assert answer.status == 422
    assert [one["pointer"] for one in answer.json["errors"]] == ["/at"]


@pytest.mark.slow
@pytest.mark.proves("C-83", "C-32")
def test_the_overview_wakes_now_and_later_and_takes_back(room: Room) -> None:
    agent = room.shell("echo awake", name="sleeper")
    browser = Browser(room.house)
    form = got(browser, "/").form("/wake")
    later = sent(browser, form, agent=agent, text="Mind the log.", later="8h")
    assert "will be woken at that time" in later.text
    assert "Woken later" in later.text and "Mind the log." in later.text
    (wakeup,) = wakeups_of(room, agent)
    assert wakeup["held_by"] == "not_before"
    cancel = later.form(f"/wakeups/{wakeup['id']}/cancel")
    gone = sent(browser, cancel).text
    assert "Mind the log." not in gone and "It was taken back" in gone
    refused = send(browser, cancel, once="another-key")
    assert refused.status == 409 and "waits no more" in refused.text
    now = got(browser, "/").form("/wake")
    assert "The agent is told." in sent(browser, now, agent=agent, text="", later="0m").text
    assert ended(room, agent)["outcome"] in ("done", "no_changes")


# --- by itself ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-08", "C-83")
def test_an_agent_wakes_itself_and_is_told_what_it_wrote_down(room: Room) -> None:
    agent = demo(room, "chair")
    note = '{"reason": "@demo write later.md done", "in": "1s"}'
    room.house.post(f"/agents/{agent}/wake", {"context": script(f"tool wake_self {note}")})
    first, second = ended(room, agent), ended(room, agent, 2)
    (_, own) = wakeups_of(room, agent)
    assert (own["source"], own["payload"]) == ("self", {"reason": "@demo write later.md done"})
    key = room.house.query(
        f"SELECT idempotency_key FROM agent_wakeup_requests WHERE id = '{own['id']}'"
    )
    assert key[0][0].startswith(f"self:{first['id']}:")
    assert "You wrote down for this:" in second["assembled_prompt"]
    assert room.git("show", f"{second['left_commit']}:later.md") == "done"


@pytest.mark.proves("S-76", "K-08")
def test_an_agent_that_wakes_itself_in_a_loop_is_stopped_by_name(
    room: Room, tmp_path: Path
) -> None:
    stalls = Stalls(room, tmp_path / "stalls")
    task = room.task("Sit", stalls.agent())
    seat = stalls.seat(task)
    answers = [seat.call("wake_self", reason=f"again {n}", **{"in": "1h"}) for n in range(9)]
    assert ["wakeup_id" in one for one in answers] == [True] * 6 + [False] * 3
    assert answers[-1]["code"] == "too_many_wakes"
    told = room.house.get(f"/runs/{seat.run}/events")["items"]
    assert [one["kind"] for one in told].count("run.wake_refused") == 1
    waiting = room.house.get("/wakeups", source="self", task_id=task["id"])["items"]
    assert len(waiting) == 6
    for wrong, code in (
        ({}, "one_reason"),
        ({"reason": "a", "context": "b"}, "one_reason"),
        ({"reason": "a", "at": "noon"}, "no_moment"),
        ({"reason": "a", "in": "soon"}, "no_span"),
        ({"reason": "a", "in": "1h", "at": "2026-03-08T06:30:00Z"}, "at_or_in"),
    ):
        assert seat.call("wake_self", **wrong)["code"] == code
    seat.leave()


# --- when another one failed ----------------------------------------------------------------------


def hurry(house: House) -> None:
    """What waits for a retry is due."""
    with closing(sqlite3.connect(house.root / "home" / "roundtable.db", timeout=10)) as raw, raw:
        raw.execute(
            "UPDATE agent_wakeup_requests SET scheduled_retry_at = 1 WHERE held_by = 'retry'"
        )
    house.post("/control", {"action": "resume"})


@pytest.mark.slow
@pytest.mark.proves("K-07", "K-35", "C-05", "C-29", "B-072", "B-073")
def test_after_the_fifth_failure_a_person_is_asked_and_the_coordinator_woken_once(
    running: House,
) -> None:
    room = running.room()
    worker = room.shell("echo no memory >&2; kill -9 $$", name="worker")
    chair = demo(room, "chair", role="coordinator")
    task = room.task("Try", worker)
    for number in range(1, 6):
        run = room.ended(task, number)
        hurry(room.house)
    (item,) = until(lambda: room.house.get("/inbox", workspace_id=room.id)["items"])
    assert item["data"]["outcome"] == "exhausted"
    told = ended(room, chair)
    assert told["task_id"] is None
    assert f"Agent worker failed for good in run {run['id']}" in told["assembled_prompt"]
    assert "no memory" in told["assembled_prompt"]
    (wakeup,) = wakeups_of(room, chair)
    assert wakeup["payload"]["run_id"] == run["id"] and wakeup["source"] == "agent_error"
    assert len(runs_of(room, worker)) == 5 and len(runs_of(room, chair)) == 1

    # A person's retry is a fresh count, and only that.
    room.house.post(f"/inbox/{item['id']}/act", {"action": "retry"})
    assert room.ended(task, 6)["outcome"] == "crashed"
    (waiting,) = room.house.get("/wakeups", agent_id=worker, status="queued")["items"]
    assert waiting["retry_count"] == 1


@pytest.mark.proves("K-35")
def test_a_task_whose_attempts_are_used_up_asks_a_person(room: Room) -> None:
    worker = room.shell("exit 3")
    task = room.task("Try", worker, retry_budget=0)
    (item,) = until(lambda: room.house.get("/inbox", workspace_id=room.id)["items"])
    assert (item["subject_id"], item["data"]["outcome"]) == (task["id"], "task_failed")
    assert room.house.get(f"/tasks/{task['id']}")["status"] == "failed"
    room.house.post(f"/inbox/{item['id']}/act", {"action": "retry"})
    room.ended(task, 2)
    until(lambda: len(room.house.get("/inbox", workspace_id=room.id)["items"]) == 2)


@pytest.mark.slow
@pytest.mark.proves("K-64 taskless", "C-24 asked")
def test_a_coordinator_gives_work_out_without_a_task_and_says_what_it_needs(room: Room) -> None:
    """As in a home of one's own: the built-in agent as coordinator, the command line and a page."""
    house, worker = room.house, room.shell("echo x > part.txt", name="worker")
    chair = demo(room, "chair", role="coordinator")
    wanted = {"title": "Part", "assignee_agent": "worker"}
    lines = script(f"tool task_create {json.dumps(wanted)}", "block Choose a port.")
    assert house.cli("agent", "wake", "chair", "--text", lines, at=room.path).code == 0
    assert ended(room, chair)["outcome"] == "blocked"
    (task,) = house.get("/tasks", workspace_id=room.id)["items"]
    assert (task["title"], task["assignee_agent_id"], task["parent_id"]) == ("Part", worker, None)
    until(lambda: house.get(f"/tasks/{task['id']}")["status"] == "in_review")
    (item,) = house.get("/inbox", workspace_id=room.id, status="open", kind="blocked")["items"]
    assert "chair cannot go on and needs you: Choose a port." in item["sentence"]
    page = got(Browser(house), "/inbox")
    assert "Choose a port." in page.text and "Nothing to do" in page.text
    done = house.cli("inbox", "act", item["id"][-8:], "dismiss", at=room.path)
    assert done.code == 0, done.err

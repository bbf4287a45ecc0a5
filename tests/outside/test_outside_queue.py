"""The queue's promises from outside: once for each event, refused aloud, and stopped in order."""

import resource
import sqlite3
from contextlib import closing
from typing import Any

import psutil
import pytest
from outside_house import House, Room, until
from outside_talk import comment, wakeups

DAY = 25 * 3600 * 1_000_000


def stored(house: House, sql: str, *values: object) -> None:
    """Written while no owner holds the home."""
    with closing(sqlite3.connect(house.home / "roundtable.db")) as db, db:
        db.execute(sql, values)


def keys(house: House) -> list[Any]:
    return [key for (key,) in house.query("SELECT idempotency_key FROM agent_wakeup_requests")]


def assigned(room: Room, task: Any, agent: str) -> None:
    body = {"assignee_agent_id": agent}
    assert room.house.program("PATCH", f"/tasks/{task['id']}", body).status == 200


@pytest.mark.slow
@pytest.mark.proves("K-10", "C-63")
def test_an_event_told_again_counts_once_also_after_a_restart(running: House) -> None:
    room = running.room()
    agent = room.shell("echo done > done.txt")
    task = room.task("Once", agent)
    room.ended(task)
    said = comment(room, task, "Look again", Idempotency_Key="say-1")
    room.ended(task, 2)
    for _ in range(2):
        assert comment(room, task, "Look again", Idempotency_Key="say-1")["id"] == said["id"]
        assigned(room, task, agent)
        running.end()
        running.start()
    assert [one["source"] for one in wakeups(room, task)] == ["task_assigned", "comment"]
    assert sorted(keys(running)) == [f"comment:{said['id']}", f"task_assigned:{task['id']}:1"]


@pytest.mark.slow
@pytest.mark.proves("K-10")
def test_a_start_takes_the_keys_that_count_no_more(running: House) -> None:
    room = running.room()
    agent = room.shell("echo done > done.txt", max_concurrent_sessions=1)
    over = room.task("Over", agent)
    room.ended(over)
    assert running.cli("pause").code == 0
    waits = room.task("Waits", agent)
    running.end()
    older = "UPDATE agent_wakeup_requests SET requested_at = requested_at - ?, finished_at = "
    stored(running, older + "finished_at - ?", DAY, DAY)
    running.start()
    until(lambda: keys(running).count(None) == 1)
    assert [key for key in keys(running) if key] == [f"task_assigned:{waits['id']}:1"]
    (told,) = wakeups(room, over)
    assert told["status"] == "finished", "the wakeup itself stays to be read"


@pytest.mark.slow
@pytest.mark.proves("K-66")
def test_a_write_that_fails_is_told_and_nothing_of_it_is_there(running: House) -> None:
    room = running.room()
    agent = room.shell("echo done > done.txt")
    room.ended(room.task("Before", agent))
    assert running.cli("pause").code == 0
    assert running.owner is not None
    owner = psutil.Process(running.owner.pid)
    whole = owner.rlimit(resource.RLIMIT_FSIZE)
    counted = "SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM agent_wakeup_requests)"
    before = running.query(counted)
    # As on a full disk: no file may grow any more.
    owner.rlimit(resource.RLIMIT_FSIZE, (4096, whole[1]))
    try:
        body = {"workspace_id": room.id, "title": "Lost?", "assignee_agent_id": agent}
        refused = running.program("POST", "/tasks", body, Idempotency_Key="one")
    finally:
        owner.rlimit(resource.RLIMIT_FSIZE, whole)
    assert refused.status in (500, 503) and refused.json["code"], refused.text
    assert running.query(counted) == before
    again = running.program("POST", "/tasks", body, Idempotency_Key="one")
    assert again.status == 201
    assert len(wakeups(room, again.json)) == 1


@pytest.mark.slow
@pytest.mark.proves("K-04")
def test_nobody_can_speak_in_another_name(room: Room) -> None:
    """Failure 12 of the first systems: agents woke themselves, for the client named the author."""
    task = room.task("Quiet", room.shell("echo done > done.txt"))
    room.ended(task)
    for more in ({"author_type": "agent"}, {"author_id": "x"}, {"author": {"type": "agent"}}):
        path = f"/tasks/{task['id']}/comments"
        assert room.house.program("POST", path, {"text": "me", **more}).status == 422
    assert len(wakeups(room, task)) == 1


@pytest.mark.slow
@pytest.mark.proves("C-101", "K-65")
def test_a_stop_is_in_order_and_no_failure_of_anybody(running: House) -> None:
    """Failures 14 and 15: nothing asks a closed database, and live runs are what they were."""
    room = running.room()
    agent = room.shell("while [ ! -e go.txt ]; do sleep 0.05; done", max_concurrent_sessions=4)
    tasks = [room.task(f"Live {number}", agent) for number in range(3)]
    runs = [room.live(task) for task in tasks]
    waits = [room.task(f"Waits {number}", agent) for number in range(2)]
    code, rest = running.end()
    assert (code, rest) == (0, b"")
    log = (running.home / "logs" / "roundtable.log").read_text()
    for word in ("Traceback", "ProgrammingError", "closed database", "failed"):
        assert word not in log, log[-3000:]
    running.start()
    for run in runs:
        seen = running.run(run["id"])
        assert (seen["status"], seen["outcome"], seen["error"]) == ("running", None, None)
        (copy,) = (running.home / "copies").glob(f"*/t{number_of(tasks, run)}")
        (copy / "go.txt").touch()
    for task in tasks:
        assert room.ended(task)["status"] == "finished"
        assert len(wakeups(room, task)) == 1
    # Those that waited are taken up without a new cause (failure 8: no drain at start-up).
    assert room.live(waits[0])["attempt_index"] == 1


def number_of(tasks: list[Any], run: Any) -> int:
    return int(next(one["number"] for one in tasks if one["id"] == run["task_id"]))

"""A wakeup that the owner dies of is set aside where a person looks, and a retry runs it."""

import contextlib
import sqlite3
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_talk import status


def die_claimed(house: House, task: Any) -> None:
    """As if it had died while it judged this wakeup."""
    assert house.owner is not None
    house.owner.kill()
    house.owner.communicate()
    with contextlib.closing(sqlite3.connect(house.home / "roundtable.db")) as db, db:
        sql = "UPDATE agent_wakeup_requests SET status = 'claimed' WHERE task_id = ?"
        assert db.execute(sql, (task["id"],)).rowcount == 1
    house.start()


def items(room: Room) -> list[Any]:
    found: list[Any] = room.house.get("/inbox", workspace_id=room.id, status="open")["items"]
    return [one for one in found if one["kind"] != "proposal"]


@pytest.mark.slow
@pytest.mark.proves("F-10", "C-58", "N-03")
def test_after_three_deaths_a_person_is_asked_and_others_went_on(running: House) -> None:
    room = running.room()
    running.post("/control", {"action": "pause"})
    task = room.task("Poison", room.shell("echo made > note.txt"))
    for deaths in (1, 2, 3):
        assert items(room) == []
        die_claimed(running, task)
        (wakeup,) = running.get("/wakeups", task_id=task["id"])["items"]
        assert wakeup["status"] == ("queued" if deaths < 3 else "failed")
    assert wakeup["outcome"] == "quarantined"
    running.post("/control", {"action": "resume"})
    other = room.task("Other", room.shell("echo made > other.txt", name="other"))
    until(lambda: status(room, other) == "in_review")
    (item,) = items(room)
    assert (item["severity"], item["kind"]) == ("critical", "agent.error")
    assert "set aside" in item["sentence"] and item["data"]["setbacks"] == 3
    said = running.cli("status", at=room.path).out
    assert "set aside" in said and "roundtable task run" in said
    assert "set aside" in running.cli("explain", "task", "T-1", at=room.path).out
    assert "set aside" in running.cli("inbox", "list").out
    page = Browser(running)
    for path in ("/inbox", f"/tasks/{task['id']}"):
        assert "set aside" in page.ask("GET", path).text
    done = running.cli("inbox", "act", item["id"], "retry", at=room.path)
    assert done.code == 0, done.err
    until(lambda: status(room, task) == "in_review")
    assert items(room) == []


@pytest.mark.slow
@pytest.mark.proves("W-13")
def test_a_damaged_row_stops_no_page_no_list_and_no_start(running: House) -> None:
    room = running.room()
    running.post("/control", {"action": "pause"})
    task = room.task("Damaged", room.shell("echo made > note.txt"))
    running.end()
    with contextlib.closing(sqlite3.connect(running.home / "roundtable.db")) as db, db:
        sql = "UPDATE agent_wakeup_requests SET payload = '{', context_snapshot = 'x'"
        assert db.execute(sql).rowcount == 1
        db.execute("UPDATE events SET data = '{' WHERE kind = 'wakeup.queued'")
    running.start()
    assert running.get("/events")["items"]
    (wakeup,) = running.get("/wakeups", task_id=task["id"])["items"]
    assert "unreadable" in wakeup["payload"]
    running.post("/control", {"action": "resume"})
    until(lambda: items(room))
    (item,) = items(room)
    assert item["severity"] == "attention" and "could not be read" in item["sentence"]
    assert running.cli("inbox", "act", item["id"], "retry").code == 0
    until(lambda: status(room, task) == "in_review")

"""Nothing of one workspace is seen, woken or assigned from another."""

import contextlib
import sqlite3

import pytest
from outside_house import House, until


@pytest.mark.slow
@pytest.mark.proves("K-64")
def test_an_agent_of_another_workspace_is_as_if_it_did_not_exist(running: House) -> None:
    here, there = running.room("here"), running.room("there")
    stranger, own = there.shell("echo x > x.txt"), here.shell("echo y > y.txt")
    body = {"workspace_id": here.id, "title": "T", "assignee_agent_id": stranger}
    refused = running.program("POST", "/tasks", body)
    assert (refused.status, refused.json["code"]) == (404, "unknown_agent")
    task = here.task("T")
    moved = running.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": stranger})
    assert (moved.status, moved.json["code"]) == (404, "unknown_agent")
    assert running.get("/wakeups", workspace_id=there.id)["items"] == []
    assert [one["id"] for one in running.get("/agents", workspace_id=here.id)["items"]] == [own]
    assert running.get("/tasks", workspace_id=there.id)["items"] == []


@pytest.mark.slow
@pytest.mark.proves("K-64", "K-29")
def test_a_wakeup_that_names_another_workspaces_task_starts_nothing(running: House) -> None:
    here, there = running.room("here"), running.room("there")
    running.post("/control", {"action": "pause"})
    theirs = there.task("Theirs")
    ours = here.task("Ours", here.shell("echo y > y.txt"))
    with contextlib.closing(sqlite3.connect(running.home / "roundtable.db")) as db, db:
        sql = "UPDATE agent_wakeup_requests SET task_id = ? WHERE task_id = ?"
        assert db.execute(sql, (theirs["id"], ours["id"])).rowcount == 1
    running.post("/control", {"action": "resume"})

    def settled() -> bool:
        found = running.get("/wakeups", workspace_id=here.id)["items"]
        return found[0]["status"] == "cancelled"

    until(settled)
    (wakeup,) = running.get("/wakeups", workspace_id=here.id, status="cancelled")["items"]
    assert wakeup["cancel_reason"] == "task_not_found"
    assert running.get("/runs", workspace_id=there.id)["items"] == []
    assert running.get(f"/tasks/{theirs['id']}")["status"] == "todo"

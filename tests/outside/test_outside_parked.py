"""Wakes behind a run's lock, for a task that moved on, and a key that comes a thousand times."""

import threading
from pathlib import Path
from typing import Any

import pytest
from outside_house import Room, until
from outside_talk import status, wakeups


@pytest.mark.slow
@pytest.mark.proves("B-038", "K-41", "C-11")
def test_a_wake_parked_behind_a_lock_starts_when_the_run_ends(room: Room, tmp_path: Path) -> None:
    go = tmp_path / "go"
    waits = f"while [ ! -e {go} ]; do sleep 0.05; done"
    first = room.shell(f"{waits}; exit 1", name="ann")
    second = room.shell("echo done > note.txt", name="bob")
    task = room.task("Parked", first, retry_budget=0)
    room.live(task)
    room.house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": second})
    held = until(lambda: [one for one in wakeups(room, task) if one["agent_id"] == second])
    until(lambda: room.house.get(f"/wakeups/{held[0]['id']}")["held_by"] == "checkout_contended")
    said = room.house.get(f"/wakeups/{held[0]['id']}/explain")
    assert "another run has the task" in said["sentence"]
    go.touch()
    until(lambda: status(room, task) == "in_review", 20)  # and not after the minute of its hold
    ran = room.house.get("/runs", task_id=task["id"])["items"]
    assert [one["agent_id"] for one in ran] == [second, first]
    over = [one["status"] for one in wakeups(room, task)]
    assert set(over) <= {"finished", "cancelled"}


@pytest.mark.slow
@pytest.mark.proves("F-11", "K-10")
def test_a_key_that_comes_a_thousand_times_at_once_is_one_task_and_one_run(room: Room) -> None:
    agent, house = room.shell("echo done > note.txt"), room.house
    body = {"workspace_id": room.id, "title": "Once", "assignee_agent_id": agent}
    answers: list[Any] = []

    def ask() -> None:
        for _ in range(125):
            answers.append(house.program("POST", "/tasks", body, Idempotency_Key="k-1"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} == {201} and len(answers) == 1000
    (made,) = {answer.json["id"] for answer in answers}
    until(lambda: status(room, {"id": made}) == "in_review")
    assert len(house.get("/tasks", workspace_id=room.id)["items"]) == 1
    assert len(house.get("/wakeups", task_id=made)["items"]) == 1
    assert len(house.get("/runs", task_id=made)["items"]) == 1

"""A mission from outside: set by a program, worked on wave by wave, offered and delivered."""

import subprocess
from typing import Any

import pytest
from outside_house import Room, until

WRITES = 'echo made > "$ROUNDTABLE_RUN.txt"; echo done'


def files(room: Room, branch: str) -> list[str]:
    words = ["git", "-C", str(room.path), "ls-tree", "-r", "--name-only", branch]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
@pytest.mark.proves("R-31", "C-34", "C-96", "A-14", "A-18", "C-97 missions", "R-32")
def test_a_mission_is_worked_on_in_waves_and_delivered_as_a_whole(room: Room) -> None:
    house = room.house
    for name in ("ada", "bob"):
        room.shell(WRITES, name=name)
    made: Any = house.post("/missions", {"workspace_id": room.id, "goal": "Two, then one"})
    root = made["root_task_id"]

    def task(title: str, area: str, *before: Any) -> Any:
        return room.task(
            title,
            parent_id=root,
            expected_files=[area],
            depends_on=[{"depends_on_task_id": one["id"]} for one in before],
        )

    one, two = task("One", "a.txt"), task("Two", "b.txt")
    same = task("The same as one", "a.txt")
    last = task("Last", "c.txt", one, two)

    def over() -> Any:
        seen = house.get(f"/missions/{made['id']}")
        return seen if seen["state"] not in ("starting", "active") else None

    seen = until(over, 90)
    assert (seen["state"], seen["outcome"]) == ("completed", "completed")
    assert house.get(f"/tasks/{root}")["status"] == "done"
    tasks = (one, two, same, last)
    assert {house.get(f"/tasks/{each['id']}")["status"] for each in tasks} == {"done"}
    runs = {each["id"]: house.get("/runs", task_id=each["id"])["items"] for each in tasks}
    assert all(len(found) == 1 for found in runs.values())
    began = {key: found[0]["started_at"] for key, found in runs.items()}
    ended = {key: found[0]["ended_at"] for key, found in runs.items()}
    assert max(ended[one["id"]], ended[two["id"]]) <= began[last["id"]]
    first, later = sorted((one["id"], same["id"]), key=lambda key: str(began[key]))
    assert ended[first] <= began[later], "two that write the same are one after the other"
    branch = seen["integration_branch"]
    written = {f"{found[0]['id']}.txt" for found in runs.values()}
    assert written <= set(files(room, branch)) and not written & set(files(room, "main"))
    offered = until(lambda: house.get("/proposals", task_id=root)["items"])[0]
    house.post(f"/proposals/{offered['id']}/deliver")
    until(lambda: written <= set(files(room, "main")), 30)
    kinds = [each["kind"] for each in house.get("/events", workspace_id=room.id)["items"]]
    assert kinds.count("orchestrator.completed") <= 1

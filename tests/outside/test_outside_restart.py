"""Whatever can wait is there after a kill, also a month later, and each of it is handled once."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from outside_house import House, Room, until
from outside_talk import comment, status

MONTH = 30 * 86_400 * 1_000_000


def behind_its_back(house: House) -> sqlite3.Connection:
    return sqlite3.connect(house.home / "roundtable.db", timeout=10, isolation_level=None)


def age(house: House) -> None:
    """Every instant of every row lies a month further back."""
    with closing(behind_its_back(house)) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                if column.endswith("_at") or column == "at":
                    db.execute(f"UPDATE {table} SET {column} = {column} - {MONTH}")


def kill(house: House) -> None:
    assert house.owner is not None
    house.owner.kill()
    house.owner.communicate()
    house.owner = None


class Waiting:
    """One task in each of the ways in which a wake can wait; `doors` let their agents go on."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house, self.folder = house, folder
        self.room = house.room()
        self.tasks: dict[str, Any] = {}
        house.program("PATCH", "/settings", {"coalescing_window_sec": 300})
        busy = self.agent("busy")
        self.tasks["adopted"] = self.room.task("adopted", busy)
        self.adopted = self.room.live(self.tasks["adopted"])
        self.tasks["capacity"] = self.room.task("capacity", busy)
        self.tasks["finished"] = self.room.task("finished", self.agent("finished"))
        self.finished = self.room.live(self.tasks["finished"])
        self.tasks["retry"] = self.room.task("retry", self.agent("retry", first="kill -9 $$"))
        until(lambda: self.wakeup("retry")["held_by"] == "retry")
        paused = self.agent("said")
        self.tasks["window"] = self.room.task("window", paused)
        until(lambda: status(self.room, self.tasks["window"]) == "in_review")
        comment(self.room, self.tasks["window"], "One more thing")
        comment(self.room, self.tasks["window"], "And another")
        for name in ("claimed", "hold", "far"):
            house.post("/control", {"action": "pause"})
            self.tasks[name] = self.room.task(name, self.agent(name))

    def agent(self, name: str, first: str = ":") -> str:
        """It waits for its door where it has one, and leaves a file for each of its runs."""
        waits = name in ("busy", "finished")
        door = f"while [ ! -e {self.folder}/{name} ]; do sleep 0.05; done" if waits else ":"
        once = f"if [ ! -e {self.folder}/{name}.again ]; then touch {self.folder}/{name}.again; "
        return self.room.shell(
            f"{once} {first}; fi; {door}; echo $ROUNDTABLE_RUN >> {self.folder}/{name}.ran;"
            f" echo $ROUNDTABLE_RUN > $ROUNDTABLE_TASK.txt",
            name=name,
        )

    def wakeup(self, name: str) -> Any:
        found = self.house.get("/wakeups", task_id=self.tasks[name]["id"])["items"]
        return self.house.get(f"/wakeups/{found[0]['id']}")

    def runs(self, name: str) -> list[Any]:
        found: list[Any] = self.house.get("/runs", task_id=self.tasks[name]["id"])["items"]
        return found

    def open(self, *names: str) -> None:
        for name in names:
            (self.folder / name).touch()


def put(house: House, task: Any, text: str) -> None:
    with closing(behind_its_back(house)) as db:
        assert db.execute(
            f"UPDATE agent_wakeup_requests SET {text} WHERE task_id = ?", (task["id"],)
        ).rowcount


@pytest.mark.slow
@pytest.mark.proves("K-65", "C-14", "C-58", "C-10", "B-042")
def test_all_that_waits_is_handled_once_after_a_kill_and_a_month(
    house: House, tmp_path: Path
) -> None:
    """S1:1763-1783: the owner is killed, a month passes, and it is started again."""
    doors = tmp_path / "doors"
    doors.mkdir()
    house.start()
    waiting = Waiting(house, doors)
    kill(house)
    waiting.open("finished")
    until(lambda: (doors / "finished.ran").exists())
    put(house, waiting.tasks["claimed"], "status = 'claimed', claimed_at = requested_at")
    soon = "scheduled_retry_at = requested_at + 60000000"
    put(house, waiting.tasks["hold"], f"held_by = 'checkout_contended', {soon}")
    far = f"scheduled_retry_at = requested_at + {2 * MONTH}"
    put(house, waiting.tasks["far"], f"held_by = 'limit', retry_count = 1, {far}")
    age(house)
    house.start()
    house.post("/control", {"action": "resume"})
    waiting.open("busy")
    room: Room = waiting.room
    for name, task in waiting.tasks.items():
        if name != "far":
            until(lambda task=task: status(room, task) == "in_review", 60)
    assert (waiting.runs("adopted")[0]["id"], len(waiting.runs("adopted"))) == (
        waiting.adopted["id"],
        1,
    )
    assert [one["id"] for one in waiting.runs("finished")] == [waiting.finished["id"]]
    assert [one["outcome"] for one in waiting.runs("retry")] == ["done", "crashed"]
    for name in ("capacity", "claimed", "hold"):
        assert [one["outcome"] for one in waiting.runs(name)] == ["done"], name
    assert [one["outcome"] for one in waiting.runs("window")] == ["done", "done"]
    statuses = house.query(
        "SELECT status, outcome, count(*) FROM agent_wakeup_requests GROUP BY 1, 2"
    )
    assert sorted(statuses) == [
        ("coalesced", "merged", 1),
        ("finished", "executed", 8),
        ("queued", None, 1),
    ]
    still = waiting.wakeup("far")
    assert (still["status"], still["held_by"], still["retry_count"]) == ("queued", "limit", 1)
    said = house.get(f"/tasks/{waiting.tasks['far']['id']}/explain")
    assert "limit" in said["more"][0]["sentence"]
    lines = [line for file in doors.glob("*.ran") for line in file.read_text().split()]
    assert len(lines) == len(set(lines)) == 8, "no agent worked twice for one run"
    assert house.end(signal.SIGTERM)[0] == 0

"""A disk that takes no more: nothing is lost, reading goes on, and it is said what to do."""

import resource
from pathlib import Path
from typing import Any

import pytest
from outside_house import House, until
from outside_talk import status


class Disk:
    """Files of the owner's process may grow no further while it is full."""

    def __init__(self, house: House) -> None:
        assert house.owner is not None
        self._pid, self._house = house.owner.pid, house
        self._hard = resource.prlimit(self._pid, resource.RLIMIT_FSIZE)[1]

    def fill(self) -> None:
        files = [*self._house.home.glob("roundtable.db*")]
        least = min(file.stat().st_size for file in files if file.stat().st_size)
        self._limit(min(least, 4096))

    def free(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (size, self._hard))


@pytest.mark.slow
@pytest.mark.proves("K-66", "F-18")
def test_a_write_that_cannot_be_made_is_told_and_all_goes_on_when_it_can(
    running: House, tmp_path: Path
) -> None:
    """S1:1710: the failure surfaces to the caller, and what was acknowledged stays."""
    room = running.room()
    go = tmp_path / "go"
    agent = room.shell(f"while [ ! -e {go} ]; do sleep 0.05; done; echo done > note.txt")
    kept = room.task("Kept", agent)
    live = room.live(kept)
    waiting = room.task("Waiting", agent)
    disk = Disk(running)
    disk.fill()
    body = {"workspace_id": room.id, "title": "Refused", "assignee_agent_id": agent}
    refused = running.program("POST", "/tasks", body)
    assert (refused.status, refused.json["code"]) == (503, "database_fault"), refused.text
    assert "Nothing was changed" in refused.json["detail"]
    said = running.cli("task", "add", "Refused", "--agent", "worker", at=room.path)
    assert said.code == 1 and "Nothing was changed" in said.err
    titles = [one["title"] for one in running.get("/tasks", workspace_id=room.id)["items"]]
    assert titles == ["Waiting", "Kept"]
    assert running.run(live["id"])["status"] == "running"
    go.touch()
    until(lambda: health(running) == "degraded")
    assert running.get("/status")["scheduler"] == "degraded"
    disk.free()
    until(lambda: status(room, kept) == status(room, waiting) == "in_review", 45)
    until(lambda: health(running) == "ok", 45)
    assert running.query("PRAGMA integrity_check") == [("ok",)]
    assert len(running.get("/runs", workspace_id=room.id)["items"]) == 2


def health(house: House) -> Any:
    return house.ask("GET", "/healthz").json["status"]

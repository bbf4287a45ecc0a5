"""A home on a disk of six megabytes that a stranger fills: `dev.py faults`, as root (it mounts)."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside_house import House, until

pytestmark = pytest.mark.faults
SOON = 10.0  # seconds until it goes on by itself


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
    try:
        with contextlib.suppress(OSError):
            while True:
                os.write(descriptor, b"x" * 512)
    finally:
        os.close(descriptor)


@pytest.mark.timeout(180)
@pytest.mark.proves("F-18", "K-66")
def test_a_full_disk_loses_nothing_and_is_left_by_itself(disk: Path, tmp_path: Path) -> None:
    house = House(disk / "person")
    try:
        house.start()
        house.root = tmp_path  # the repository lies on another disk
        room = house.room()
        go = tmp_path / "go"
        agent = room.shell(f"while [ ! -e {go} ]; do sleep 0.05; done; echo made > note.txt")
        kept = room.task("Kept", agent)
        live = room.live(kept)
        waiting = room.task("Waiting", agent)
        fill(disk / "fill")
        body = {"workspace_id": room.id, "title": "Refused", "description": "d" * 8000}
        refused = house.program("POST", "/tasks", body)
        assert (refused.status, refused.json["code"]) == (507, "disk_full"), refused.text
        until(lambda: house.ask("GET", "/healthz").json["status"] == "degraded", 2)
        assert len(house.get("/tasks")["items"]) == 2
        go.touch()
        time.sleep(3)
        assert house.owner is not None and house.owner.poll() is None
        assert house.run(live["id"])["status"] == "running", "nothing of its end could be written"
        (disk / "fill").unlink()
        until(lambda: house.ask("GET", "/healthz").json["status"] == "ok", SOON)
        for task in (kept, waiting):
            until(lambda task=task: house.get(f"/tasks/{task['id']}")["status"] == "in_review")
        assert house.query("SELECT count(*) FROM tasks") == [(2,)]
        assert house.query("PRAGMA integrity_check") == [("ok",)]
        assert house.end()[0] == 0
    finally:
        house.close()

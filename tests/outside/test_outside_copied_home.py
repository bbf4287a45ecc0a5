"""A home that was copied while its agents work: the copy harms neither them nor their owner."""

import json
import shutil
from collections.abc import Callable

import pytest
from outside_house import House, alive, until


@pytest.mark.slow
@pytest.mark.proves("copied home", "C-101")
def test_a_copy_of_a_home_leaves_the_agents_of_the_first_one_alone(
    running: House, another: Callable[[], House]
) -> None:
    """Both know the same runs, marks, sockets and keys."""
    room, other = running.room(), another()
    task = room.task("Long", room.shell("sleep 300"))
    run = room.live(task)
    pids = [one["pid"] for one in run["processes"]]
    shutil.copytree(running.home, other.home, ignore=shutil.ignore_patterns("s"))
    asked = other.cli("status")
    assert asked.code == 3 and "No owner is running" in asked.err, "the first one's is not its own"
    other.start()
    until(lambda: other.run(run["id"])["status"] in ("failed", "finished", "cancelled"))
    assert other.run(run["id"])["outcome"] == "lost"
    other.program("POST", "/control", {"action": "force-stop"})
    assert other.cli("doctor", "--fix", "--json").json["state"] != "critical"
    assert all(alive(pid) for pid in pids), "they are the first one's"
    assert running.run(run["id"])["status"] == "running"
    other.end()
    assert running.post(f"/runs/{run['id']}/cancel", {}), "it reaches them still"
    until(lambda: running.run(run["id"])["status"] == "cancelled")
    until(lambda: not any(alive(pid) for pid in pids))
    assert json.loads((running.home / "owner.json").read_text())["home"] == str(running.home)

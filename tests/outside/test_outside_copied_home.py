"""A home that was copied harms neither the agents of the first one nor runs anything again."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

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


def _copied(home: Path, to: Path) -> None:
    """As a person does it, with all that a running owner has open; sockets are none of it."""
    subprocess.run(["cp", "-a", home, to], check=True, timeout=60)


@pytest.mark.slow
@pytest.mark.proves("copied home")
def test_a_copy_runs_nothing_a_second_time_before_a_person_resumes_it(
    running: House, another: Callable[[], House], tmp_path: Path
) -> None:
    first, copy, marks = running, another(), tmp_path / "marks"
    room = first.room()
    agent = room.shell(f"echo ran >> {marks}; echo done")
    first.program("POST", "/control", {"action": "pause"})
    task = room.task("Once", agent)
    _copied(first.home, copy.home)
    first.program("POST", "/control", {"action": "resume"})
    until(lambda: first.get(f"/tasks/{task['id']}")["status"] in ("in_review", "done"))

    found = copy.cli("doctor", "--json").json["items"]
    [told] = [one for one in found if one["check"] == "intake"]
    assert f"not the one that ran last in {first.home}" in told["sentence"]
    copy.start()
    assert "This home is a copy" in (copy.root / "owner.stderr").read_text()
    said = copy.cli("status").out
    assert f"copy of the one that ran last in {first.home}" in said and "roundtable resume" in said
    [item] = copy.get("/inbox", status="open")["items"]
    assert item["severity"] == "critical" and "1 wakeups wait" in item["sentence"]
    refused = copy.cli("pause", "--until", "2h")
    assert refused.code != 0 and "does not go on by itself" in refused.said
    copy.end(signal.SIGKILL)
    copy.start()
    assert copy.get("/control")["intake"] == "paused"
    assert len(copy.get("/inbox", status="open")["items"]) == 1
    found = copy.cli("doctor", "--json").json["items"]
    assert "is a copy of the one" in str([one for one in found if one["check"] == "intake"])
    assert marks.read_text() == "ran\n", "the wakeup of both homes ran once"

    assert copy.cli("resume").code == 0
    until(lambda: marks.read_text() == "ran\n" * 2)
    assert copy.get("/inbox", status="open", kind="doctor")["items"] == []
    copy.end()
    copy.start()
    assert copy.get("/control")["intake"] == "open", "it is the home from then on"


@pytest.mark.slow
@pytest.mark.proves("copied home")
def test_a_home_that_was_moved_or_is_older_goes_on_and_one_copied_back_does_not(
    running: House, tmp_path: Path
) -> None:
    home, moved = running.home, tmp_path / "moved"

    def use(path: Path) -> None:
        running.home, running.env["ROUNDTABLE_HOME"] = path, str(path)

    running.room()
    running.end()
    home.rename(moved)
    use(moved)
    running.start()
    assert running.get("/control")["intake"] == "open"
    running.end()
    with contextlib.closing(sqlite3.connect(moved / "roundtable.db")) as db, db:
        db.execute("DELETE FROM settings WHERE scope = 'owner' AND key = 'lies'")
    (tmp_path / "above").symlink_to(tmp_path)
    use(tmp_path / "above" / "moved")
    running.start()
    assert running.get("/control")["intake"] == "open", "an older version did not know yet"
    running.end(signal.SIGKILL)
    _copied(moved, home)
    shutil.rmtree(moved)
    use(home)
    running.start()
    assert running.get("/control")["intake"] == "paused"
    [item] = running.get("/inbox", status="open")["items"]
    assert str(moved) in item["sentence"]


@pytest.mark.slow
@pytest.mark.proves("copied home", "C-100")
@pytest.mark.parametrize("how", ["mv worktree", "cp isolated_copy"])
def test_a_task_goes_on_in_its_working_copy_wherever_the_home_lies(
    running: House, tmp_path: Path, how: str
) -> None:
    move, strategy = how.split()
    room, home, there = running.room(), running.home, tmp_path / "there"
    agent = room.shell("test -e half.txt && echo done && exit; echo x > half.txt; sleep 300")
    task = room.task("Long", agent, workspace_strategy=strategy)
    run = room.live(task)
    until(lambda: list(home.glob("copies/*/t1/half.txt")))
    running.end(signal.SIGKILL)
    for one in run["processes"]:
        os.kill(one["pid"], signal.SIGKILL)
    if move == "mv":
        home.rename(there)
    else:
        _copied(home, there)
    running.home, running.env["ROUNDTABLE_HOME"] = there, str(there)
    running.start()
    assert running.cli("resume").code == 0
    room.ended(task)
    running.post(f"/tasks/{task['id']}/run")  # at once, not after the pause of a lost one
    again = room.ended(task, 2)
    assert (again["outcome"], again["error"]) == ("done", None)
    proposal = room.proposal(task)
    assert [one["path"] for one in proposal["files"]] == ["half.txt"]
    room.lands(proposal)
    assert (room.path / "half.txt").read_text() == "x\n"


@pytest.mark.slow
@pytest.mark.proves("copied home", "C-101")
def test_a_home_that_lost_the_log_of_its_database_says_so_once(
    running: House, another: Callable[[], House]
) -> None:
    """As a copy without it, and put in the place of the first one."""
    room, copy = running.room(), another()
    room.ended(room.task("Before", room.shell("echo done")))
    with contextlib.closing(sqlite3.connect(running.home / "roundtable.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    room.ended(room.task("After", room.shell("echo more", "other")))
    _copied(running.home, copy.home)
    (copy.home / "roundtable.db-wal").unlink()
    running.end()
    shutil.rmtree(running.home)
    copy.start()
    said = (copy.root / "owner.stderr").read_text()
    assert "This home is a copy" in said
    [item] = copy.get("/inbox", status="open")["items"]
    assert "older than what lies beside it" in item["sentence"], item["sentence"]
    assert "roundtable.db-wal" in item["sentence"]
    copy.program("POST", "/control", {"action": "resume"})
    copy.end()
    copy.start()
    assert not copy.get("/inbox", status="open")["items"], "it is known now"

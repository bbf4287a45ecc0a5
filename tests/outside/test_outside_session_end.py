"""The app, the session or the machine ends: who goes on, who is broken off, and what it costs."""

import contextlib
import os
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from outside_house import House, Room, alive, until
from outside_talk import demo, script, status, wakeups

DEAF = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('up', flush=True); time.sleep(600)"
)
GOES_DOWN = 10.0
"""Seconds that a machine gives before it kills (F-47)."""


def at_work(house: House) -> tuple[Room, list[Any], list[Any]]:
    """One agent that speaks and one that ignores what it is told."""
    room = house.room()
    lines = script("once", "sleep 60")
    tasks = [
        room.task("Talks", demo(room), description=lines),
        room.task("Deaf", room.agent(sys.executable, "-c", DEAF, name="deaf")),
    ]
    runs = [room.live(task) for task in tasks]
    until(lambda: "up" in house.transcript(runs[1]["id"]))
    until(lambda: house.run(runs[0]["id"])["session_id"])
    return room, tasks, [house.run(run["id"]) for run in runs]


def pids(runs: list[Any]) -> list[int]:
    return [one["pid"] for run in runs for one in run["processes"] if one["alive"]]


@pytest.mark.slow
@pytest.mark.proves("F-47", "C-101", "C-58")
def test_a_machine_that_goes_down_interrupts_tasks_at_no_cost(running: House) -> None:
    room, tasks, runs = at_work(running)
    assert running.owner is not None
    everybody = [running.owner.pid, *pids(runs)]
    began = time.monotonic()
    for pid in everybody:  # as the system does, to all there is
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    assert running.owner.wait(GOES_DOWN) == 0
    until(lambda: not [pid for pid in everybody[1:] if alive(pid)], GOES_DOWN)
    assert time.monotonic() - began < GOES_DOWN
    running.owner = None
    assert not (running.home / "roundtable.db-wal").exists(), "the database was closed"
    with contextlib.closing(sqlite3.connect(running.home / "roundtable.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    running.start()
    for task in tasks:
        assert room.ended(task)["outcome"] == "interrupted"
        assert status(room, task) == "interrupted"
        (wakeup,) = wakeups(room, task)
        assert (wakeup["status"], wakeup["retry_count"]) == ("queued", 0)
        assert "goes on" in running.cli("explain", "task", f"T-{task['number']}", at=room.path).out
    assert not running.get("/inbox")["items"]
    running.cli("resume")  # does not wait for the minute after a break
    assert room.ended(tasks[0], 2)["outcome"] in ("done", "no_changes")


@pytest.mark.slow
@pytest.mark.proves("F-05")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "told to end"])
def test_agents_end_with_the_app_where_that_is_wanted(running: House, number: int) -> None:
    assert running.cli("settings", "set", "stop_agents_with_app", "true").code == 0
    room, tasks, runs = at_work(running)
    until(lambda: (running.home / "tied.lock").exists())
    gone = pids(runs)
    running.end(number)
    began = time.monotonic()
    until(lambda: not [pid for pid in gone if alive(pid)])
    assert time.monotonic() - began < 15
    running.start()
    assert {room.ended(task)["outcome"] for task in tasks} == {"interrupted"}
    assert [wakeups(room, task)[0]["retry_count"] for task in tasks] == [0, 0]


@pytest.mark.slow
@pytest.mark.proves("F-05")
def test_the_setting_can_be_taken_back_while_they_work(running: House) -> None:
    assert running.cli("settings", "set", "stop_agents_with_app", "true").code == 0
    tied = running.home / "tied.lock"
    until(tied.exists)
    _room, _tasks, runs = at_work(running)
    assert running.cli("settings", "set", "stop_agents_with_app", "false").code == 0
    until(lambda: not tied.exists())
    running.end(signal.SIGKILL)
    time.sleep(6)
    assert all(alive(pid) for pid in pids(runs))
    assert Path(f"/proc/{runs[0]['processes'][0]['pid']}").exists()

"""Processes of agents: found again, told apart, swept, and never ended for standing still."""

import os
import re
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any

import psutil
import pytest
from outside_house import Browser, House, Room, alive, until
from outside_launches import killed_in_launches
from outside_talk import comment, wakeups


def pid_of(run: Any, role: str = "agent") -> int:
    return int(next(one["pid"] for one in run["processes"] if one["role"] == role))


PROCESS = re.compile(r'<dt>Process</dt><dd><code>(\d+)</code>, since <time datetime="(.*?)"')


@pytest.mark.slow
@pytest.mark.proves("B-091")
def test_an_owner_that_dies_in_a_launch_leaves_one_agent(house: House) -> None:
    killed_in_launches(house, kills=2, seed=91)


@pytest.mark.slow
@pytest.mark.proves("B-092")
def test_each_of_ten_runs_shows_its_process_within_two_seconds(room: Room) -> None:
    agent = room.shell("exec sleep 600", max_concurrent_sessions=10)
    tasks = [room.task(f"Number {number}", agent) for number in range(10)]
    seen = Browser(room.house)
    shown = {}
    for task in tasks:
        run = _running(room, task)
        pid, since = _process_on_page(seen, run["id"])
        begun = datetime.fromisoformat(since).timestamp()
        assert abs(begun - psutil.Process(pid).create_time()) < 2
        shown[run["id"]] = (pid, since)
    assert len({pid for pid, _ in shown.values()}) == 10
    for pid, _ in shown.values():
        os.kill(pid, signal.SIGKILL)
    for task, (run_id, (pid, since)) in zip(tasks, shown.items(), strict=True):
        ended = room.ended(task)
        assert _process_on_page(seen, run_id) == (pid, since)
        (own,) = [one for one in ended["processes"] if one["role"] == "agent"]
        assert (ended["id"], own["pid"], own["started_at"]) == (run_id, pid, since)
        assert not own["alive"]
    line = room.house.cli("runs", "show", run_id, at=room.path).out
    assert re.search(rf"^{pid} .*{re.escape(since[:19].replace('T', ' '))}", line, re.MULTILINE)


def _running(room: Room, task: Any) -> Any:
    asked = {"task_id": task["id"], "status": "running"}
    return until(lambda: room.house.get("/runs", **asked)["items"])[0]


def _process_on_page(seen: Browser, run_id: str) -> tuple[int, str]:
    found = until(lambda: PROCESS.search(seen.ask("GET", f"/runs/{run_id}").text), 2)
    return int(found[1]), found[2]


@pytest.fixture
def innocent() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.mark.slow
@pytest.mark.proves("B-094")
@pytest.mark.parametrize("runner", ["dead", "alive"])
def test_a_stranger_with_the_number_of_an_agent_lives_on(
    house: House, innocent: subprocess.Popen[bytes], runner: str
) -> None:
    """The number is the stranger's, the start time is not; and it has a child of its own."""
    house.start()
    room = house.room()
    task = room.task("Live", room.shell("sleep 600 & sleep 601"))
    run = room.live(task)
    house.end()
    own = [pid_of(run), *(one.pid for one in psutil.Process(pid_of(run)).children())]
    if runner == "dead":
        for pid in (pid_of(run, "runner"), *own):
            os.kill(pid, signal.SIGKILL)
    with closing(sqlite3.connect(house.home / "roundtable.db")) as database, database:
        wanted = "" if runner == "dead" else " WHERE role = 'agent'"
        database.execute(f"UPDATE agent_processes SET pid = {innocent.pid}{wanted}")
    house.start()
    if runner == "dead":
        assert room.ended(task)["outcome"] == "lost"
    else:
        assert house.run(run["id"])["status"] == "running"
    shown = house.run(run["id"])["processes"]
    assert {one["alive"] for one in shown if one["pid"] == innocent.pid} == {False}
    stopped = house.post("/control", {"action": "force-stop"})
    assert innocent.pid not in [one["pid"] for one in stopped["killed"] + stopped["survivors"]]
    assert innocent.poll() is None
    assert not any(alive(pid) for pid in own)
    if runner == "alive":
        assert room.ended(task)["outcome"] == "interrupted"
    assert innocent.poll() is None


@pytest.mark.slow
@pytest.mark.proves("B-096")
def test_an_agent_that_stood_still_with_everything_is_not_ended_for_it(room: Room) -> None:
    """A heartbeat every 0.2 s, a limit of 2 s, and a sleep of three limits."""
    assert room.house.owner is not None
    beats = "import time\nfor n in range(1000): print(n, flush=True); time.sleep(0.2)"
    task = room.task("Beat", room.python(beats, silence_limit_sec=2))
    run = room.live(task)
    until(lambda: "3\n" in room.house.transcript(run["id"]))
    pids = [room.house.owner.pid, pid_of(run, "runner"), pid_of(run)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    threading.Event().wait(6)  # the sleep itself
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    before = room.house.transcript(run["id"]).count("\n")
    until(lambda: room.house.transcript(run["id"]).count("\n") > before + 12)
    seen = room.house.run(run["id"])
    assert (seen["status"], seen["error"]) == ("running", None)
    told = [one["kind"] for one in room.house.get(f"/runs/{run['id']}/events")["items"]]
    assert not {"agent.silent", "run.deadline", "run.ended"} & set(told)
    os.kill(pid_of(run), signal.SIGKILL)
    room.ended(task)


@pytest.mark.slow
@pytest.mark.proves("B-097")
def test_what_an_agent_leaves_running_is_ended_with_its_run_and_counted(room: Room) -> None:
    told = (
        "import subprocess\n"
        "for more in ({}, {'start_new_session': True}):\n"
        "    print(subprocess.Popen(['sleep', '900'], **more).pid)\n"
    )
    task = room.task("Leave", room.python(told))
    run = room.ended(task, seconds=15)
    assert (run["status"], run["outcome"]) == ("finished", "no_changes")
    pids = [int(line) for line in room.house.transcript(run["id"]).split()]
    assert len(pids) == 2 and not any(alive(pid) for pid in pids)
    assert run["swept"] == 2
    events = room.house.get(f"/runs/{run['id']}/events")["items"]
    assert [one["data"]["swept"] for one in events if one["kind"] == "run.ended"] == [2]
    said = room.house.cli("runs", "show", run["id"], at=room.path).out
    assert "Processes that it left running and that were ended: 2." in said
    shown = Browser(room.house).ask("GET", f"/runs/{run['id']}").text
    assert "<dt>Left running, and ended</dt><dd>2 processes</dd>" in shown


@pytest.mark.slow
@pytest.mark.proves("B-101")
def test_a_killed_agents_task_is_free_and_another_wake_for_it_is_served(room: Room) -> None:
    told = "if [ -e once ]; then echo 'at work again'; else touch once; exec sleep 600; fi"
    task = room.task("Again", room.shell(told))
    run = room.live(task)
    os.kill(pid_of(run), signal.SIGKILL)
    ended = room.ended(task, seconds=15)
    assert (ended["status"], ended["outcome"]) == ("failed", "crashed")
    assert room.house.get(f"/tasks/{task['id']}")["checkout_agent_id"] is None
    (planned,) = wakeups(room, task)
    assert (planned["status"], planned["held_by"]) == ("queued", "retry")
    comment(room, task, "Go on, please.")
    again = room.ended(task, 2, seconds=15)
    assert again["outcome"] in ("done", "no_changes")
    assert "at work again" in room.house.transcript(again["id"])

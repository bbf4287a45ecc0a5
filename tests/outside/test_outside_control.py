"""Everything is stopped at once, stays stopped, and goes on without a loss."""

import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest
from outside_house import Browser, House, Room, alive, until
from outside_talk import Stalls, demo, script, wakeups

WORK = """
import os, signal, subprocess, sys, time
place, how, task = sys.argv[1], sys.argv[2], os.environ["ROUNDTABLE_TASK"]
def note(name): open(os.path.join(place, name), "a").write(task + "\\n")
hold = os.path.join(place, "hold")
held = os.path.exists(hold)
note("began")
if held and how == "stubborn":
    for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if held and how == "hiding" and os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(os.path.join(place, "daemon"), "w").write(str(os.getpid()))
        for number in range(3): os.close(number)
        time.sleep(600)
    os._exit(0)
print("up", flush=True)
while os.path.exists(hold): time.sleep(0.05)
note("ended")
"""

SLOW_GIT = """#!/bin/sh
case "$*" in *"{words}"*) if [ -e "{hold}" ]; then touch "{hold}.reached"; sleep 3; fi;; esac
exec "{git}" "$@"
"""


def slow_git(house: House, hold: Path, words: str) -> None:
    """Copies take their time while `hold` is there."""
    folder = house.root / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(SLOW_GIT.format(words=words, hold=hold, git=real))
    (folder / "git").chmod(0o755)
    house.env["PATH"] = f"{folder}:{house.env['PATH']}"


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def worker(room: Room, place: Path, how: str, **more: object) -> str:
    return room.agent(sys.executable, "-c", WORK, str(place), how, name=how, **more)


def live(house: House) -> list[Any]:
    return [one for s in ("starting", "running") for one in house.get("/runs", status=s)["items"]]


def marks(runs: list[Any]) -> list[int]:
    """Whatever carries the mark of one of these runs."""
    ids, found = {run["id"] for run in runs}, []
    for one in psutil.process_iter():
        try:
            if one.environ().get("ROUNDTABLE_RUN") in ids and alive(one.pid):
                found.append(one.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
@pytest.mark.proves("C-71", "F-34", "F-35")
def test_a_force_stop_ends_everything_and_a_resume_loses_and_repeats_nothing(
    house: House, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    slow_git(house, place / "slow", "read-tree --reset")
    house.start()
    room = house.room()
    (place / "hold").touch()
    tasks = [room.task(how, worker(room, place, how)) for how in ("hiding", "stubborn", "plain")]
    deaf = room.task("deaf", demo(room), description=script("spawn 2", "once", "hang"))
    runs = [room.live(task) for task in (*tasks, deaf)]
    until(lambda: lines(place / "daemon") and len(lines(place / "began")) == 3)
    (place / "slow").touch()
    tasks.append(room.task("starting", worker(room, place, "late")))
    until(lambda: (place / "slow.reached").exists())
    agents = [task["assignee_agent_id"] for task in tasks]
    tasks += [room.task(f"waiting {n}", agents[n]) for n in range(3)]

    began = time.monotonic()
    done = house.cli("force-stop", "--json")
    assert done.code == 0 and time.monotonic() - began < 16
    killed = {one["pid"] for one in done.json["killed"]}
    known = {one["pid"] for run in runs for one in run["processes"]}
    assert known | {int(lines(place / "daemon")[0])} <= killed
    assert (done.json["survivors"], done.json["intake"]) == ([], "stopped")
    assert not marks(runs) and not any(alive(pid) for pid in killed)
    until(lambda: not live(house))
    (place / "hold").unlink()
    assert_nothing_begins(house, place, 3)
    for task in (*tasks, deaf):
        (wakeup,) = wakeups(room, task)
        assert (wakeup["status"], wakeup["retry_count"]) == ("queued", 0), task["title"]
        said = house.cli("explain", "task", f"T-{task['number']}", at=room.path).out
        assert "Nothing new is started" in said

    house.end(signal.SIGKILL)
    house.start()
    assert house.get("/control")["intake"] == "stopped"
    assert_nothing_begins(house, place, 1)
    (place / "slow").unlink()
    assert house.cli("resume").code == 0
    until(lambda: all(wakeups(room, one)[0]["status"] == "finished" for one in (*tasks, deaf)))
    assert Counter(lines(place / "ended")) == {task["id"]: 1 for task in tasks}


def assert_nothing_begins(house: House, place: Path, seconds: float) -> None:
    before, end = lines(place / "began"), time.monotonic() + seconds
    while time.monotonic() < end:
        assert not live(house)
        time.sleep(0.1)
    assert lines(place / "began") == before


@pytest.mark.slow
def test_what_comes_while_all_is_stopped_waits_and_says_so(running: House) -> None:
    room = running.room()
    stopped = running.post("/control", {"action": "force-stop"})
    assert (stopped["intake"], stopped["killed"], stopped["survivors"]) == ("stopped", [], [])
    task = room.task("Wait", demo(room))
    seen = until(lambda: running.get(f"/tasks/{task['id']}/explain")["more"][0])
    assert seen["code"] == "waits_intake" and "Nothing new is started" in seen["sentence"]
    assert "Everything is stopped" in running.cli("status", at=room.path).out
    time.sleep(0.5)
    assert not live(running)
    assert running.post("/control", {"action": "resume"})["intake"] == "open"
    assert room.ended(task)["outcome"] == "done"
    kinds = [one["kind"] for one in running.get("/events")["items"]]
    assert kinds.count("control.changed") == 2


@pytest.mark.slow
def test_a_pause_takes_up_nothing_new_and_leaves_what_runs_alone(
    running: House, tmp_path: Path
) -> None:
    room = running.room()
    (tmp_path / "hold").touch()
    agent = worker(room, tmp_path, "plain", max_concurrent_sessions=2)
    before = room.task("Runs already", agent)
    until(lambda: lines(tmp_path / "began"))

    paused = running.cli("pause")
    assert paused.code == 0 and "Paused: nothing new is started" in paused.out
    after = room.task("Waits", agent)
    assert "Paused" in running.cli("status", at=room.path).out
    (tmp_path / "hold").unlink()
    assert room.ended(before)["outcome"] == "no_changes"
    assert running.get(f"/tasks/{after['id']}/explain")["more"][0]["code"] == "waits_intake"
    assert lines(tmp_path / "began") == [before["id"]]

    running.end(signal.SIGKILL)
    running.start()
    assert running.get("/control")["intake"] == "paused"
    assert running.post("/control", {"action": "pause"})["intake"] == "paused"
    assert running.cli("resume").code == 0
    assert room.ended(after)["outcome"] == "no_changes"


@pytest.mark.slow
@pytest.mark.proves("W-30 keys")
def test_control_asked_twice_with_one_key_acts_once(running: House, tmp_path: Path) -> None:
    room = running.room()
    (tmp_path / "hold").touch()
    agent = worker(room, tmp_path, "plain")
    ended = room.live(room.task("Ended", agent))
    pids = {one["pid"] for one in ended["processes"]}
    stop, pause = {"Idempotency_Key": "stop-1"}, {"Idempotency_Key": "pause-1"}
    first = running.post("/control", {"action": "force-stop"}, **stop)
    assert pids <= {one["pid"] for one in first["killed"]}
    told = {name: first[name] for name in ("killed", "survivors")}
    repeated = running.post("/control", {"action": "force-stop"}, **stop)
    assert repeated["intake"] == "stopped" and repeated | told == repeated

    running.post("/control", {"action": "resume"})
    begun = lambda one: one["status"] == "running" and one["id"] != ended["id"]  # noqa: E731
    live_one = until(lambda: [one for one in live(running) if begun(one)])[0]
    again = running.post("/control", {"action": "force-stop"}, **stop)
    assert again["intake"] == "open" and again | told == again
    assert running.run(live_one["id"])["status"] == "running"

    assert running.post("/control", {"action": "pause"}, **pause)["intake"] == "paused"
    running.post("/control", {"action": "resume"})
    assert running.post("/control", {"action": "pause"}, **pause)["intake"] == "open"
    reused = running.program("POST", "/control", {"action": "resume"}, **pause)
    assert (reused.status, reused.json["code"]) == (409, "key_reused")
    (tmp_path / "hold").unlink()


def test_only_a_person_has_control_and_only_known_words(room: Room, tmp_path: Path) -> None:
    stalls = Stalls(room, tmp_path / "stalls")
    house, task = room.house, room.task("Try", stalls.agent())
    for word in ("explode", "", "Force-Stop"):
        assert house.program("POST", "/control", {"action": word}).status == 422
    seat = stalls.seat(task)
    headers = {"Authorization": f"Bearer {seat.token}", "Content-Type": "application/json"}
    body = '{"action": "force-stop"}'
    assert house.ask("POST", "/api/v1/control", body, headers).status == 401
    assert house.ask("POST", "/mcp", "{}", headers, host="evil.example").status == 421
    strange = {"Origin": "http://evil.example"}
    assert house.ask("POST", "/mcp", "{}", headers | strange).status == 403
    assert house.get("/control")["intake"] == "open"
    seat.leave()
    assert room.ended(task)["status"] == "failed"


@pytest.mark.proves("D-07 guard")
def test_the_door_to_control_checks_host_origin_sign_in_and_csrf(shared: House) -> None:
    path, body = "/api/v1/control", '{"action": "resume"}'
    json_body = {"Content-Type": "application/json"}
    program = {"Authorization": f"Bearer {shared.token}", **json_body}
    assert shared.ask("POST", path, body, program).status == 200
    assert shared.ask("POST", path, body, program, host="evil.example").status == 421
    for strange in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert shared.ask("POST", path, body, program | strange).status == 403, strange
    assert shared.ask("POST", path, body, json_body).status == 401
    browser = Browser(shared)
    own = {"Content_Type": "application/json", "Origin": f"http://{shared.browser_host}"}
    assert browser.ask("POST", path, body, **own).status == 403
    assert browser.ask("POST", path, body, **own, X_CSRF_Token="wrong").status == 403
    assert browser.ask("POST", path, body, **own, X_CSRF_Token=browser.csrf()).status == 200

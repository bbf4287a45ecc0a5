"""`roundtable run`: one goal, as the owner where there is none, else beside the running one."""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import termios
from pathlib import Path
from typing import Any

import pytest
from outside_house import ROUNDTABLE, House, Room, alive, until


def put(house: House, **columns: object) -> None:
    """The newest mission, as if it had come to that by itself."""
    words = ", ".join(f"{name} = ?" for name in columns)
    last = "id = (SELECT id FROM missions ORDER BY seq DESC LIMIT 1)"
    with contextlib.closing(sqlite3.connect(house.home / "roundtable.db", 10)) as db:
        db.execute(f"UPDATE missions SET {words} WHERE {last}", tuple(columns.values()))
        db.commit()


def missions(house: House) -> list[dict[str, Any]]:
    names = "id, state, goal, last_exit, ended_at"
    rows = house.query(f"SELECT {names} FROM missions ORDER BY seq")
    return [dict(zip(names.split(", "), row, strict=True)) for row in rows]


def sittings(house: House) -> list[tuple[Any, ...]]:
    return house.query("SELECT headless, cycles, exit FROM sittings ORDER BY started_at")


def begun(house: House, *words: str, at: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [ROUNDTABLE, "run", *words],
        cwd=at,
        env=house.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in out + err
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.proves("R-04", "R-05", "R-11", "R-22", "R-33", "C-57", "W-11")
def test_headless_without_an_owner_makes_one_cycle_and_leaves_the_mission_as_it_is(
    house: House,
) -> None:
    path = house.repository()
    refused = house.cli("run", "--root", str(path), "--headless")
    assert refused.code == 2 and "goal" in refused.err, "there is nothing to take up"
    first = house.cli("run", "--root", str(path), "--headless", "--goal", "Make it fast")
    assert first.code == 0, first.said
    assert "iteration_limit" in first.out and "active" in first.out
    assert "role coordinator" in first.out, "nobody is there to plan it"
    assert not (house.home / "owner.json").exists(), "its owner has gone in order"
    assert (path / ".roundtable" / "config.yaml").exists(), "as `init` does"
    (made,) = missions(house)
    assert (made["state"], made["ended_at"]) == ("active", None)
    assert json.loads(made["last_exit"])["reason"] == "iteration_limit"
    assert sittings(house) == [(1, 1, "iteration_limit")]
    kinds = house.query("SELECT kind, state FROM mission_snapshots ORDER BY at, kind DESC")
    assert kinds == [("initial", "active"), ("final", "active")]
    again = house.cli("run", "--headless", "--max-iterations", "3", "--interval", "20ms", at=path)
    assert again.code == 0 and len(missions(house)) == 1, "the newest is taken up"
    assert sittings(house)[1] == (1, 3, "iteration_limit")
    put(house, state="blocked", ended_at=1)
    over = house.cli("run", "--headless", at=path)
    assert over.code == 1 and "--resume" in over.err
    opened = house.cli("run", "--headless", "--resume", at=path)
    assert opened.code == 0 and missions(house)[0]["state"] == "active"
    put(house, state="completed", ended_at=1)
    assert house.cli("run", "--headless", "--resume", at=path).code == 1
    both = house.cli("run", "--headless", "--resume", "--goal", "x", at=path)
    assert both.code == 2


@pytest.mark.slow
@pytest.mark.proves("R-04", "R-05", "R-07", "R-33", "C-57", "C-95 kept")
def test_beside_an_owner_it_stays_until_the_mission_is_over(room: Room) -> None:
    house, words = room.house, ("--interval", "30ms")
    limited = house.cli("run", "--goal", "One", "--max-iterations", "2", *words, at=room.path)
    assert limited.code == 1 and "iteration_limit" in limited.err
    assert house.get(f"/workspaces/{room.id}/runs/status")["goal"] == "One"
    for state, code in (("completed", 0), ("blocked", 1), ("failed", 1), ("stopped", 1)):
        goal = f"Until {state}"
        process = begun(
            house, "--goal", goal, "--headless", "--max-iterations", "-1", *words, at=room.path
        )
        mission = until(
            lambda goal=goal: next(
                (one["id"] for one in missions(house) if one["goal"] == goal), None
            )
        )
        of_it = f"SELECT cycles, exit, pace FROM sittings WHERE mission_id = '{mission}'"
        (sitting,) = until(lambda of_it=of_it: house.query(of_it))
        assert sitting[:2] == (0, None) and json.loads(sitting[2])["interval_ms"] == 30
        put(house, state=state, ended_at=1)
        returned, out, err = ended(process)
        assert returned == code, (state, out, err)
        (sitting,) = house.query(of_it)
        assert sitting[1] == "over" and sitting[0] >= 1
        assert ("nothing about tests" in out) == (state == "completed")


@pytest.mark.slow
@pytest.mark.proves("R-31", "R-04", "R-05", "A-37")
@pytest.mark.parametrize("owned", [True, False])
def test_what_a_mission_has_to_do_is_launched_in_either_mode(
    house: House, tmp_path: Path, owned: bool
) -> None:
    """Its coordinator really starts; it plans nothing, so the mission needs somebody."""
    path, began = house.repository(), tmp_path / "began"
    house.start()
    room = house.workspace(path)
    room.shell(f"touch {began}; echo done", name="chair", role="coordinator")
    if not owned:
        house.end()
    words = ("--headless", "--max-iterations", "-1", "--interval", "100ms")
    done = house.cli("run", "--goal", "Think", *words, at=path, seconds=90)
    assert began.exists(), done.said
    assert done.code == 1 and "needs somebody" in done.out, done.said
    (made,) = missions(house)
    assert made["state"] == "blocked" and made["ended_at"] is not None


@pytest.mark.slow
@pytest.mark.proves("R-07", "W-11")
def test_what_is_not_above_zero_is_the_usual(room: Room) -> None:
    house = room.house
    words = ("--interval", "0", "--retry-backoff", "-1s", "--max-consecutive-errors", "0")
    done = house.cli("run", "--goal", "Pace", "--headless", *words, at=room.path)
    assert done.code == 0, done.said
    ((pace,),) = house.query(
        "SELECT s.pace FROM sittings AS s JOIN missions AS m ON m.id = s.mission_id"
        f" WHERE m.workspace_id = '{room.id}'"
    )
    assert json.loads(pace) == {"interval_ms": 1000, "backoff_ms": 250, "max_errors": 5}
    assert house.cli("run", "--goal", "x", "--interval", "soon", at=room.path).code == 2


@pytest.mark.slow
@pytest.mark.proves("R-11", "C-57", "R-05", "C-72")
@pytest.mark.parametrize("headless", [True, False])
def test_ctrl_c_is_no_failure_and_leaves_agents_at_work(house: House, headless: bool) -> None:
    path = house.repository()
    words = ("--headless", "--max-iterations", "-1") if headless else ()
    process = begun(house, "--goal", "Go", "--interval", "50ms", *words, at=path)
    until(lambda: (house.home / "owner.json").exists())
    house.facts = json.loads((house.home / "owner.json").read_text())
    room = Room(house, path, until(lambda: house.get("/workspaces")["items"])[0])
    token = {"Authorization": f"Bearer {house.token}"}
    page = house.program("GET", "/status").status, house.ask("GET", "/", headers=token).status
    assert page == (200, 404 if headless else 200)
    assert house.ask("POST", "/mcp", "{}").status == 401, "agents have their door"
    run = room.live(room.task("Long", room.shell("sleep 300")))
    process.send_signal(signal.SIGINT)
    code, out, err = ended(process)
    assert code == 0 and "agents at work go on" in out, (out, err)
    assert all(alive(one["pid"]) for one in run["processes"])
    (made,) = missions(house)
    assert (made["state"], made["ended_at"]) == ("active", None)
    assert json.loads(made["last_exit"])["reason"] == "cancelled"
    assert sittings(house)[0][2] == "cancelled"


@pytest.mark.slow
@pytest.mark.proves("R-04", "R-11")
def test_on_a_terminal_it_is_drawn_in_its_place_until_ctrl_c(room: Room) -> None:
    house = room.house
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [ROUNDTABLE, "run", "--goal", "Drawn", "--interval", "50ms"],
        cwd=room.path,
        env=house.env | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    said = bytearray()

    def reads(wanted: bytes) -> bool:
        if select.select([ours], [], [], 0.05)[0]:
            said.extend(os.read(ours, 65_536))
        return wanted in said

    try:
        until(lambda: reads(b"0 of 0 tasks done"))
        mission = house.get(f"/workspaces/{room.id}/runs/status")["run_id"]
        house.program("POST", f"/workspaces/{room.id}/runs/pause", {}, Idempotency_Key=mission)
        until(lambda: reads(b"paused"))
        assert b"\x1b[3A\x1b[J" in said and said.count(b"Drawn") == 2
        os.write(ours, b"\x03")
        until(lambda: reads(b"agents at work go on"))
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)

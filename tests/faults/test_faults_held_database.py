"""Another program that holds the database, or reads it, for long: `dev.py faults`."""

import contextlib
import sqlite3
import threading
import time
from pathlib import Path

import psutil
import pytest
from outside_house import House, Room, started, until
from outside_talk import comment, status, wakeups

pytestmark = pytest.mark.faults
HELD = 30.0  # seconds
READ = 30.0
MOST = 256 * 2**20  # bytes


def threads_of(house: House) -> set[int]:
    return {one.id for one in psutil.Process(house.facts["pid"]).threads()}


def settled(room: Room, tasks: list[object]) -> None:
    for task in tasks:
        until(lambda task=task: status(room, task) == "in_review", 120)


@pytest.mark.timeout(300)
@pytest.mark.proves("F-22", "K-66")
def test_half_a_minute_of_a_stranger_loses_nothing_and_ends_no_thread(tmp_path: Path) -> None:
    with started(tmp_path) as house:
        room = house.room()
        go = tmp_path / "go"
        agent = room.shell(
            f"while [ ! -e {go} ]; do sleep 0.05; done; echo x > $ROUNDTABLE_RUN.txt",
            max_concurrent_sessions=2,
        )
        live = [room.task(f"Live {number}", agent) for number in range(2)]
        for task in live:
            room.live(task)
        waiting = [room.task(f"Waiting {number}", agent) for number in range(3)]
        before = threads_of(house)
        made: dict[str, str] = {}

        def post(number: int) -> None:
            """As a program does that was told to try again."""
            body = {"workspace_id": room.id, "title": f"New {number}", "assignee_agent_id": agent}
            while True:
                answer = house.program("POST", "/tasks", body, Idempotency_Key=f"key-{number}")
                if answer.status == 201:
                    made[f"New {number}"] = answer.json["id"]
                    return
                assert (answer.status, answer.json["code"]) == (503, "database_busy"), answer.text

        posting = [threading.Thread(target=post, args=(number,)) for number in range(8)]
        place = house.home / "roundtable.db"
        with contextlib.closing(sqlite3.connect(place, timeout=10)) as other:
            other.execute("BEGIN EXCLUSIVE")
            began = time.monotonic()
            for one in posting:
                one.start()
            go.touch()  # the live ones end while nothing of it can be written
            while time.monotonic() - began < HELD:
                house.get("/tasks")
                assert threads_of(house) >= before
                if time.monotonic() - began > 8:
                    assert "database is busy" in house.get("/status")["sentence"]
                time.sleep(0.5)
            other.rollback()
        for one in posting:
            one.join()
        new = [{"id": an_id} for an_id in made.values()]
        assert len(new) == 8
        settled(room, [*live, *waiting, *new])
        assert len(house.get("/tasks", limit=200)["items"]) == 13
        assert house.query("SELECT count(*) FROM runs WHERE outcome = 'done'") == [(13,)]
        until(lambda: house.ask("GET", "/healthz").json["status"] == "ok", 45)
        assert threads_of(house) >= before
        assert house.query("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.timeout(400)
@pytest.mark.proves("F-23")
def test_a_stranger_who_reads_for_long_is_named_and_the_log_stays_bounded(tmp_path: Path) -> None:
    """The load is far above that of ten minutes: each comment is the largest that is taken."""
    with started(tmp_path) as house:
        room = house.room()
        agent = room.shell("echo done > note.txt")
        first = room.task("First", agent)
        settled(room, [first])
        log = Path(f"{house.home}/roundtable.db-wal")
        told = room.task("Told much", None)
        largest, stopped = 0, False
        with contextlib.closing(sqlite3.connect(house.home / "roundtable.db")) as other:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM events").fetchall()
            began = time.monotonic()
            while time.monotonic() - began < READ or not stopped:
                if log.stat().st_size < 140 * 2**20:
                    comment(room, told, "x" * 16_000)
                else:
                    stopped = True
                    time.sleep(0.5)
                largest = max(largest, log.stat().st_size)
            late = room.task("Late", agent)
            until(lambda: "Another program" in house.get("/status")["sentence"], 40)
            assert [one["status"] for one in wakeups(room, late)] == ["queued"]
            other.rollback()
        settled(room, [late])
        print(f"log: {largest / 2**20:.0f} MB at most, then {log.stat().st_size / 2**20:.0f} MB")
        assert largest < MOST and log.stat().st_size < 64 * 2**20
        told_of = "SELECT count(*) FROM events WHERE kind = 'owner.log_long'"
        assert house.query(told_of) == [(1,)]
        until(lambda: house.ask("GET", "/healthz").json["status"] == "ok", 45)

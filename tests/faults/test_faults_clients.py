"""Many writers at once for a long time, and kills under load: nothing that was told is lost."""

import contextlib
import http.client
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from outside_house import House, Room, until
from outside_routines import made, schedule

pytestmark = pytest.mark.faults

MINUTES, CLIENTS, COMMENTS, ROUTINES, STREAMS = 10, 20, 50, 10, 5
KILLS = 50
BESIDE = ("-wal", "-shm")
STREAM = """
import sys, time
end = time.monotonic() + float(sys.argv[1])
number = 0
while time.monotonic() < end:
    print(f"line {number:06d}", flush=True)
    number += 1
    time.sleep(0.2)
open("lines.txt", "w").write(f"{number}\\n")
print(f"ended after {number}", flush=True)
"""


@pytest.mark.timeout(MINUTES * 60 + 600)
@pytest.mark.proves("B-159")
def test_ten_minutes_of_clients_routines_and_streams_lose_nothing(
    house: House, show: Callable[[str], None]
) -> None:
    house.start()
    room = house.room()
    quiet = room.task("Talked about")
    for number in range(ROUTINES):
        agent = room.shell("echo tick", name=f"ticker-{number}")
        minutely = [schedule("* * * * *", "UTC")]
        made(room, agent, name=f"tick {number}", description="Tick.", triggers=minutely)
    streaming = [
        room.task(
            f"Stream {number}",
            room.agent(sys.executable, "-c", STREAM, str(MINUTES * 60), name=f"stream-{number}"),
        )
        for number in range(STREAMS)
    ]
    answers: Counter[int] = Counter()
    until_end = time.monotonic() + MINUTES * 60

    def talk(who: int) -> None:
        for number in range(COMMENTS):
            words = {"text": f"{who} says {number}"}
            answers[house.program("POST", f"/tasks/{quiet['id']}/comments", words).status] += 1
            left = until_end - time.monotonic()
            time.sleep(max(0.0, left / (COMMENTS - number)))

    clients = [threading.Thread(target=talk, args=(who,)) for who in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    runs = [room.ended(task, seconds=120) for task in streaming]
    assert set(answers) == {201}, answers
    said = f"SELECT count(DISTINCT text) FROM comments WHERE task_id = '{quiet['id']}'"
    assert house.query(said) == [(CLIENTS * COMMENTS,)]
    ticks = house.query(
        "SELECT routine_id, count(*), count(DISTINCT scheduled_at),"
        " (max(scheduled_at) - min(scheduled_at)) / 60000000 + 1"
        " FROM office_routine_runs WHERE scheduled_at IS NOT NULL GROUP BY routine_id"
    )
    assert len(ticks) == ROUTINES
    for _, fired, instants, minutes in ticks:
        assert fired == instants == minutes >= MINUTES - 1, ticks
    lines = []
    for run in runs:
        text = house.transcript(run["id"])
        count = int(text.rsplit("ended after ", 1)[1].split()[0])
        assert [f"line {number:06d}" for number in range(count)] == [
            line for line in text.splitlines() if line.startswith("line ")
        ]
        lines.append(count)
    log = (house.home / "logs" / "roundtable.log").read_text()
    assert "Traceback" not in log
    fired = sum(row[1] for row in ticks)
    show(f"{MINUTES} min: {sum(answers.values())} comments, {fired} ticks, lines {lines}")


def load(house: House, room: Room, agent: str, told: list[str], over: threading.Event) -> None:
    """Tasks with an agent and comments on them, until the owner is gone."""
    number = 0
    while not over.is_set():
        number += 1
        with contextlib.suppress(OSError, http.client.HTTPException):
            body = {"workspace_id": room.id, "title": f"T {number}", "assignee_agent_id": agent}
            answer = house.program("POST", "/tasks", body)
            if answer.status == 201:
                told.append(answer.json["id"])
                house.program("POST", f"/tasks/{told[-1]}/comments", {"text": "one word"})


def sound(house: House, told: list[str]) -> None:
    assert house.query("PRAGMA integrity_check") == [("ok",)]
    assert house.query("PRAGMA foreign_key_check") == []
    wakes = (
        "SELECT count(*) FROM runs WHERE wakeup_id NOT IN (SELECT id FROM agent_wakeup_requests)"
    )
    assert house.query(wakes) == [(0,)]
    there = {row[0] for row in house.query("SELECT id FROM tasks")}
    assert set(told) <= there, f"{len(set(told) - there)} of {len(told)} that were told are lost"


@pytest.mark.timeout(1800)
@pytest.mark.proves("B-161")
def test_fifty_kills_under_load_and_copies_of_the_main_file_spoil_nothing(
    house: House, tmp_path: Path, show: Callable[[str], None]
) -> None:
    dice = random.Random(int(os.environ.get("ROUNDTABLE_SEED", "161")))
    file, away = house.home / "roundtable.db", tmp_path / "away.db"
    house.start()
    room = house.room()
    agent = room.shell("echo made > $ROUNDTABLE_TASK.txt", max_concurrent_sessions=2)
    house.end()
    house.start()  # a home that holds something gets its backup
    until(lambda: list((house.home / "backups").glob("roundtable-*.db")))
    told: list[str] = []
    seen: Counter[str] = Counter()
    for number in range(1, KILLS + 1):
        over = threading.Event()
        clients = [
            threading.Thread(target=load, args=(house, room, agent, told, over)) for _ in range(3)
        ]
        for client in clients:
            client.start()
        time.sleep(dice.uniform(0.05, 0.45))  # when it is killed: any moment is as good
        if number % 10 == 3:
            shutil.copy(file, away)
        house.end(signal.SIGKILL)
        over.set()
        for client in clients:
            client.join()
        sound(house, told)
        if number % 10 == 5:  # the main file alone, as somebody's copy tool knows it
            shutil.copy(file, away)
            for part in ("", *BESIDE):
                file.with_name(file.name + part).unlink(missing_ok=True)
            shutil.move(away, file)
            file.chmod(0o600)
        elif number % 10 == 7:  # an older main file beside a newer log
            (tmp_path / "now.db").write_bytes(file.read_bytes())
            shutil.copy(away if away.exists() else tmp_path / "now.db", file)
            file.chmod(0o600)
        house.start()
        said = (house.root / "owner.stderr").read_text()
        if "goes on from" in said or "is a copy" in said:
            seen["restored" if "goes on from" in said else "copied"] += 1
            (house.root / "owner.stderr").write_text("")
            house.cli("resume")
        if number % 10 in (5, 7):
            seen["older state"] += 1
            told[:] = [row[0] for row in house.query("SELECT id FROM tasks")]
        sound(house, told)
    seen["tasks"] = len(told)
    show(f"{KILLS} kills: {dict(seen)}")

"""Backup, restore and starts on a damaged file, as a person sees them."""

import random
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import older_homes
import pytest
from outside_house import House, alive, until
from outside_talk import status


def stderr(house: House) -> str:
    return (house.root / "owner.stderr").read_text()


def refused(house: House) -> str:
    """The one sentence of a start that is refused."""
    done = house.cli("start", "--port", "0")
    assert done.code == 1 and done.out == ""
    assert len(done.err.splitlines()) == 1, done.err
    return done.err


def smash(file: Path) -> None:
    """A page in the midst of the tasks."""
    with closing(sqlite3.connect(file)) as db:
        at = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'tasks'").fetchone()[0]
    with open(file, "r+b") as damaged:
        damaged.seek((at - 1) * 4096)
        damaged.write(random.Random(1).randbytes(100))


@pytest.mark.slow
@pytest.mark.proves("F-25", "F-20", "N-22")
def test_a_backup_is_gone_back_to_and_nothing_runs_twice(running: House, tmp_path: Path) -> None:
    house, file = running, tmp_path / "mine.db"
    room = house.room()
    marks = tmp_path / "marks"
    agent = room.shell(f"echo ran >> {marks}; echo made > note.txt")
    first = room.task("First")
    house.program("POST", "/control", {"action": "pause"})
    second = room.task("Second", agent)
    done = house.cli("backup", "mine.db", at=tmp_path)
    assert done.code == 0 and str(file) in done.out
    assert file.stat().st_mode & 0o777 == 0o600
    again = house.cli("backup", "mine.db", at=tmp_path)
    assert again.code == 1 and "left as it is" in again.err
    house.program("POST", "/control", {"action": "resume"})
    until(lambda: status(room, second) == "in_review")
    third = room.task("Third", agent)
    until(lambda: status(room, third) == "in_review")
    assert marks.read_text() == "ran\n" * 2
    [(newest,)] = house.query("SELECT max(id) FROM events")

    owned = house.cli("restore", str(file))
    assert owned.code == 4 and "owner" in owned.err.lower()
    house.end()
    back = house.cli("restore", str(file))
    assert back.code == 0 and str(file) in back.out and "aside" in back.out, back.said
    house.start()
    assert "goes on from" in stderr(house)
    titles = {one["title"]: one for one in house.get("/tasks")["items"]}
    assert titles.keys() == {"First", "Second"}
    assert house.get("/control")["intake"] == "paused"
    [item] = house.get("/inbox", status="open", kind="doctor")["items"]
    assert item["kind"] == "doctor" and "1 wakeups" in item["sentence"]
    assert item["data"]["forgotten"] == 2
    assert "t2.before-" in item["sentence"] and "t3.before-" in item["sentence"]
    fourth = room.task("Fourth", agent)
    assert fourth["number"] == 4, "the number of a forgotten task is not given again"
    told = "SELECT id FROM events WHERE kind = 'database.restored'"
    assert house.query(told)[0][0] > newest, "a cursor of before means no other event now"
    assert marks.read_text() == "ran\n" * 2, "nothing ran by itself"
    house.post(f"/inbox/{item['id']}/act", {"action": "resume"})
    until(lambda: status(room, fourth) == "in_review")
    assert house.get("/inbox", status="open", kind="doctor")["items"] == []
    assert {first["id"], second["id"]} < {one["id"] for one in house.get("/tasks")["items"]}


@pytest.mark.slow
@pytest.mark.proves("F-25")
def test_what_a_restore_forgot_is_ended_and_undoes_no_commit(
    running: House, tmp_path: Path
) -> None:
    house, file = running, tmp_path / "mine.db"
    room = house.room(files={"words.txt": "one\n"})
    room.git("checkout", "-q", "-b", "away")
    house.program("POST", "/control", {"action": "pause"})
    quick = room.task(
        "Quick", room.shell("date +%N > made.txt", "quick"), delivery="auto", base_branch="main"
    )
    long = room.task("Long", room.shell("sleep 300", "long"))
    assert house.cli("backup", str(file)).code == 0
    house.program("POST", "/control", {"action": "resume"})
    until(lambda: status(room, quick) == "done")
    run = room.live(long)
    pids = [one["pid"] for one in run["processes"]]
    room.git("checkout", "-q", "main")
    (room.path / "words.txt").write_text("two\n")
    (room.path / "new.txt").write_text("mine\n")
    room.git("add", "-A")
    room.git("commit", "-q", "-m", "Since")
    room.git("checkout", "-q", "away")
    house.end()
    assert all(alive(pid) for pid in pids), "agents go on"
    assert house.cli("restore", str(file)).code == 0
    house.start()
    until(lambda: not any(alive(pid) for pid in pids))
    assert (house.home / "runs" / run["id"] / "spool.ndjson").exists()
    [item] = house.get("/inbox", status="open", kind="doctor")["items"]
    assert f"have been ended: {run['id']}" in item["sentence"]
    assert "t1.before-" in item["sentence"] and "t2.before-" in item["sentence"]
    house.program("POST", "/control", {"action": "resume"})
    until(lambda: room.house.get(f"/tasks/{quick['id']}/attempts")["items"])
    room.live(long)
    room.ended(quick)
    until(lambda: room.proposal(quick)["status"] in ("delivered", "conflicted"))
    assert room.git("show", "main:words.txt") == "two"
    assert room.git("show", "main:new.txt") == "mine"


@pytest.mark.slow
@pytest.mark.proves("F-28")
def test_an_older_home_is_brought_up_and_says_so_meanwhile(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.home.mkdir(mode=0o700)
    (house.home / "backups").mkdir(mode=0o700)
    older_homes.empty(house.home / "roundtable.db", 1, monkeypatch)
    house.start()
    said = stderr(house).splitlines()
    here = older_homes.HERE
    assert said[0].startswith(f"The database is of an older version (1; this one is {here}).")
    assert said[1:here] == [f"Step {n} of {here} to this version." for n in range(2, here + 1)]
    [backup] = (house.home / "backups").iterdir()
    assert backup.name.endswith("-v0001.db")


@pytest.mark.slow
@pytest.mark.proves("F-20", "F-21", "D-06")
def test_a_damaged_home_goes_on_from_its_backup_or_is_refused_in_a_sentence(
    running: House, tmp_path: Path
) -> None:
    house = running
    room = house.room()
    room.task("Kept")
    house.end()
    backups = house.home / "backups"
    shutil.rmtree(backups, ignore_errors=True)  # one may have been made before the task was
    house.start()
    until(lambda: [*backups.glob("roundtable-*.db")])
    room.task("Since")
    house.end(signal.SIGKILL)
    smash(house.home / "roundtable.db")
    house.start()
    assert "The database was damaged" in stderr(house)
    assert [one["title"] for one in house.get("/tasks")["items"]] == ["Kept"]
    kinds = [one["kind"] for one in house.get("/events", limit=200)["items"]]
    assert "database.restored" in kinds
    told = house.cli("inbox", "list").out
    assert "resume" in told and "goes on from" in told
    house.cli("resume")
    assert house.get("/inbox", status="open", kind="doctor")["items"] == []
    house.end()
    (house.home / "roundtable.db").write_bytes(b"")
    house.start()
    assert "The database was empty. It goes on from" in stderr(house)
    assert [one["title"] for one in house.get("/tasks")["items"]] == ["Kept"]
    house.end()
    for backup in backups.iterdir():
        backup.unlink()
    smash(house.home / "roundtable.db")
    assert "is damaged" in refused(house) and "roundtable restore" in refused(house)
    (house.home / "roundtable.db").write_text("Dear Joan,\n" * 99)
    assert "cannot be read as a database" in refused(house)
    assert (house.home / "roundtable.db").read_text().startswith("Dear Joan")

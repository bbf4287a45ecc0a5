"""The database's file, harmed and grown: `dev.py faults`. Each prints its table."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import older_homes
import pytest
from ground import NOW, Ground
from older_homes import HERE
from outside_house import ROUNDTABLE, House, until
from outside_talk import status

from roundtable_desktop.engine.housekeeping import BATCH
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import backups, keys, migrate

pytestmark = pytest.mark.faults
Show = Callable[[str], None]
ROWS = 500_000


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    def shown(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return shown


def start(house: House) -> str:
    """How a start ends: healthy, restored or refused; nothing else."""
    owner = subprocess.Popen(
        [ROUNDTABLE, "start", "--port", "0"],
        env=house.env,
        cwd=house.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    line = owner.stdout.readline()
    if line:
        assert json.loads(line)["event"] == "ready"
        owner.send_signal(signal.SIGTERM)
    _, said = owner.communicate(timeout=60)
    assert "Traceback" not in said, said[-3000:]
    if not line:
        assert owner.returncode == 1 and len(said.splitlines()) == 1, said
        return "refused"
    assert owner.returncode == 0
    return "restored" if "goes on from" in said else "healthy"


@pytest.mark.timeout(1800)
@pytest.mark.proves("F-20")
def test_a_hundred_smashes_end_in_one_of_three_ways(
    house: House, tmp_path: Path, show: Show
) -> None:
    house.start()
    room = house.room()
    for number in range(150):
        room.task(f"Task {number}", description="words " * 60)
    assert house.cli("backup", str(tmp_path / "whole.db")).code == 0
    house.end()
    kept = house.home / "backups" / "roundtable-20260101T000000Z-v9999.db"
    shutil.copy(tmp_path / "whole.db", kept)
    whole = tmp_path / "whole"
    house.home.rename(whole)
    dice, ends = random.Random(20), Counter[str]()
    for number in range(100):
        shutil.copytree(whole, house.home, symlinks=True, ignore=shutil.ignore_patterns("s"))
        file = house.home / "roundtable.db"
        with open(file, "r+b") as smashed:
            smashed.seek(dice.randrange(file.stat().st_size - 100))
            smashed.write(dice.randbytes(100))
        before = file.read_bytes()
        end = start(house)
        ends[end] += 1
        if end == "refused":
            assert file.read_bytes() == before, number
        else:
            assert house.query("PRAGMA integrity_check") == [("ok",)], number
            assert house.query("SELECT count(*) FROM tasks") == [(150,)], number
        if end == "restored":
            [aside] = (house.home / "aside").iterdir()
            assert (aside / "roundtable.db").read_bytes() == before, number
        shutil.rmtree(house.home)
    show(f"100 smashes: {dict(ends)}")


@pytest.fixture
def house(tmp_path: Path) -> object:
    made = House(tmp_path)
    yield made
    made.close()


@pytest.mark.timeout(1200)
@pytest.mark.proves("F-28")
@pytest.mark.parametrize("number", [1, HERE - 3, HERE - 1])
def test_a_million_rows_are_brought_up_in_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Show, number: int
) -> None:
    path = tmp_path / "a.db"
    older_homes.make(path, number, monkeypatch)
    with closing(sqlite3.connect(path)) as db, db:
        for table in ("agent_wakeup_requests", "events"):
            older_homes.fill(db, table, ROWS)
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= ROWS / 2
    began = time.monotonic()
    migrate.migrate(path, tmp_path, NOW)
    took = time.monotonic() - began
    size = path.stat().st_size / (1 << 20)
    show(f"{number} → {HERE}: {2 * ROWS:,} rows, {size:.0f} MB, {took:.1f} s with its backup")
    assert took < 60 and len(backups.kept(tmp_path)) == 1


UPGRADE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from roundtable_desktop.store import migrate
migrate.migrate(Path(sys.argv[1]), Path(sys.argv[1]).parent, datetime(2026, 3, 1, tzinfo=UTC))
"""
CALLS = {"pwrite64": 400, "fdatasync": 12, "fsync": 6, "rename": 2, "unlink": 8, "openat": 0}


@pytest.mark.timeout(2400)
@pytest.mark.proves("F-28", "B-162")
def test_an_upgrade_killed_at_each_call_is_old_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Show
) -> None:
    old = tmp_path / "old.db"
    older_homes.make(old, 1, monkeypatch)
    ends: Counter[str] = Counter()
    for call, most in CALLS.items():
        for number in range(1, most + 1):
            folder = tmp_path / "at"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            path = Path(shutil.copy(old, folder / "a.db"))
            words = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}"]
            words += ["-e", f"inject={call}:signal=KILL:when={number}"]
            words += [sys.executable, "-c", UPGRADE, str(path)]
            done = subprocess.run(words, capture_output=True, timeout=60)
            here = migrate.version_of(path)
            with closing(sqlite3.connect(path)) as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",), (call, number)
            assert here == 1 or len(backups.kept(folder)) == 1, (call, number)
            migrate.migrate(path, folder, NOW)
            if done.returncode == 0:
                break  # there are no more such calls
            ends[f"{call}: {'old' if here == 1 else 'new' if here == HERE else 'between'}"] += 1
    show("\n".join(f"{end} {count}" for end, count in sorted(ends.items())))


@pytest.mark.timeout(600)
@pytest.mark.proves("F-27")
def test_a_million_old_rows_go_in_batches_of_fifty_milliseconds(tmp_path: Path, show: Show) -> None:
    ground = Ground(tmp_path)
    old = micros(NOW - timedelta(days=3))
    with closing(sqlite3.connect(ground.path)) as db, db:
        db.executemany(
            "INSERT INTO idempotency_keys VALUES ('person:p', ?, 'f', 'task', 't', ?)",
            ((f"key-{number}", old) for number in range(1_000_000)),
        )
    before, took = ground.path.stat().st_size, []
    while True:
        began = time.monotonic()
        with ground.store.transaction() as tx:
            changed = keys.drop_old(tx, BATCH)
        took.append(time.monotonic() - began)
        if changed < BATCH:
            break
    took.sort()
    show(f"{len(took)} batches, p50 {took[len(took) // 2]:.4f} s, p99 {took[-10]:.4f} s")
    assert took[len(took) // 2] < 0.05, "the machine's own hiccups are shown, and not judged"
    with closing(sqlite3.connect(ground.path)) as db, db:
        assert db.execute("SELECT count(*) FROM idempotency_keys").fetchone() == (0,)
        db.executemany(
            "INSERT INTO idempotency_keys VALUES ('person:p', ?, 'f', 'task', 't', ?)",
            ((f"key-{number}", old) for number in range(1_000_000)),
        )
    assert ground.path.stat().st_size < before * 1.05, "the room of the old ones is used again"
    ground.close()


@pytest.mark.timeout(300)
@pytest.mark.proves("B-160", "F-22")
@pytest.mark.parametrize("held", [3, 60])
def test_a_stranger_that_holds_the_file_delays_and_loses_nothing(
    house: House, held: int, show: Show
) -> None:
    house.start()
    room = house.room()
    agent = room.shell("echo made > note.txt")
    statuses: Counter[int] = Counter()
    with closing(sqlite3.connect(house.home / "roundtable.db", timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        other_until, number = time.monotonic() + held, 0
        while time.monotonic() < other_until - 2:
            body = {"workspace_id": room.id, "title": f"T {number}", "assignee_agent_id": agent}
            if held < 10:
                break
            statuses[house.program("POST", "/tasks", body).status] += 1
            number += 1
        time.sleep(max(0, other_until - time.monotonic()))
        other.rollback()
    after = room.task("After", agent)
    until(lambda: status(room, after) == "in_review")
    made = house.get("/tasks", workspace_id=room.id)["items"]
    assert len(made) == 1 + statuses[201]
    for task in made:
        until(lambda task=task: status(room, task) == "in_review")
    assert set(statuses) <= {201, 503}
    show(f"held for {held} s: {dict(statuses)}")

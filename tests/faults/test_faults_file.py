"""The database's file, harmed and grown: `dev.py faults`. Each prints its table."""

import shutil
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
from outside_house import House, until
from outside_talk import status

from roundtable_desktop.engine.housekeeping import BATCH
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import backups, keys, migrate

pytestmark = pytest.mark.faults
Show = Callable[[str], None]
ROWS = 500_000
BIG = ("agent_wakeup_requests", "events")
"""Tables that get so many each."""


@pytest.mark.timeout(1200)
@pytest.mark.proves("F-28")
@pytest.mark.parametrize("number", [1, HERE - 3, HERE - 1])
def test_a_million_rows_are_brought_up_in_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Show, number: int
) -> None:
    path = tmp_path / "a.db"
    older_homes.make(path, number, monkeypatch)
    with closing(sqlite3.connect(path)) as db, db:
        for table in BIG:
            older_homes.fill(db, table, ROWS)
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= ROWS / 2
    began, said = time.monotonic(), list[str]()
    migrate.migrate(path, tmp_path, NOW, lambda code, values: said.append(code))
    took = time.monotonic() - began
    assert said == ["upgrade_begins", *["upgrade_step"] * (HERE - number)]
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
def test_an_upgrade_of_a_million_rows_killed_on_its_way_is_old_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Show
) -> None:
    old = tmp_path / "old.db"
    older_homes.make(old, 1, monkeypatch)
    with closing(sqlite3.connect(old)) as db, db:
        for table in BIG:
            older_homes.fill(db, table, ROWS)
    before, took, ends = rows(old), 0.0, list[str]()
    for share in (1.5, 0.1, 0.3, 0.5, 0.7, 0.9):  # of the time that it takes: first it may end
        folder = tmp_path / str(share)
        folder.mkdir()
        path = Path(shutil.copy(old, folder / "a.db"))
        began = time.monotonic()
        child = subprocess.Popen([sys.executable, "-c", UPGRADE, str(path)])
        try:
            child.wait(took * share or None)
            took = time.monotonic() - began
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        here = migrate.version_of(path)
        assert rows(path) == before and 1 <= here <= HERE
        assert here == 1 or [one.schema for one in backups.kept(folder)] == [1]
        ends.append(f"killed after {took * share:.1f} s: version {here}")
        assert migrate.migrate(path, folder, NOW) == list(range(here + 1, HERE + 1))
        assert rows(path) == before
        shutil.rmtree(folder)
    show("\n".join([f"{sum(before):,} rows brought up in {took:.1f} s", *ends[1:]]))


def rows(path: Path) -> list[int]:
    """Of the large tables, in a file that is sound."""
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in BIG]


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

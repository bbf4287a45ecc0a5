"""Real older files: with rows in every table they become this version's, whole or not at all."""

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import older_homes
import pytest
from ground import NOW
from older_homes import HERE

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return {
            table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in older_homes.tables(db)
        }


@pytest.mark.proves("F-28", "D-02")
@pytest.mark.parametrize("number", range(1, HERE))
def test_every_row_of_an_older_home_is_there_after_the_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "a.db"
    older_homes.make(path, number, monkeypatch)
    before = counts(path)
    assert min(before.values()) >= 1 and before["tasks"] == 2
    assert migrate.migrate(path, tmp_path, NOW) == list(range(number + 1, HERE + 1))
    after = counts(path)
    assert {table: after[table] for table in before} == before
    [backup] = backups.kept(tmp_path)
    assert backup.schema == number and counts(backup.path) == before


UPGRADE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from roundtable_desktop.store import migrate
migrate.migrate(Path(sys.argv[1]), Path(sys.argv[1]).parent, datetime(2026, 3, 1, tzinfo=UTC))
"""
POINTS = [("pwrite64", 3), ("pwrite64", 60), ("pwrite64", 200), ("fdatasync", 2), ("rename", 1)]
"""(call, which of them); `dev.py faults` has every one."""


@pytest.mark.slow
@pytest.mark.proves("F-28", "B-162")
@pytest.mark.skipif(shutil.which("strace") is None, reason="kills by strace's injection")
def test_an_upgrade_that_is_killed_is_old_or_new_and_its_backup_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.db"
    older_homes.make(old, 1, monkeypatch)
    before, killed = counts(old), 0
    for call, number in POINTS:
        folder = tmp_path / f"{call}-{number}"
        folder.mkdir()
        path = Path(shutil.copy(old, folder / "a.db"))
        words = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}"]
        words += ["-e", f"inject={call}:signal=KILL:when={number}"]
        words += [sys.executable, "-c", UPGRADE, str(path)]
        done = subprocess.run(words, capture_output=True, timeout=60)
        killed += done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
        here = migrate.version_of(path)
        assert 1 <= here <= HERE
        if here > 1:
            [backup] = backups.kept(folder)
            assert backup.schema == 1 and counts(backup.path) == before
        migrate.migrate(path, folder, NOW)
        assert {table: n for table, n in counts(path).items() if table in before} == before
    assert killed >= len(POINTS) / 2


@pytest.mark.proves("F-28", "B-162")
def test_an_upgrade_without_room_for_its_backup_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    older_homes.make(path, 1, monkeypatch)
    words = ["sh", "-c", f'ulimit -f 64; trap "" XFSZ; exec "{sys.executable}" -c "$1" "$2"']
    done = subprocess.run([*words, "sh", UPGRADE, str(path)], capture_output=True, text=True)
    assert "backup_failed" in done.stderr
    assert migrate.version_of(path) == 1 and counts(path)["tasks"] == 2
    assert not list(tmp_path.glob("*.part*")) and backups.kept(tmp_path) == []
    with pytest.raises(Broken):
        migrate.migrate(path, tmp_path / "no folder", NOW)
    assert migrate.version_of(path) == 1

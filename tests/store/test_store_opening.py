"""Each start finds a sound database, mends a damaged one, or refuses it as it is."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from ground import NOW, Ground
from harmed_files import LATER, digest, ready, root_page, smash, tasks

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate, opening, soundness

HERE = len(migrate.migrations())


@pytest.mark.proves("F-20")
def test_a_sound_file_is_opened_as_it_is(home: Path) -> None:
    assert ready(home) == opening.Opened([], None)
    assert tasks(home) == 201


@pytest.mark.proves("F-20", "F-25")
def test_a_damaged_file_is_replaced_by_the_newest_sound_backup_and_kept_aside(home: Path) -> None:
    smash(home, root_page(home, "tasks"))
    before = digest(home)
    newest = home.parent / "backups" / "roundtable-20260302T120000Z-v0001.db"
    newest.write_bytes(b"SQLite format 3\0 but no more")
    opened = ready(home)
    assert opened.restored is not None and opened.restored.at == NOW
    assert tasks(home) == 200
    assert opened.restored.aside is not None
    assert digest(opened.restored.aside / home.name) == before, "no byte of it is lost"
    assert ready(home) == opening.Opened([], None)


@pytest.mark.proves("F-20")
def test_a_damaged_file_without_a_backup_is_refused_as_it_is(home: Path) -> None:
    shutil.rmtree(home.parent / "backups")
    smash(home, root_page(home, "tasks"))
    before = digest(home)
    with pytest.raises(Broken) as refused:
        ready(home)
    assert refused.value.code == "database_damaged_lost"
    assert digest(home) == before
    assert not (home.parent / "aside").exists()


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _letter(path: Path) -> None:
    path.write_text("Dear Joan,\n" * 99)


def _linked(path: Path) -> None:
    os.link(path, path.with_name("other.db"))


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE recipes (id)")


@pytest.mark.proves("F-21")
def test_a_folder_in_its_place_is_called_no_database(home: Path) -> None:
    home.unlink()
    home.mkdir()
    with pytest.raises(Broken) as refused:
        ready(home)
    assert refused.value.code == "database_foreign" and home.is_dir()


@pytest.mark.proves("F-21")
@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (_linked, "database_hard_linked"),
        (_newer, "database_newer"),
        (_foreign, "database_foreign"),
    ],
)
def test_what_is_no_database_of_ours_alone_is_refused_as_it_is(
    home: Path, harm: Callable[[Path], None], code: str
) -> None:
    harm(home)
    before = digest(home)
    with pytest.raises(Broken) as refused:
        ready(home)
    assert refused.value.code == code
    assert digest(home) == before
    assert not (home.parent / "aside").exists()


def _headless(path: Path) -> None:
    smash(path, 0)


def _of_no_version(path: Path) -> None:
    """Not by us: beginning anew would write over all that is there."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 0")


def _of_a_format_to_come(path: Path) -> None:
    with open(path, "r+b") as file:
        file.seek(44)
        file.write(b"\xff" * 4)


def _without_its_list_of_tables(path: Path) -> None:
    """Sound to a look at the names alone."""
    with open(path, "r+b") as file:
        file.seek(103)
        file.write(b"\0\0")


@pytest.mark.proves("F-20", "F-21")
@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (_empty, "empty"),
        (_letter, "unreadable"),
        (_headless, "unreadable"),
        (_of_no_version, "damaged"),
        (_of_a_format_to_come, "damaged"),
        (_without_its_list_of_tables, "damaged"),
    ],
)
def test_what_is_left_of_a_file_is_kept_and_the_newest_backup_gone_on_from(
    home: Path, harm: Callable[[Path], None], why: str
) -> None:
    log = home.with_name(home.name + "-wal")
    log.write_bytes(b"what was written last")
    harm(home)
    log.write_bytes(b"what was written last")
    before = digest(home)
    opened = ready(home)
    assert opened.restored is not None and opened.restored.at == NOW
    assert tasks(home) == 200 and told(home)["why"] == why
    aside = opened.restored.aside
    assert aside is not None and digest(aside / home.name) == before
    assert (aside / log.name).read_bytes() == b"what was written last"
    shutil.rmtree(home.parent / "backups")
    harm(home)
    before = digest(home)
    with pytest.raises(Broken, match=f"database_{why}_lost"):
        ready(home)
    assert digest(home) == before


def told(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        [(value,)] = db.execute("SELECT value FROM settings WHERE key = 'restored'")
    return dict(json.loads(value))


@pytest.mark.proves("F-20", "F-25")
def test_a_backup_that_is_newer_than_the_file_without_its_log_is_gone_on_from(
    home: Path, tmp_path: Path
) -> None:
    """On a quiet day all of it lies in the log."""
    later = NOW + timedelta(hours=1)
    with closing(sqlite3.connect(home)) as db, db:
        db.execute("UPDATE events SET at = at + 1 WHERE id = (SELECT max(id) FROM events)")
    backups.keep(home, home.parent / "backups", later, HERE)
    with closing(sqlite3.connect(home)) as db, db:
        db.execute("UPDATE events SET at = at - 1 WHERE id = (SELECT max(id) FROM events)")
    (tmp_path / "other").mkdir()
    other = Ground(tmp_path / "other")
    for _ in range(30):
        other.agent(other.workspace())
    shutil.copy(other.path.with_name(other.path.name + "-wal"), f"{home}-wal")
    other.close()
    opened = ready(home)
    assert opened.restored is not None and opened.restored.at == later


@pytest.mark.proves("F-21")
def test_a_file_cut_in_half_is_damaged(home: Path) -> None:
    _cut(home)
    opened = ready(home)
    assert opened.restored is not None and tasks(home) == 200
    shutil.rmtree(home.parent / "backups")
    _cut(home)
    before = digest(home)
    with pytest.raises(Broken, match="database_damaged_lost"):
        ready(home)
    assert digest(home) == before


@pytest.mark.proves("F-21")
def test_a_home_with_backups_alone_does_not_begin_anew(home: Path) -> None:
    home.unlink()
    with pytest.raises(Broken) as refused:
        ready(home)
    assert refused.value.code == "database_gone" and "roundtable-2026" in str(refused.value)
    assert not home.exists()


@pytest.mark.proves("F-21", "B-161")
def test_the_log_of_another_database_is_set_aside(home: Path, tmp_path: Path) -> None:
    """SQLite would take it for its own, and write it into the file."""
    (tmp_path / "other").mkdir()
    other = Ground(tmp_path / "other")
    for _ in range(30):
        other.agent(other.workspace())
    log = other.path.with_name(other.path.name + "-wal")
    shutil.copy(log, home.with_name(home.name + "-wal"))
    other.close()
    opened = ready(home)
    assert opened.restored is not None
    assert opened.restored.source == home, "its main file is newer than any backup"
    assert tasks(home) == 201


@pytest.mark.proves("B-161")
def test_the_main_file_without_its_log_is_an_older_state(ground: Ground, tmp_path: Path) -> None:
    """As somebody's copy tool leaves it: it starts, and no row hangs in the air."""
    agent = ground.agent(ground.workspace())
    for _ in range(20):
        ground.wakeup(agent)
    copied = tmp_path / "copy"
    copied.mkdir()
    shutil.copy(ground.path, copied / "a.db")
    ground.close()
    assert ready(copied / "a.db").restored is None
    with closing(sqlite3.connect(copied / "a.db")) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def _smashed(home: Path, folder: Path, times: int) -> dict[str, int]:
    """How the starts ended. Rows that SQLite can see to be damaged are never lost in silence."""
    ends = {"healthy": 0, "restored": 0, "refused": 0}
    dice = random.Random(20)
    for number in range(times):
        path = folder / str(number) / home.name
        shutil.copytree(home.parent, path.parent, ignore=shutil.ignore_patterns("aside"))
        smash(path, dice.randrange(path.stat().st_size - 100))
        before = digest(path)
        try:
            opened = ready(path)
        except Broken:
            assert digest(path) == before
            ends["refused"] += 1
            continue
        ends["restored" if opened.restored else "healthy"] += 1
        assert tasks(path) == (200 if opened.restored else 201)
        shutil.rmtree(path.parent)
    return ends


@pytest.mark.proves("F-20")
def test_a_hundred_bytes_anywhere_end_in_one_of_three_ways(home: Path, tmp_path: Path) -> None:
    ends = _smashed(home, tmp_path, 10)
    assert sum(ends.values()) == 10 and ends["restored"]


@pytest.mark.proves("F-20")
def test_damage_is_looked_for_without_end_once_it_was_seen(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look of a second does not reach all of a large file; what housekeeping found does."""
    monkeypatch.setattr(soundness, "_STEPS", 1)
    smash(home, root_page(home, "tasks"))
    found = opening.damaged_tables(home)
    assert found
    ticks = iter(range(10**9))
    folder = home.parent / "backups"
    hurried = opening.make_ready(home, folder, LATER, lambda: next(ticks) * 9.0)
    opening.suspect(home)
    mended = opening.make_ready(home, folder, LATER, lambda: next(ticks) * 9.0)
    assert hurried.restored is None and mended.restored is not None
    assert opening.make_ready(home, folder, LATER, lambda: 0.0).restored is None

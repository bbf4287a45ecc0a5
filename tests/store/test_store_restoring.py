"""A restore is done whole or not at all; backups are private, few, sound, and nobody's trap."""

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from ground import NOW, StandingClock
from harmed_files import LATER, root_page, smash, tasks

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate, restored, restoring
from roundtable_desktop.store.db import Store

HERE = len(migrate.migrations())


@pytest.mark.proves("F-25")
@pytest.mark.parametrize("point", range(12))
def test_a_restore_that_is_broken_off_is_as_if_it_had_not_begun_or_is_finished(
    home: Path, monkeypatch: pytest.MonkeyPatch, point: int
) -> None:
    """Broken off before its `point`-th change of a name."""
    [backup] = backups.kept(home.parent / "backups")
    with open(home.with_name(home.name + "-journal"), "wb"):
        pass  # a part beside it, so that there is more than one to set aside
    left = point

    class Killed(BaseException):
        pass

    rename = Path.rename

    def watched(self: Path, target: Path) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", watched)
        try:
            restoring.put_in_place(home, backup.path, NOW, LATER, why="asked")
            broken_off = False
        except Killed:
            broken_off = True
    decided = any(home.parent.glob("restoring-*")) or not broken_off
    restoring.finish(home)
    assert tasks(home) == (200 if decided else 201)
    assert not list(home.parent.glob("*restoring-*"))
    if decided:
        [aside] = (home.parent / "aside").iterdir()
        assert tasks(aside / home.name) == 201


@pytest.mark.proves("F-25")
def test_what_is_restored_says_so_once(home: Path) -> None:
    [backup] = backups.kept(home.parent / "backups")
    restoring.put_in_place(home, backup.path, NOW, LATER, why="asked")
    with closing(Store(home, StandingClock())) as store:
        with store.transaction() as tx:
            past = restored.mark(tx)
            assert past is not None and past.as_of == NOW and past.why == "asked"
            assert past.last_event is not None and past.last_event > 200
            restored.unmark(tx)
        with store.transaction() as tx:
            assert restored.mark(tx) is None


@pytest.mark.proves("F-25", "S-43")
def test_backups_are_private_and_no_more_than_may_be(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home.parent / "backups"
    for hours in range(1, 10):
        before = os.umask(0)
        made = backups.keep(home, folder, NOW + timedelta(hours=hours), HERE, sound=True)
        os.umask(before)
        assert made.stat().st_mode & 0o777 == 0o600
    assert [one.at.hour for one in backups.kept(folder)] == [21, 20, 19, 18, 17, 16, 15]
    monkeypatch.setattr(backups, "KEPT_BYTES", 2 * home.stat().st_size + 100)
    backups.prune(folder)
    assert 1 <= len(backups.kept(folder)) <= 2
    monkeypatch.setattr(backups, "KEPT_BYTES", 1)
    backups.prune(folder)
    assert [one.at.hour for one in backups.kept(folder)] == [21], "the newest stays, always"
    assert len(list(folder.iterdir())) == 1


@pytest.mark.proves("F-25", "S-45")
def test_a_backup_takes_no_files_place_and_follows_no_link(home: Path) -> None:
    target = home.parent / "mine.db"
    victim = home.parent / "victim"
    target.symlink_to(victim)
    with pytest.raises(FileExistsError):
        backups.back_up(home, target)
    (home.parent / "other.db.part").symlink_to(victim)
    backups.back_up(home, home.parent / "other.db")
    assert not victim.exists() and tasks(home.parent / "other.db") == 201


@pytest.mark.proves("F-25")
def test_a_damaged_database_takes_no_sound_backups_place(home: Path) -> None:
    smash(home, root_page(home, "tasks"))
    with pytest.raises(Broken) as refused:
        backups.keep(home, home.parent / "backups", LATER, HERE, sound=True)
    assert refused.value.code == "database_damaged"
    assert [one.at for one in backups.kept(home.parent / "backups")] == [NOW]


@pytest.mark.proves("S-75")
@pytest.mark.parametrize(
    "harm",
    [
        "CREATE TRIGGER t AFTER INSERT ON tasks BEGIN UPDATE agents SET command = 'evil'; END",
        "ALTER TABLE tasks RENAME TO mine; CREATE VIEW tasks AS SELECT * FROM mine",
        "ALTER TABLE agents DROP COLUMN model",
        "DROP TABLE idempotency_keys",
    ],
)
def test_a_hostile_backup_is_refused(home: Path, harm: str) -> None:
    """It would act in later transactions of ours, or break them."""
    [backup] = backups.kept(home.parent / "backups")
    restoring.check(backup.path)
    with closing(sqlite3.connect(backup.path)) as db:
        for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            db.execute(f"DROP VIEW {view}")
        db.executescript(harm)
    with pytest.raises(Broken, match="backup_foreign"):
        restoring.check(backup.path)

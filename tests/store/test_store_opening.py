"""Each start finds a sound database, mends a damaged one, or refuses it as it is."""

import hashlib
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from ground import NOW, Ground, StandingClock

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate, opening, restored, restoring, soundness
from roundtable_desktop.store.db import Store

HERE = len(migrate.migrations())
LATER = NOW + timedelta(hours=30)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ready(path: Path) -> opening.Opened:
    return opening.make_ready(path, path.parent / "backups", LATER, lambda: 0.0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with rows and a backup of before the last of them, and nobody at it."""
    folder = tmp_path_factory.mktemp("made")
    ground = Ground(folder)
    (folder / "backups").mkdir()
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    for _ in range(200):
        ground.task(workspace, agent, description="words " * 40)
    backups.keep(ground.path, folder / "backups", NOW, HERE)
    ground.task(workspace, title="Since the backup")
    ground.close()
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home")) / "roundtable.db"


def tasks(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(db.execute("SELECT count(*) FROM tasks").fetchone()[0])


def smash(path: Path, at: int, size: int = 100) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(random.Random(at).randbytes(size))


@pytest.mark.proves("F-20")
def test_a_sound_file_is_opened_as_it_is(home: Path) -> None:
    assert ready(home) == opening.Opened([], None)
    assert tasks(home) == 201


def root_page(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        found = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,), (size,) = (
            db.execute(found, (table,)).fetchone(),
            db.execute("PRAGMA page_size").fetchone(),
        )
    return int((page - 1) * size)


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
    assert refused.value.code == "database_lost"
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
@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (_empty, "database_empty"),
        (_letter, "database_unreadable"),
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


@pytest.mark.proves("F-21")
def test_a_file_cut_in_half_is_damaged(home: Path) -> None:
    _cut(home)
    opened = ready(home)
    assert opened.restored is not None and tasks(home) == 200
    shutil.rmtree(home.parent / "backups")
    _cut(home)
    before = digest(home)
    with pytest.raises(Broken, match="database_lost"):
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
def test_a_hostile_backup_is_refused(home: Path) -> None:
    """It would act in later transactions of ours."""
    [backup] = backups.kept(home.parent / "backups")
    with closing(sqlite3.connect(backup.path)) as db, db:
        db.execute(
            "CREATE TRIGGER t AFTER INSERT ON tasks BEGIN UPDATE agents SET command = 'evil'; END"
        )
    with pytest.raises(Broken, match="backup_foreign"):
        restoring.check(backup.path)

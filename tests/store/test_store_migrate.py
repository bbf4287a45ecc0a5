"""A file becomes a database of this version wholly or not at all."""

import hashlib
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from ground import NOW, Ground

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate

SECOND = "ALTER TABLE tasks ADD COLUMN colour TEXT;\nCREATE TABLE more (id TEXT) STRICT;\n"


HERE = len(migrate.migrations())
"""The number of this version's last migration."""

FROZEN = {
    1: "1698f00f621cc122599265ea95337fa602c5949882535553b2ec11f826a92ae6",
    2: "56d84a2ce3209be745bb1261bebb7e76896868d3eaf9aa560c69ea42a513f828",
    3: "60fe6eb82534c1d130ea58dd78396ec220feb326c04b47ec45a309326a6c21bb",
    4: "a30f7ca3cadb9fde1cd4990ad673511e9e4b3ba30cf04de07f94b20cab15bdd7",
    5: "9a7b4b98964609139eb77cae931bdc767e967dbe637b53b8b596342a2672ae28",
    6: "0ed089503171835fb9a3acafcf1a3b8ce53c0de3e97839ad205947c992d2dd03",
    7: "66a4123910bf53b0c94cdfdd5e81ba10b4463300ae30fe03e26d94bb9c77d329",
    8: "b157a15d828e5c5a52e2bd90e1dd01ae0a6b97d6de7aed37e2e78ef6ac0dd8e2",
    9: "25ea0f533410c43ac0452aa25c7959af6a806329aea45f6ce091511ba2418b46",
    10: "dbe4326b5a65681aea59ecbfc975ad07bd80b4002ac190a63f015dc945860e32",
    11: "e2464331c2b37a77d671f2ed19aa0453d3c3b398012b9057f253f6c77c7e0bf0",
    12: "f4d837eb887ec3ce7ec66d8117bd36f2c7340cb0c47cbfd05ed8dfd225882fb1",
    13: "cd336fe8488906f2789daa721f687b1baa0057633a47d01103cd4f54fca81ad6",
    14: "144fc5b33d9567bb3c105826950b53a51f8ceb3fefe7c1eea97a33050a4d05b3",
    15: "a616c8f0d857e26a21df61c07eac133f5af1486eb986ee44804e363ad74d6752",
    16: "467ef5bbfcd5a165efa829f0d3ff7ee3b0c561bcd80765341337a9cd881d64ad",
    17: "0fa523464bf56db224aff393d9fa7c8e9b029953f0955ebe46ce931a6742beb4",
    18: "25e7d7caff802402ea46e8b30ca06b6eab935bb809c77be4dd558480fdb0483a",
    19: "45086b15454015e1f9d8bf2c532f15d1d44c66d338773fd6248c37e85f2f665b",
    20: "2891b8d8e4667bfcf9d085f42010b51b9fe1ab46f8e77e748a1c8d85725bcf8f",
    21: "5679e6b555542f850923d01eac800294e7113ba4b17c824f6c4dff1481feedcb",
}
"""sha256 of every file that was in anybody's hands: a home is migrated once and never again."""


def with_another(monkeypatch: pytest.MonkeyPatch, text: str = SECOND) -> None:
    known = migrate.migrations()
    monkeypatch.setattr(migrate, "migrations", lambda: [*known, (len(known) + 1, text)])
    monkeypatch.setattr(migrate, "_views", lambda: iter(()))


def names(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT type || ' ' || name || coalesce(sql, '') FROM sqlite_master"
        )
        return {row[0] for row in rows}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_second_look_at_a_new_database_applies_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert migrate.migrate(path, tmp_path, NOW) == [number for number, _ in migrate.migrations()]
    assert migrate.migrate(path, tmp_path, NOW) == []
    assert backups.kept(tmp_path) == []


@pytest.mark.proves("D-02")
def test_a_backup_is_made_before_it_is_migrated(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = ground.workspace()
    ground.close()
    before = names(ground.path)
    with_another(monkeypatch)
    assert migrate.migrate(ground.path, tmp_path, NOW) == [HERE + 1]
    [backup] = tmp_path.glob(f"roundtable-20260301T120000Z-v{HERE:04d}.db")
    assert names(backup) == before
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT id FROM workspaces").fetchall() == [(workspace.id,)]
        assert connection.execute("PRAGMA user_version").fetchone() == (HERE,)
    assert migrate.version_of(ground.path) == HERE + 1


@pytest.mark.proves("D-02")
def test_seven_backups_are_kept(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.close()
    for number in range(9):
        at = f"2026010{number + 1}T120000Z"
        name = f"before-0002-{at}.db" if number % 2 else f"roundtable-{at}-v0001.db"
        (tmp_path / name).touch()
    with_another(monkeypatch)
    migrate.migrate(ground.path, tmp_path, NOW)
    kept = backups.kept(tmp_path)
    assert len(kept) == backups.KEPT
    assert kept[0].at == NOW and kept[0].schema == HERE
    assert [one.at.day for one in kept[1:]] == [9, 8, 7, 6, 5, 4]


@pytest.mark.proves("D-02")
def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    migrate.migrate(path, tmp_path, NOW)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = digest(path)
    with pytest.raises(Broken) as refused:
        migrate.migrate(path, tmp_path, NOW)
    assert refused.value.code == "database_newer"
    assert digest(path) == before
    assert backups.kept(tmp_path) == []


@pytest.mark.proves("D-02")
@pytest.mark.parametrize("broken", ["CREATE TABLE b (id TEXT) STRICT;\nSELECT no_such();\n", "x"])
def test_a_migration_that_fails_half_way_leaves_nothing(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    ground.close()
    before = names(ground.path)
    with_another(monkeypatch, SECOND + broken)
    with pytest.raises(Broken) as failed:
        migrate.migrate(ground.path, tmp_path, NOW)
    assert failed.value.code == "migration_failed"
    assert names(ground.path) == before
    assert migrate.version_of(ground.path) == HERE


KILLED = """
import os, signal, sqlite3, sys
from datetime import UTC, datetime
from pathlib import Path
from roundtable_desktop.store import migrate

left = int(sys.argv[2])
def allow(*words):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return sqlite3.SQLITE_OK

connect = sqlite3.connect
def watched(*words, **options):
    connection = connect(*words, **options)
    connection.set_authorizer(allow)
    return connection

sqlite3.connect = watched
path = Path(sys.argv[1])
migrate.migrate(path, path.parent, datetime.now(UTC))
"""


@pytest.mark.slow
@pytest.mark.proves("D-02")
def test_a_kill_while_a_database_is_made_spoils_no_later_start(tmp_path: Path) -> None:
    """Killed at a statement's preparation, from the first on; the next start makes it anew."""
    for point in (0, 1, 2, 3, 5, 10, 50, 200, 400, 800):
        folder = tmp_path / str(point)
        folder.mkdir()
        path = folder / "a.db"
        words = [sys.executable, "-c", KILLED, str(path), str(point)]
        killed = subprocess.run(words, timeout=30, capture_output=True, text=True)
        assert killed.returncode in (0, -signal.SIGKILL), killed.stderr
        migrate.migrate(path, folder, NOW)
        assert migrate.version_of(path) == HERE
        assert not list(folder.glob("*.new*"))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "database_empty"),
        (b"a letter\n" * 999, "database_unreadable"),
        (None, "database_foreign"),
    ],
)
def test_what_is_no_database_of_ours_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes | None, code: str
) -> None:
    path = tmp_path / "a.db"
    if content is None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE recipes (id)")
            connection.commit()
    else:
        path.write_bytes(content)
    before = digest(path)
    with pytest.raises(Broken) as refused:
        migrate.migrate(path, tmp_path, NOW)
    assert refused.value.code == code
    assert digest(path) == before


def test_a_backup_is_whole_although_somebody_writes(tmp_path: Path, ground: Ground) -> None:
    ground.workspace()
    target = tmp_path / "copy.db"
    with ground.store.transaction() as tx:
        tx.sql("SELECT 1")
        backups.back_up(ground.path, target)
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM workspaces").fetchone() == (1,)
    shutil.copy(target, tmp_path / "again.db")
    assert migrate.version_of(tmp_path / "again.db") == HERE


@pytest.mark.proves("D-02")
@pytest.mark.parametrize("number", FROZEN)
def test_a_migration_that_somebody_has_is_never_changed(number: int) -> None:
    text = dict(migrate.migrations())[number]
    assert hashlib.sha256(text.encode()).hexdigest() == FROZEN[number]


@pytest.mark.proves("D-02")
@pytest.mark.parametrize("number", range(1, HERE))
def test_every_schema_of_before_becomes_this_one(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    old = tmp_path / "old.db"
    known = migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: known[:number])
        patch.setattr(migrate, "_views", lambda: iter(("CREATE VIEW v_tasks AS SELECT 1;",)))
        migrate.migrate(old, tmp_path, NOW)
    assert migrate.migrate(old, tmp_path, NOW) == list(range(number + 1, HERE + 1))
    assert names(old) == names(ground.path)


@pytest.mark.proves("C-50", "K-37", "F-10")
def test_an_older_homes_rows_get_what_the_sweep_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task counts its wakes from its last assignment, one without from its birth."""
    old, known = tmp_path / "old.db", migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: known[:1])
        patch.setattr(migrate, "_views", lambda: iter(()))
        migrate.migrate(old, tmp_path, NOW)
    with closing(sqlite3.connect(old)) as db, db:
        db.execute(
            "INSERT INTO workspaces (id, number, name, path, git_dir, base_branch, timezone,"
            " delivery, author_name, author_email, created_at, updated_at)"
            " VALUES ('w', 1, 'w', '/w', '/w/.git', 'main', 'UTC', 'approval', 'a', 'b', 1, 1)"
        )
        for number, task in enumerate(("assigned", "never"), 1):
            db.execute(
                "INSERT INTO tasks (id, workspace_id, number, title, status, base_branch, delivery,"
                " created_at, updated_at) VALUES (?, 'w', ?, 't', 'todo', 'main', 'auto', 5, 5)",
                (task, number),
            )
        for at in (7, 9):
            db.execute(
                "INSERT INTO events (at, kind, actor_type, actor_id, subject_type, subject_id)"
                " VALUES (?, 'task.assigned', 'person', 'p', 'task', 'assigned')",
                (at,),
            )
    migrate.migrate(old, tmp_path, NOW)
    with closing(sqlite3.connect(old)) as db:
        tasks = dict(db.execute("SELECT id, afresh_at FROM tasks").fetchall())
        hours = db.execute("SELECT recovery_lookback_hours FROM workspaces").fetchall()
    assert tasks == {"assigned": 9, "never": 5} and hours == [(24,)]


OLD_AGENT = """
INSERT INTO agents (id, workspace_id, name, role, adapter, command, status, created_at, updated_at)
VALUES (?, 'w', ?, ?, 'demo', '[]', 'active', 1, 1)
"""


@pytest.mark.proves("K-27", "D-02")
def test_agents_of_before_are_skipped_when_idle_as_their_role_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, known = tmp_path / "old.db", migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: known[:1])
        patch.setattr(migrate, "_views", lambda: iter(()))
        migrate.migrate(old, tmp_path, NOW)
    roles = ("coordinator", "worker", "specialist", "assistant", "reviewer")
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        for role in roles:
            connection.execute(OLD_AGENT, (role, role, role))
    migrate.migrate(old, tmp_path, NOW)
    with closing(sqlite3.connect(old)) as connection:
        found = connection.execute("SELECT role FROM agents WHERE skip_idle_wakeups = 1")
        assert {row[0] for row in found} == set(roles) - {"coordinator"}


def test_rows_of_before_the_graph_stay_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, known = tmp_path / "old.db", migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: known[:1])
        patch.setattr(migrate, "_views", lambda: iter(()))
        migrate.migrate(old, tmp_path, NOW)
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute(
            "INSERT INTO workspaces VALUES ('w', 1, 'w', '/w', '/w/.git', 'main', 'UTC',"
            " 'approval', 'Joan', 'joan@example.org', '{}', 1, 1, 1, 1)"
        )
        connection.execute(
            "INSERT INTO tasks (id, workspace_id, number, title, status, base_branch, delivery,"
            " created_at, updated_at) VALUES ('t', 'w', 1, 'Old', 'todo', 'main', 'auto', 1, 1)"
        )
        item = ("i", "w", "permission", "attention", "k", "run", "r", "open", '{"a": 1}')
        item = (*item, None, 2, 3, None, 4)
        marks = ", ".join("?" * len(item))
        connection.execute(f"INSERT INTO inbox_items VALUES ({marks})", item)
    migrate.migrate(old, tmp_path, NOW)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT requires_approval FROM tasks").fetchall() == [(0,)]
        assert connection.execute("SELECT * FROM inbox_items").fetchall() == [item]


def test_a_table_under_a_readers_view_can_be_made_anew(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.close()
    anew = "CREATE TABLE n (id TEXT) STRICT; DROP TABLE settings; ALTER TABLE n RENAME TO settings;"
    with_another(monkeypatch, anew)
    assert migrate.migrate(ground.path, tmp_path, NOW) == [HERE + 1]

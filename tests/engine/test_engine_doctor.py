"""What the doctor says of a file that a start would not open as it is, and of a port."""

import os
import re
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ground import NOW, StandingClock

from roundtable_desktop import offline
from roundtable_desktop.adapters.home import Home
from roundtable_desktop.phrases.doctor import CURES, DOCTOR
from roundtable_desktop.store import migrate, settings
from roundtable_desktop.store.db import Store

BACKUP = "backups/roundtable-20260301T120000Z-v0009.db"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home


def looked(home: Home, check: str = "database") -> dict[str, Any]:
    seen = {one["check"]: one for one in offline.doctor(home, fix=False)["items"]}
    assert all(one["cure"] is None or "{" not in one["cure"] for one in seen.values())
    return seen[check]


def _gone(file: Path) -> None:
    file.unlink()


def _empty(file: Path) -> None:
    os.truncate(file, 0)


def _letter(file: Path) -> None:
    file.write_text("Dear Joan\n")


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE recipes (id)")


@pytest.mark.proves("N-22", "F-21")
@pytest.mark.parametrize(
    ("harm", "lost", "mendable"),
    [
        (_gone, "doctor_no_database", "database_gone"),
        (_empty, "database_empty_lost", "doctor_empty"),
        (_letter, "database_unreadable_lost", "doctor_unreadable"),
        (_cut, "database_damaged_lost", "doctor_damaged"),
        (_foreign, "database_foreign", "database_foreign"),
    ],
)
def test_a_harmed_file_is_named_with_what_the_next_start_does(
    home: Home, harm: Callable[[Path], None], lost: str, mendable: str
) -> None:
    migrate.migrate(home.database, home.backups, NOW)
    harm(home.database)
    before = home.database.read_bytes() if home.database.exists() else None
    seen = looked(home)
    assert (seen["code"], seen["state"]) == (lost, "ok" if harm is _gone else "critical")
    migrate.migrate(home.root / BACKUP, home.backups, NOW)
    seen = looked(home)
    assert (seen["code"], seen["state"]) == (mendable, "critical")
    if mendable.startswith("doctor_"):
        assert seen["sentence"].endswith(BACKUP) and "goes on from that backup" in seen["cure"]
    assert before == (home.database.read_bytes() if home.database.exists() else None)


@pytest.mark.proves("N-22")
def test_a_port_that_another_program_has_is_a_finding_before_the_start(home: Home) -> None:
    migrate.migrate(home.database, home.backups, NOW)
    with socket.create_server(("127.0.0.1", 0)) as taken, closing(_store(home)) as store:
        port = taken.getsockname()[1]
        with store.transaction() as tx:
            settings.put_home(tx, port=port)
        seen = looked(home, "port")
        assert (seen["code"], seen["state"]) == ("doctor_port_taken", "notice")
        assert str(port) in seen["sentence"] and "--port" in seen["cure"]
    assert looked(home, "port")["code"] == "doctor_port"


def _store(home: Home) -> Store:
    return Store(home.database, StandingClock())


@pytest.mark.proves("N-22")
def test_each_finding_that_is_no_good_news_has_its_cure() -> None:
    source = Path(offline.__file__).parent
    rooms = [source / "offline.py", *(source / "engine" / "desk").glob("doctor*.py")]
    text = "".join(room.read_text() for room in rooms)
    told = set(re.findall(r"(?:NOTICE|CRITICAL|low)[^()]*?\"(doctor_\w+)\"", text))
    assert len(told) > 12 and told <= set(DOCTOR)
    mended = {f"doctor_{why}" for why in ("damaged", "unreadable", "empty")}
    assert told | mended <= set(CURES), (told | mended) - set(CURES)
    assert set(CURES) <= set(DOCTOR)

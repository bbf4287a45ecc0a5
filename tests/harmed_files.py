"""A home's database file: opened as a start does, harmed, and looked into."""

import hashlib
import random
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from ground import NOW

from roundtable_desktop.store import opening

LATER = NOW + timedelta(hours=30)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ready(path: Path) -> opening.Opened:
    return opening.make_ready(path, path.parent / "backups", LATER, lambda: 0.0)


def tasks(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(db.execute("SELECT count(*) FROM tasks").fetchone()[0])


def smash(path: Path, at: int, size: int = 100) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(random.Random(at).randbytes(size))


def root_page(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        found = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,), (size,) = (
            db.execute(found, (table,)).fetchone(),
            db.execute("PRAGMA page_size").fetchone(),
        )
    return int((page - 1) * size)

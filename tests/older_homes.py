"""Databases of older versions with a row in every table, made by the migrations of then."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ground import NOW

from roundtable_desktop.store import migrate

HERE = len(migrate.migrations())


def empty(path: Path, number: int, patch: pytest.MonkeyPatch) -> None:
    """As the version with that many migrations made it."""
    known = migrate.migrations()
    with patch.context() as then:
        then.setattr(migrate, "migrations", lambda: known[:number])
        then.setattr(migrate, "_views", lambda: iter(()))
        migrate.migrate(path, path.parent, NOW)


def make(path: Path, number: int, patch: pytest.MonkeyPatch) -> None:
    """The same, with two rows in each table."""
    empty(path, number, patch)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA foreign_keys = off")
        for table in tables(db):
            fill(db, table, 2)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def tables(db: sqlite3.Connection) -> list[str]:
    text = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return [name for (name,) in db.execute(text)]


def fill(db: sqlite3.Connection, table: str, count: int) -> None:
    """Row n of each table names row n of the others, so that every reference holds."""
    columns = db.execute(f"PRAGMA table_info({table})").fetchall()
    checks = _choices(db, table)
    refers = {row[3]: row[2] for row in db.execute(f"PRAGMA foreign_key_list({table})")}
    names = ", ".join(column[1] for column in columns)
    marks = ", ".join("?" * len(columns))
    rows = (
        [_value(column, number, checks, refers) for column in columns]
        for number in range(1, count + 1)
    )
    db.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", rows)


def _value(column: Any, number: int, checks: dict[str, str], refers: dict[str, str]) -> Any:
    _, name, kind, _, default, _ = column
    if name in checks:
        return checks[name]
    if name == "command":
        return '["tool"]'
    if name in refers:  # one of the two that make() puts there
        number = (number - 1) % 2 + 1
    if name in refers or name == "id":
        return number if kind == "INTEGER" else f"r{number:07d}"
    if name == "rank":
        return 1
    if kind == "INTEGER":
        return number
    if default is not None and default.strip("'") in ("{}", "[]"):
        return default.strip("'")
    return f"{name}-{number}"


def _choices(db: sqlite3.Connection, table: str) -> dict[str, str]:
    """The first word of each column that takes only some."""

    (text,) = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return dict(re.findall(r"(\w+) IN \(\s*'([^']+)'", text))

"""Brings a database file to this version's tables, after a backup; refuses what is unknown."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups
from roundtable_desktop.store.fields import InstantField
from roundtable_desktop.store.soundness import (
    READ_ERRORS,
    is_damage,
    is_no_database,
    read_only,
    unable,
)
from roundtable_desktop.store.tables import TABLES

Say = Callable[[str, Mapping[str, object]], None]
"""Hears the code and the values of a sentence, while somebody waits."""


def quietly(code: str, values: Mapping[str, object]) -> None:
    """Where nobody waits."""


def migrations() -> list[tuple[int, str]]:
    """(number, SQL) of every migration in order; numbers have no gap and begin with 1."""
    folder = files("roundtable_desktop.store") / "migrations"
    named = [(re.match(r"(\d{4})_\w+\.sql$", item.name), item) for item in folder.iterdir()]
    found = sorted((int(match[1]), item.read_text("utf-8")) for match, item in named if match)
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    return found


def version_of(path: Path, *, alone: bool = False) -> int:
    """The file's schema number, read without writing a byte; 0 when there is no file yet.
    alone: as it is without the log beside it.

    Raises Broken for a file that is no database of ours (F-21), and for a damaged one.
    """
    if not path.exists():
        return 0
    if path.stat().st_size == 0:
        raise Broken("database_empty", path=str(path), backups="backups/")
    try:
        with closing(read_only(path, alone=alone)) as connection:
            number: int = connection.execute("PRAGMA user_version").fetchone()[0]
            known = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'agent_wakeup_requests'"
            ).fetchone()[0]
    except READ_ERRORS as error:
        if not is_damage(error):
            raise unable(error) from None
        code = "database_unreadable" if is_no_database(error) else "database_damaged"
        raise Broken(code, path=str(path), text=str(error), backups="backups/") from None
    if not known:
        raise Broken("database_foreign", path=str(path))
    if number < 1:  # never written by us: beginning anew would write over what is there
        text = f"user_version is {number}"
        raise Broken("database_damaged", path=str(path), text=text, backups="backups/")
    return number


def has_its_tables(path: Path, number: int) -> bool:
    """Whether all tables and columns of that version are there, and are tables."""
    with closing(sqlite3.connect(":memory:")) as made, closing(read_only(path)) as given:
        for _, text in migrations()[:number]:
            made.executescript(text)
        there = _columns(given)
        return all(columns <= there.get(name, set()) for name, columns in _columns(made).items())


def _columns(connection: sqlite3.Connection) -> dict[str, set[str]]:
    text = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    asked = "SELECT name FROM pragma_table_xinfo(?)"
    names = [name for (name,) in connection.execute(text)]
    return {name: {row[0] for row in connection.execute(asked, (name,))} for name in names}


def migrate(path: Path, folder: Path, at: datetime, say: Say = quietly) -> list[int]:
    """The numbers that were applied, each in one transaction of its own (D-02). say: hears of the
    backup and of each step, for a large file takes a minute.

    A higher number than ours is refused and the file is left untouched. folder: of the backups,
    one of which is made before the first step of a file that is there.
    """
    here = version_of(path)
    known = migrations()
    if here > len(known):
        raise Broken("database_newer", found=here, known=len(known))
    pending = [(number, text) for number, text in known if number > here]
    if pending and here:
        megabytes = f"{path.stat().st_size / (1 << 20):,.1f}"
        say("upgrade_begins", {"found": here, "known": len(known), "megabytes": megabytes})
        backups.keep(path, folder, at, here)
    if here:
        _apply_all(path, pending, say)
    else:
        _make(path, pending)
    return [number for number, _ in pending]


def _make(path: Path, pending: list[tuple[int, str]]) -> None:
    """A new database appears whole: a kill on the way leaves none that would be refused later."""
    unfinished = path.with_name(path.name + ".new")
    for ending in ("", "-wal", "-shm"):
        unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)
    _apply_all(unfinished, pending, quietly)
    unfinished.rename(path)


def _apply_all(path: Path, pending: list[tuple[int, str]], say: Say) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA synchronous = full")
        for number, text in pending:
            say("upgrade_step", {"number": number, "known": pending[-1][0]})
            _apply(connection, number, text)


def _apply(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Readers' views go first, so that a table under one can be made anew; the last migration
    makes them for the tables as they are then."""
    views = "".join(_views()) if number == len(migrations()) else ""
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{_without_views(connection)}{text}\n{views}"
            f"PRAGMA user_version = {number};\nCOMMIT;"
        )
    except sqlite3.DatabaseError as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise Broken("migration_failed", number=number, text=str(error)) from error


def _without_views(connection: sqlite3.Connection) -> str:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
    return "".join(f"DROP VIEW {name};\n" for (name,) in rows if name.startswith("v_"))


def _views() -> Iterator[str]:
    """`v_<table>` with instants as RFC 3339, for people who open the file themselves (N-22)."""
    for table in TABLES:
        name = table._meta.table_name
        columns = ", ".join(
            f"strftime('%Y-%m-%dT%H:%M:%fZ', {field.column_name} / 1e6, 'unixepoch') "
            f"AS {field.column_name}"
            if isinstance(field, InstantField)
            else field.column_name
            for field in table._meta.sorted_fields
        )
        yield f"CREATE VIEW v_{name} AS SELECT {columns} FROM {name};\n"

"""Looks through a database file for damage, without writing a byte of it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from roundtable_desktop.model.errors import Broken, Busy

_STEPS = 20_000
"""Of SQLite's machine between two looks at the time: some milliseconds."""
READ_ERRORS = (sqlite3.DatabaseError, UnicodeError)
"""SQLite's words about a damaged schema quote it, and are no text then."""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def read_only(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    """alone: the main file as it lies there, without the log beside it."""
    return sqlite3.connect(f"{path.as_uri()}?{'immutable=1' if alone else 'mode=ro'}", uri=True)


def faults(
    path: Path,
    *,
    alone: bool = False,
    table: str | None = None,
    may_go_on: Callable[[], bool] | None = None,
) -> str | None:
    """What SQLite's integrity check says first, of everything or of one table with its indexes.
    None when it finds nothing, or had no time to.

    Raises Busy and Broken when the file cannot be read just now, which is no damage.
    """
    try:
        with closing(read_only(path, alone=alone)) as connection:
            if may_go_on is not None:
                connection.set_progress_handler(lambda: not may_go_on(), _STEPS)
            asked = f"PRAGMA integrity_check({table or 1})"
            return _said(connection.execute(asked).fetchone()[0])
    except READ_ERRORS as error:
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            return None
        if is_damage(error):
            return str(error)
        raise unable(error) from error


def unable(error: Exception) -> Busy | Broken:
    if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy("database_busy")
    return Broken("database_fault", text=str(error))


def is_damage(error: Exception) -> bool:
    text = isinstance(error, UnicodeError) or "unsupported file format" in str(error)
    return text or _code(error) in _DAMAGE


def is_no_database(error: Exception) -> bool:
    return _code(error) == sqlite3.SQLITE_NOTADB


def _said(row: str) -> str | None:
    """One line of it: it stands in sentences."""
    words = " ".join(row.replace("*** in database main ***", "").split())
    return None if words == "ok" else words


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF

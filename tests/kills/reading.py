"""The database of a home, read as a file by none of the product's code."""

import sqlite3
from pathlib import Path
from typing import Any


class Rows:
    """Read only; living owners and dead ones leave it readable."""

    def __init__(self, home: Path) -> None:
        self._connection = sqlite3.connect(f"file:{home / 'roundtable.db'}?mode=ro", uri=True)
        self._connection.row_factory = sqlite3.Row

    def all(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> Any:
        """The first value of the first row; None when there is no row yet."""
        row = self._connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def close(self) -> None:
        self._connection.close()

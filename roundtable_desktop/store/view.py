"""What can be asked of one state of the database: peewee queries and SQL text, read as records."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import peewee as pw

from roundtable_desktop.store.fields import converted, is_whole

R = TypeVar("R")
Row = Mapping[str, Any]

KEPT = 512
"""Rows that are kept as records, of at most LARGE characters each."""
LARGE = 16_384


@lru_cache(KEPT)
def _kept(record: Callable[..., R], table: Any, names: Sequence[str], row: Sequence[Any]) -> R:
    """By every value that the row has: a record is a frozen value, and says what they say."""
    return record(**converted(table, names, row))


def _is_large(row: Sequence[Any]) -> bool:
    return sum([len(one) for one in row if type(one) is str]) > LARGE


class View:
    """What can be asked: peewee queries as records, or SQL text as rows of names."""

    keeps = False
    """Whether what is read is often the same: a page that renews itself asks for the same rows, and
    to read their JSON is most of its work."""
    stands: str | None = None
    """Why the owner takes nothing up now, where no row tells it: a code."""

    def __init__(self, db: pw.SqliteDatabase) -> None:
        self.db = db

    def all(self, record: Callable[..., R], query: Any) -> list[R]:
        if not is_whole(query):
            return [record(**row) for row in query.dicts().execute(self.db)]
        text, values = self.db.get_sql_context().sql(query).query()
        return self.records(record, query.model, text, values)

    def records(self, record: Callable[..., R], table: Any, text: str, values: Any = ()) -> list[R]:
        """Whole rows of one table."""
        cursor = self.db.execute_sql(text, values)
        names = tuple(column[0] for column in cursor.description)
        if not self.keeps:
            return [record(**converted(table, names, row)) for row in cursor.fetchall()]
        return [
            record(**converted(table, names, row))
            if _is_large(row)
            else _kept(record, table, names, row)
            for row in cursor.fetchall()
        ]

    def one(self, record: Callable[..., R], query: Any) -> R | None:
        return next(iter(self.all(record, query.limit(1))), None)

    def value(self, query: Any) -> Any:
        """The only column of the first row, or None."""
        row = next(iter(query.tuples().execute(self.db)), None)
        return None if row is None else row[0]

    def sql(self, text: str, values: Row | tuple[Any, ...] = ()) -> list[Row]:
        cursor = self.db.execute_sql(text, values)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

"""Rows as records, by SQL text and not by peewee: most of what is asked for is a row."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from roundtable_desktop.store.db import View
from roundtable_desktop.store.fields import Table, converted

R = TypeVar("R")


def read(record: Callable[..., R], table: type[Table], row: Mapping[str, Any]) -> R:
    """A row of SQL text as a record; what the text gives besides its columns is passed over."""
    names = table._meta.sorted_field_names
    return record(**converted(table, names, [row[name] for name in names]))


def by_id(view: View, record: Callable[..., R], table: type[Table], id: str) -> R | None:
    rows = view.records(
        record, table, f"SELECT * FROM {table._meta.table_name} WHERE id = ?", (id,)
    )
    return rows[0] if rows else None


def by_ids(
    view: View, record: Callable[..., R], table: type[Table], ids: Iterable[str | None]
) -> dict[str, R]:
    """Those of them that are there, by their ids, in one statement."""
    wanted = sorted({one for one in ids if one is not None})
    if not wanted:
        return {}
    text = f"SELECT * FROM {table._meta.table_name} WHERE id IN (SELECT value FROM json_each(?))"
    found: list[Any] = list(view.records(record, table, text, (json.dumps(wanted),)))
    return {one.id: one for one in found}

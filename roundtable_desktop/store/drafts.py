"""A routine as somebody would have it: its rows as they would be stored, for a copy to be played
with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.store import routines
from roundtable_desktop.store.db import Tx, View


@dataclass(frozen=True, slots=True)
class Rows:
    """By the names of their columns; numbers and text, as SQLite gives them."""

    routine: Mapping[str, Any]
    triggers: Sequence[Mapping[str, Any]]


def read(view: View, routine_id: str) -> Rows:
    own = view.sql("SELECT * FROM office_routines WHERE id = ?", (routine_id,))
    sql = "SELECT * FROM office_routine_triggers WHERE routine_id = ? ORDER BY id"
    return Rows(dict(own[0]), [dict(row) for row in view.sql(sql, (routine_id,))])


def put(tx: Tx, rows: Rows) -> None:
    """In place of what is there of that routine."""
    _put(tx, "office_routines", rows.routine)
    routine_id, wanted = str(rows.routine["id"]), {str(row["id"]) for row in rows.triggers}
    there = routines.triggers_of(tx, [routine_id])[routine_id]
    routines.drop_triggers(tx, [one.id for one in there if one.id not in wanted])
    for row in rows.triggers:
        _put(tx, "office_routine_triggers", row)


def _put(tx: Tx, table: str, row: Mapping[str, Any]) -> None:
    """row: its columns are those of the table; only its values come from outside."""
    names = list(row)
    changed = ", ".join(f"{name} = excluded.{name}" for name in names if name != "id")
    values = ", ".join(f":{name}" for name in names)
    tx.write_sql(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"
        f" ON CONFLICT (id) DO UPDATE SET {changed}",
        dict(row),
    )

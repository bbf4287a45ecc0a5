"""The hours in which this program was awake, so that it can tell what it sleeps through (N-20)."""

from datetime import datetime, timedelta

from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store.db import Tx, View

KEPT = timedelta(days=60)


def note(tx: Tx, hour: datetime) -> None:
    """hour: its beginning. What is older than KEPT goes."""
    tx.write_sql("INSERT OR IGNORE INTO awake_hours (hour_at) VALUES (?)", (micros(hour),))
    tx.write_sql("DELETE FROM awake_hours WHERE hour_at < ?", (micros(hour - KEPT),))


def since(view: View, begin: datetime) -> frozenset[datetime]:
    """Those from `begin` on, by their beginnings."""
    rows = view.sql("SELECT hour_at FROM awake_hours WHERE hour_at >= ?", (micros(begin),))
    return frozenset(instant(row["hour_at"]) for row in rows)


def first(view: View) -> datetime | None:
    """Before it nobody knows."""
    found = view.sql("SELECT min(hour_at) AS hour FROM awake_hours")[0]["hour"]
    return None if found is None else instant(found)


def forget(tx: Tx) -> None:
    """They tell of another machine, or leave out what a backup did not know."""
    tx.write_sql("DELETE FROM awake_hours", ())

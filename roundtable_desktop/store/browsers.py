"""Signed-in browsers: only the hash of what the cookie holds (S-23)."""

from datetime import datetime, timedelta

from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import WebSessions

LONGEST = timedelta(days=30)


def add(tx: Tx, session: WebSession) -> None:
    """Those that are too old to count are dropped on this occasion."""
    tx.write(WebSessions.delete().where(WebSessions.created_at < session.created_at - LONGEST))
    tx.write(
        WebSessions.insert(
            id_hash=session.id_hash, created_at=session.created_at, seen_at=session.seen_at
        )
    )


def drop_old(tx: Tx, most: int) -> int:
    """Those that have not counted for long are few: all at once."""
    return tx.write(WebSessions.delete().where(WebSessions.created_at < tx.now - LONGEST))


def find(view: View, id_hash: str) -> WebSession | None:
    text = "SELECT * FROM web_sessions WHERE id_hash = ?"
    return next(iter(view.records(WebSession, WebSessions, text, (id_hash,))), None)


def touch(tx: Tx, id_hash: str, seen_at: datetime) -> None:
    tx.write(WebSessions.update(seen_at=seen_at).where(WebSessions.id_hash == id_hash))


def remove(tx: Tx, id_hash: str) -> None:
    tx.write(WebSessions.delete().where(WebSessions.id_hash == id_hash))


def remove_all(tx: Tx) -> None:
    tx.write(WebSessions.delete())

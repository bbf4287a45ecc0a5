"""Signed-in browsers, as the sign-in wants them kept (S-23)."""

from contextlib import suppress
from datetime import datetime

from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import PERSON, Subject
from roundtable_desktop.store import browsers, journal
from roundtable_desktop.store.db import Reader, Store


class Browsers:
    """Each call is one short transaction of its own."""

    def __init__(self, store: Store, reader: Reader) -> None:
        self._store = store
        self._reader = reader

    def create(self, session: WebSession) -> None:
        with self._store.transaction() as tx:
            browsers.add(tx, session)
            subject = Subject("browser", session.id_hash[:12])
            journal.tell(tx, Kind.SIGNED_IN, subject, workspace_id=None, actor=PERSON)

    def find(self, id_hash: str) -> WebSession | None:
        with self._reader.snapshot() as view:
            return browsers.find(view, id_hash)

    def touch(self, id_hash: str, seen_at: datetime) -> None:
        """Of use later only: a page is shown though nothing can be written."""
        if self._store.trouble is None:
            with suppress(Refused), self._store.transaction() as tx:
                browsers.touch(tx, id_hash, seen_at)

    def revoke(self, id_hash: str) -> None:
        with self._store.transaction() as tx:
            browsers.remove(tx, id_hash)
            tx.nudge("sessions")

    def revoke_all(self) -> None:
        with self._store.transaction() as tx:
            browsers.remove_all(tx)
            tx.nudge("sessions")

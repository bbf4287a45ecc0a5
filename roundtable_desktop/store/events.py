"""Reading the feed: everything that watches asks for events after its last id (law 9)."""

from datetime import datetime

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Subject
from roundtable_desktop.store.db import View
from roundtable_desktop.store.tables import Events


def after(view: View, event_id: int, limit: int, workspace_id: str | None = None) -> list[Event]:
    """Oldest first, without a gap."""
    query = Events.select().where(Events.id > event_id)
    if workspace_id is not None:
        query = query.where(Events.workspace_id == workspace_id)
    return view.all(Event, query.order_by(Events.id).limit(limit))


def of(view: View, subject: Subject, limit: int = 200) -> list[Event]:
    """Oldest first; the last `limit` ones."""
    newest = view.all(
        Event,
        Events.select()
        .where((Events.subject_type == subject.type) & (Events.subject_id == subject.id))
        .order_by(Events.id.desc())
        .limit(limit),
    )
    return newest[::-1]


def last_id(view: View) -> int:
    """0 when nothing happened yet."""
    newest: int | None = view.value(Events.select(Events.id).order_by(Events.id.desc()))
    return newest or 0


def count(view: View, after: int, kind: Kind) -> int:
    """How often it happened since the event `after`."""
    since = (Events.id > after) & (Events.kind == kind)
    found: int = view.value(Events.select(pw.fn.COUNT(Events.id)).where(since))
    return found


def newest(view: View, kind: Kind) -> Event | None:
    return view.one(Event, Events.select().where(Events.kind == kind).order_by(Events.id.desc()))


def last_instant(view: View) -> datetime | None:
    """The stamp of the newest event; times go on from there after a restart."""
    newest: datetime | None = view.value(Events.select(Events.at).order_by(Events.id.desc()))
    return newest

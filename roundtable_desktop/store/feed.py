"""The feed backwards, for people: what happened, newest first, as somebody looks for it."""

from typing import Any

from roundtable_desktop.model.feed import Piece, Sought
from roundtable_desktop.model.records import Event
from roundtable_desktop.store import events
from roundtable_desktop.store.db import View
from roundtable_desktop.store.tables import Events

SPAN = 50_000
"""Events that one look goes through at most, so that a rare thing is not looked for through years
of them while a page waits; it goes on from there."""


def before(view: View, event_id: int | None, limit: int, sought: Sought) -> Piece[Event]:
    """At most `limit` of those before that event, or of all; newest first."""
    top = events.last_id(view) + 1 if event_id is None else event_id
    bottom = top - SPAN
    here = (Events.id < top) & (Events.id >= bottom)
    found = _read(view, here, limit + 1, sought)
    if len(found) > limit:
        return Piece(found[:limit], found[limit - 1].id)
    return Piece(found, bottom if bottom > 1 else None)


def since(view: View, event_id: int, limit: int, sought: Sought) -> list[Event]:
    """The newest of those after that event, newest first."""
    return _read(view, Events.id > event_id, limit, sought)


def _read(view: View, here: Any, limit: int, sought: Sought) -> list[Event]:
    query = Events.select().where(here)
    if sought.kinds:
        query = query.where(Events.kind.in_(list(sought.kinds)))
    for name in ("actor_type", "actor_id", "workspace_id", "subject_type", "subject_id"):
        if (wanted := getattr(sought, name)) is not None:
            query = query.where(getattr(Events, name) == wanted)
    return view.all(Event, query.order_by(Events.id.desc()).limit(limit))

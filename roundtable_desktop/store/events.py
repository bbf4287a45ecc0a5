"""Reading the feed: everything that watches asks for events after its last id (law 9)."""

import json
from collections.abc import Sequence
from datetime import datetime

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Run, Subject
from roundtable_desktop.store.db import Row, View
from roundtable_desktop.store.tables import Events

QUEUE_KEEPING = (
    Kind.WAKEUP_QUEUED,
    Kind.WAKEUP_COALESCED,
    Kind.WAKEUP_CLAIMED,
    Kind.WAKEUP_REQUEUED,
    Kind.WAKEUP_SETTLED,
    Kind.WAKEUP_IDLE_SKIPPED,
    Kind.ROUTINE_FIRED,
    Kind.FIRING_ENDED,
)
"""What the scheduler tells of its own work; it would wake itself for ever. The index
`events_asked` leaves them out and says so in the same words, in the same order."""

_AFTER = "SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?"
_SINCE = f"""
SELECT 1 FROM events INDEXED BY events_asked
WHERE workspace_id = :workspace_id AND id > (
    SELECT coalesce(max(id), 0) FROM events
    WHERE subject_type = 'run' AND subject_id = :run_id AND kind = '{Kind.RUN_STARTING}'
)
AND kind NOT IN ({", ".join(f"'{kind}'" for kind in QUEUE_KEEPING)})
AND NOT (subject_type = 'run' AND subject_id = :run_id)
AND NOT (actor_type = 'agent' AND actor_id = :agent_id)
LIMIT 1
"""

_SILENCE = f"""
SELECT kind FROM events
WHERE subject_type = 'run' AND subject_id = :run_id
AND kind IN ('{Kind.AGENT_SILENT}', '{Kind.AGENT_HEARD}') ORDER BY id DESC LIMIT 1
"""


_TOLD = """
SELECT id, kind, json_extract(data, '$.message') AS message, json_extract(data, '$.do') AS does,
    json_extract(data, '$.refused') AS refused, json_extract(data, '$.comment_id') AS comment_id
FROM events
WHERE subject_type = 'run' AND subject_id = :run_id
AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY id
"""


def after(
    view: View,
    event_id: int,
    limit: int,
    workspace_id: str | None = None,
    kinds: Sequence[str] = (),
) -> list[Event]:
    """Oldest first, without a gap; of these kinds, if any. By SQL text where nothing is chosen:
    whoever follows asks for that at every change."""
    if workspace_id is None and not kinds:
        return view.records(Event, Events, _AFTER, (event_id, limit))
    query = Events.select().where(Events.id > event_id)
    if workspace_id is not None:
        query = query.where(Events.workspace_id == workspace_id)
    if kinds:
        query = query.where(Events.kind.in_(list(kinds)))
    return view.all(Event, query.order_by(Events.id).limit(limit))


def of_one(view: View, subject: Subject, event_id: int, limit: int) -> list[Event]:
    """Of one thing, oldest first and without a gap."""
    here = (Events.subject_type == subject.type) & (Events.subject_id == subject.id)
    found = Events.select().where(here & (Events.id > event_id))
    return view.all(Event, found.order_by(Events.id).limit(limit))


def of(
    view: View,
    subject: Subject,
    limit: int = 200,
    but: Sequence[Kind] = (),
    only: Sequence[Kind] = (),
) -> list[Event]:
    """Oldest first; the last `limit` ones, of other kinds than `but` and, if any, of `only`."""
    here = (Events.subject_type == subject.type) & (Events.subject_id == subject.id)
    if but:
        here &= Events.kind.not_in(list(but))
    if only:
        here &= Events.kind.in_(list(only))
    found = Events.select().where(here).order_by(Events.id.desc()).limit(limit)
    return view.all(Event, found)[::-1]


def newest_of(view: View, subject: Subject, kind: Kind) -> Event | None:
    here = (Events.subject_type == subject.type) & (Events.subject_id == subject.id)
    found = Events.select().where(here & (Events.kind == kind))
    return view.one(Event, found.order_by(Events.id.desc()))


def anything_since(view: View, run: Run) -> bool:
    """Whether somebody else did something in its workspace since that run began (C-106)."""
    names = {"workspace_id": run.workspace_id, "run_id": run.id, "agent_id": run.agent_id}
    return bool(view.sql(_SINCE, names))


def told(view: View, run_id: str, *kinds: Kind) -> list[Row]:
    """What a person told that run and what became of it, oldest first, without the words: they may
    be megabytes."""
    return view.sql(_TOLD, {"run_id": run_id, "kinds": json.dumps(kinds)})


def these(view: View, ids: Sequence[int]) -> list[Event]:
    """Oldest first."""
    return view.all(Event, Events.select().where(Events.id.in_(list(ids))).order_by(Events.id))


def silent(view: View, run_ids: Sequence[str]) -> set[str]:
    """Those of the runs whose runner said last that its agent is silent."""
    found = {run_id: view.sql(_SILENCE, {"run_id": run_id}) for run_id in run_ids}
    return {one for one, rows in found.items() if rows and rows[0]["kind"] == Kind.AGENT_SILENT}


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

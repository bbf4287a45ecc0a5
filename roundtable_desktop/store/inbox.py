"""The inbox: what needs the person, once each, resolved when its cause goes."""

from collections.abc import Iterable
from datetime import datetime

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, InboxItem, Json, Subject
from roundtable_desktop.model.states import INBOX, InboxKind, InboxStatus, Severity
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import InboxItems

# By SQL text: each move of a task and each end of a run asks, and mostly there is nothing.
_OPEN_ABOUT = """
SELECT * FROM inbox_items WHERE subject_type = ? AND subject_id = ? AND status <> 'resolved'
ORDER BY id
"""
_OPEN_OF_ROUTINE = """
SELECT * FROM inbox_items
WHERE status = 'open' AND json_extract(data, '$.routine_id') = ? ORDER BY id
"""
# By workspace, as the index is; there are few of them, and mostly none is put off.
_SNOOZED = """
SELECT i.* FROM workspaces AS w CROSS JOIN inbox_items AS i INDEXED BY inbox_open
    ON i.workspace_id = w.id AND i.status = 'snoozed'
ORDER BY i.id
"""


MOST_ALSO = 100
"""Wakeups that one item stands for besides its own, the newest; all are counted."""


_UNTIL, _ACKED = "snoozed_until", "acked_at"


def get(view: View, item_id: str) -> InboxItem | None:
    return view.one(InboxItem, InboxItems.select().where(InboxItems.id == item_id))


def of_key(view: View, key: str) -> InboxItem | None:
    """Also when it is settled: what was asked under a key is not asked again."""
    return view.one(InboxItem, InboxItems.select().where(InboxItems.key == key))


def open_about(view: View, subject: Subject) -> list[InboxItem]:
    """Oldest first."""
    rows = view.sql(_OPEN_ABOUT, (subject.type, subject.id))
    return [read(InboxItem, InboxItems, row) for row in rows]


def open_of_routine(view: View, routine_id: str) -> list[InboxItem]:
    """About one of its times, oldest first; also those that are put off."""
    rows = view.sql(_OPEN_OF_ROUTINE, (routine_id,))
    put_off = [one for one in snoozed(view) if one.data.get("routine_id") == routine_id]
    found = [*put_off, *(read(InboxItem, InboxItems, row) for row in rows)]
    return sorted(found, key=lambda one: one.id)


def snoozed(view: View) -> list[InboxItem]:
    return [read(InboxItem, InboxItems, row) for row in view.sql(_SNOOZED)]


def count_open(view: View) -> int:
    """By the index of nothing else: what is settled only grows."""
    sql = "SELECT count(*) AS n FROM inbox_items INDEXED BY inbox_waiting WHERE status = 'open'"
    return int(view.sql(sql)[0]["n"])


def options(codes: Iterable[str]) -> list[Json]:
    """The answers that an item offers; the faces name them by their codes."""
    return [{"id": code, "kind": code, "name": code} for code in codes]


def open_item(
    tx: Tx,
    item_id: str,
    kind: InboxKind,
    severity: Severity,
    *,
    key: str,
    subject: Subject,
    workspace_id: str,
    data: Json,
) -> None:
    """Once per key: what is asked again is the same item."""
    opened = tx.write_sql(
        "INSERT INTO inbox_items (id, workspace_id, kind, severity, key, subject_type, subject_id,"
        " status, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)"
        " ON CONFLICT (key) DO NOTHING",
        (
            item_id,
            workspace_id,
            kind,
            severity,
            key,
            subject.type,
            subject.id,
            InboxItems.data.db_value(dict(data)),
            InboxItems.created_at.db_value(tx.now),
            InboxItems.updated_at.db_value(tx.now),
        ),
    )
    if opened:
        journal.tell(
            tx,
            Kind.INBOX_OPENED,
            Subject("inbox", item_id),
            workspace_id=workspace_id,
            data={"kind": kind, "severity": severity, subject.type: subject.id},
        )


def ask_again(tx: Tx, item: InboxItem, wakeup_id: str) -> None:
    """What it asks about has happened once more; its answer counts for that wakeup as well."""
    times, also = item.data.get("times"), item.data.get("also")
    known = [*(also if isinstance(also, list) else []), wakeup_id]
    number = (times if isinstance(times, int) else 1) + 1
    before = {name: value for name, value in item.data.items() if name != _ACKED}
    data = {**before, "times": number, "also": known[-MOST_ALSO:]}
    changed = {"data": data, "updated_at": tx.now, "revision": InboxItems.revision + 1}
    tx.write(InboxItems.update(**changed).where(InboxItems.id == item.id))
    journal.tell(
        tx,
        Kind.INBOX_ASKED_AGAIN,
        Subject("inbox", item.id),
        workspace_id=item.workspace_id,
        data={"times": number, "wakeup_id": wakeup_id},
    )


def wakeups_of(item: InboxItem) -> list[str]:
    """All that failed and that it asks about, the oldest first."""
    also = item.data.get("also")
    more = also if isinstance(also, list) else []
    return [str(item.data["wakeup_id"]), *map(str, more)]


def resolve(tx: Tx, item: InboxItem, resolution: Json, actor: Actor = SYSTEM) -> bool:
    return journal.move(
        tx,
        INBOX,
        item,
        to=InboxStatus.RESOLVED,
        kind=Kind.INBOX_RESOLVED,
        actor=actor,
        data=resolution,
        resolution=dict(resolution),
        resolved_at=tx.now,
    )


# --- put off for a while ------------------------------------------------------------------------


def put_off_until(item: InboxItem) -> datetime | None:
    until = item.data.get(_UNTIL)
    snoozed = item.status is InboxStatus.SNOOZED and isinstance(until, int)
    return instant(until) if snoozed and isinstance(until, int) else None


def asked_with(item: InboxItem) -> Json:
    """Its data as it was opened: until when it is put off, and that it was seen, is not what it
    asks."""
    return {name: value for name, value in item.data.items() if name not in (_UNTIL, _ACKED)}


def acked_at(item: InboxItem) -> datetime | None:
    at = item.data.get(_ACKED)
    return instant(at) if isinstance(at, int) else None


def acknowledge(tx: Tx, item: InboxItem, actor: Actor) -> None:
    """A person has seen it; it is not answered by that (N-12). The first time counts."""
    if acked_at(item) is not None:
        return
    data = {**item.data, _ACKED: micros(tx.now)}
    changed = {"data": data, "updated_at": tx.now, "revision": InboxItems.revision + 1}
    tx.write(InboxItems.update(**changed).where(InboxItems.id == item.id))
    about, where = Subject("inbox", item.id), item.workspace_id
    journal.tell(tx, Kind.INBOX_ACKED, about, workspace_id=where, actor=actor)


def snooze(tx: Tx, item: InboxItem, until: datetime, actor: Actor) -> None:
    """It is asked again at that time, as if it were new. Put off already, it is the time that
    changes."""
    data = {**item.data, _UNTIL: micros(until)}
    told = {"until": micros(until)}
    if item.status is InboxStatus.SNOOZED:
        changed = {"data": data, "updated_at": tx.now, "revision": InboxItems.revision + 1}
        tx.write(InboxItems.update(**changed).where(InboxItems.id == item.id))
        about, where = Subject("inbox", item.id), item.workspace_id
        kind = Kind.INBOX_SNOOZED
        journal.tell(tx, kind, about, workspace_id=where, actor=actor, data=told)
    else:
        tx.write(InboxItems.update(data=data).where(InboxItems.id == item.id))
        to, kind = InboxStatus.SNOOZED, Kind.INBOX_SNOOZED
        journal.move(tx, INBOX, item, to=to, kind=kind, actor=actor, data=told)
    tx.nudge("queue")


def open_due(tx: Tx) -> None:
    """Those whose time has come."""
    for item in snoozed(tx):
        until = put_off_until(item)
        if until is None or until <= tx.now:
            data = {"kind": item.kind, "severity": item.severity}
            to = InboxStatus.OPEN
            journal.move(tx, INBOX, item, to=to, kind=Kind.INBOX_OPENED, data=data)


def next_due(view: View) -> datetime | None:
    return min((at for one in snoozed(view) if (at := put_off_until(one))), default=None)

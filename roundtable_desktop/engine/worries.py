"""Asks a person about the home itself: its database, its backups. One item each, while it lasts."""

from collections.abc import Sequence

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import InboxItem, Json, Subject
from roundtable_desktop.model.states import InboxKind, Severity
from roundtable_desktop.store import inbox, restored
from roundtable_desktop.store.db import Tx, View

RESTORED, COPIED = "restored", "copied"
DAMAGED, NO_BACKUP = "database_damaged", "backup_failed"
SUBJECT = Subject("owner", "database")


def ask(tx: Tx, ids: Ids, why: str, known: Json, options: Sequence[str] = ()) -> None:
    """In the inbox of the first workspace; where there is none, there is nothing to lose. One that
    is open and tells of something else gives way: it may be of the state that was gone back to."""
    workspaces = restored.numbers(tx)
    before = [item for item in _open(tx) if item.data["outcome"] == why]
    if not workspaces or any(known.items() <= item.data.items() for item in before):
        return
    for item in before:
        inbox.resolve(tx, item, {"by": "cause"})
    item_id = ids.new()
    inbox.open_item(
        tx,
        item_id,
        InboxKind.DOCTOR,
        Severity.CRITICAL,
        key=f"doctor:{why}:{item_id}",
        subject=SUBJECT,
        workspace_id=workspaces[min(workspaces)],
        data={
            **known,
            "outcome": why,
            "options": inbox.options(options),
        },
    )


def is_open(view: View, why: str) -> bool:
    return any(item.data["outcome"] == why for item in _open(view))


def over(tx: Tx, why: str) -> None:
    for item in _open(tx):
        if item.data["outcome"] == why:
            inbox.resolve(tx, item, {"by": "cause"})


def _open(view: View) -> list[InboxItem]:
    return inbox.open_about(view, SUBJECT)

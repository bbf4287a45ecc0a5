"""What a database says of having been put in another one's place, and what must not come twice."""

from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.records import Json
from roundtable_desktop.model.times import instant
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.restoring import MARK
from roundtable_desktop.store.tables import Settings, WebSessions, Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """why: `asked`, `damaged`, `copied` or `older`. aside: where what was replaced lies.
    last_event: its newest."""

    why: str
    source: str
    as_of: datetime
    aside: str | None
    last_event: int | None


def mark(view: View) -> Past | None:
    """None unless nobody has looked after it yet."""
    here = (Settings.scope == MARK["scope"]) & (Settings.key == MARK["key"])
    value: Json | None = view.value(Settings.select(Settings.value).where(here))
    if value is None:
        return None
    last = value.get("last_event")
    return Past(
        why=str(value.get("why")),
        source=str(value.get("source")),
        as_of=instant(int(str(value.get("as_of") or 0))),
        aside=str(value["aside"]) if value.get("aside") else None,
        last_event=last if isinstance(last, int) else None,
    )


def unmark(tx: Tx) -> None:
    here = (Settings.scope == MARK["scope"]) & (Settings.key == MARK["key"])
    tx.write(Settings.delete().where(here))


def waiting(view: View) -> int:
    """Wakeups that had not run then; many of them have since."""
    text = "SELECT count(*) AS n FROM agent_wakeup_requests WHERE status IN ('queued', 'claimed')"
    return int(view.sql(text)[0]["n"])


def sign_browsers_out(tx: Tx) -> None:
    """One that was signed out since must not be signed in again."""
    tx.write(WebSessions.delete())


FAR = 1_000_000


def go_on_after(tx: Tx, event_id: int | None) -> None:
    """Cursors of clients are ids of events: none may mean another event now. None: nobody can
    read any more how far they had come."""
    if event_id is None:
        tx.write_sql("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'events'", (FAR,))
    else:
        text = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'events' AND seq < ?"
        tx.write_sql(text, (event_id, event_id))


def numbers(view: View) -> dict[int, str]:
    """The workspaces by number."""
    return {row["number"]: row["id"] for row in view.sql("SELECT number, id FROM workspaces")}


def count_from(tx: Tx, workspace_id: str, number: int) -> None:
    """No new task gets the number, and with it the folder, of one that is forgotten."""
    here = (Workspaces.id == workspace_id) & (Workspaces.last_task_number < number)
    tx.write(Workspaces.update(last_task_number=number).where(here))

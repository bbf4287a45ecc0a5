"""Workspaces: the registered repositories."""

from collections.abc import Iterable
from typing import Any

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Subject, Workspace
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, by_ids
from roundtable_desktop.store.tables import Workspaces


def get(view: View, workspace_id: str) -> Workspace | None:
    return by_id(view, Workspace, Workspaces, workspace_id)


def of_ids(view: View, ids: Iterable[str | None]) -> dict[str, Workspace]:
    return by_ids(view, Workspace, Workspaces, ids)


def at_path(view: View, path: str) -> Workspace | None:
    return view.one(Workspace, Workspaces.select().where(Workspaces.path == path))


def named(view: View, name: str) -> Workspace | None:
    return view.one(Workspace, Workspaces.select().where(Workspaces.name == name))


def every(view: View) -> list[Workspace]:
    return view.all(Workspace, Workspaces.select().order_by(Workspaces.id))


def add(tx: Tx, actor: Actor, **values: Any) -> Workspace:
    number = (tx.value(Workspaces.select(pw.fn.MAX(Workspaces.number))) or 0) + 1
    tx.write(Workspaces.insert(number=number, created_at=tx.now, updated_at=tx.now, **values))
    workspace = get(tx, values["id"])
    assert workspace is not None
    journal.tell(
        tx,
        Kind.WORKSPACE_ADDED,
        Subject("workspace", workspace.id),
        workspace_id=workspace.id,
        actor=actor,
        data={"name": workspace.name, "number": number},
    )
    return workspace


def change(tx: Tx, workspace: Workspace, actor: Actor, **values: Any) -> Workspace:
    changed = Workspaces.update(
        revision=Workspaces.revision + 1, updated_at=tx.now, **values
    ).where(Workspaces.id == workspace.id)
    tx.write(changed)
    journal.tell(
        tx,
        Kind.WORKSPACE_CHANGED,
        Subject("workspace", workspace.id),
        workspace_id=workspace.id,
        actor=actor,
        data=values,
    )
    now = get(tx, workspace.id)
    assert now is not None
    return now


# What points at others goes before them; events stay, and tell that it was there.
_IN_IT = (
    "inbox_items",
    "verdicts",
    "gates",
    "approvals",
    "office_routine_runs",
    "agent_wakeup_requests",
    "tasks",
    "office_routines",
    "agents",
)
_BELOW = (
    ("task_dependencies", "task_id", "tasks"),
    ("comments", "task_id", "tasks"),
    ("office_routine_triggers", "routine_id", "office_routines"),
    ("webhook_deliveries", "routine_id", "office_routines"),
)


def has_worked(view: View, workspace_id: str) -> bool:
    """Whether anything was ever run in it, or is about to be."""
    sql = """
    SELECT 1 FROM runs WHERE workspace_id = :id UNION ALL
    SELECT 1 FROM agent_wakeup_requests WHERE workspace_id = :id AND status = 'claimed' LIMIT 1
    """
    return bool(view.sql(sql, {"id": workspace_id}))


def remove(tx: Tx, workspace: Workspace, actor: Actor) -> None:
    """With all that is in it; nothing was ever run there."""
    here = {"id": workspace.id}
    for table in (*_IN_IT, "workspaces"):
        column = "id" if table == "workspaces" else "workspace_id"
        made = f"SELECT id FROM {table} WHERE {column} = :id"
        tx.write_sql(f"DELETE FROM idempotency_keys WHERE subject_id IN ({made})", here)
    for table, column, above in _BELOW:
        made = f"SELECT id FROM {above} WHERE workspace_id = :id"
        tx.write_sql(f"DELETE FROM {table} WHERE {column} IN ({made})", here)
    for table in _IN_IT:
        tx.write_sql(f"DELETE FROM {table} WHERE workspace_id = :id", here)
    tx.write_sql("DELETE FROM settings WHERE scope = 'workspace' AND scope_id = :id", here)
    tx.write_sql("DELETE FROM workspaces WHERE id = :id", here)
    journal.tell(
        tx,
        Kind.WORKSPACE_REMOVED,
        Subject("workspace", workspace.id),
        workspace_id=workspace.id,
        actor=actor,
        data={"name": workspace.name, "path": workspace.path},
    )


def next_task_number(tx: Tx, workspace_id: str) -> int:
    """Counts per workspace and never goes back (T-14)."""
    tx.write(
        Workspaces.update(last_task_number=Workspaces.last_task_number + 1).where(
            Workspaces.id == workspace_id
        )
    )
    number: int = tx.value(
        Workspaces.select(Workspaces.last_task_number).where(Workspaces.id == workspace_id)
    )
    return number

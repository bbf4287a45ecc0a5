"""Settings as rows, read as one model per scope."""

import json
from datetime import datetime
from typing import Any, TypeVar

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Subject
from roundtable_desktop.model.settings import GlobalSettings, Scope, WorkspaceSettings
from roundtable_desktop.model.times import instant
from roundtable_desktop.store import events
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Settings

S = TypeVar("S", bound=Scope)

_CHANGED = "SELECT updated_at, actor FROM settings WHERE scope = :scope AND key = :key"
_STORED = "SELECT key, value FROM settings WHERE scope = :scope AND scope_id = :scope_id"


def of(view: View, scope: type[S], scope_id: str = "") -> S:
    """What is stored, with the defaults for the rest; keys of a newer version are passed over."""
    words = {"scope": scope.name, "scope_id": scope_id}
    rows = view.sql(_STORED, words)
    stored = {row["key"]: json.loads(row["value"]) for row in rows}
    return scope(**{key: value for key, value in stored.items() if key in scope.model_fields})


def changed_last(view: View, key: str) -> tuple[datetime, str] | None:
    """When a global key was set last, and by whom; None while it has its default."""
    words = {"scope": GlobalSettings.name, "key": key}
    rows = view.sql(_CHANGED, words)
    return (instant(rows[0]["updated_at"]), rows[0]["actor"]) if rows else None


def revision(view: View, now: Scope, scope_id: str | None = None) -> int:
    """Another one after each change by a person or a program: the event that told of it. What the
    product itself writes (the intake, the port that a start got) is no such change."""
    subject = Subject("settings", scope_id or now.name)
    told = events.newest_of(view, subject, Kind.SETTINGS_CHANGED)
    return told.id if told else 0


def put(tx: Tx, now: S, actor: Actor, values: dict[str, Any], scope_id: str = "") -> S:
    """now: what is stored. Checks the whole before it writes the parts; None is no row."""
    changed = type(now)(**{**now.model_dump(), **values})
    kept = changed.model_dump()
    for key in values:
        if kept[key] is None:
            here = (Settings.scope == now.name) & (Settings.scope_id == scope_id)
            tx.write(Settings.delete().where(here & (Settings.key == key)))
            continue
        tx.write(
            Settings.replace(
                scope=now.name,
                scope_id=scope_id,
                key=key,
                value=kept[key],
                updated_at=tx.now,
                actor=f"{actor.type}:{actor.id}",
            )
        )
    return changed


def of_home(view: View) -> GlobalSettings:
    return of(view, GlobalSettings)


def put_home(tx: Tx, actor: Actor = SYSTEM, **values: Any) -> GlobalSettings:
    return put(tx, of_home(tx), actor, values)


def of_workspace(view: View, workspace_id: str) -> WorkspaceSettings:
    return of(view, WorkspaceSettings, workspace_id)


def strategy_of(view: View, workspace_id: str) -> WorkspaceStrategy:
    """Where the work of a task begins that names no place of its own."""
    return WorkspaceStrategy(of_workspace(view, workspace_id).workspace_strategy)

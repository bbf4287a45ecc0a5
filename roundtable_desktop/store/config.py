"""What a person has said of each repository's file: rows beside the settings, of a scope that
nothing else writes."""

import json
from dataclasses import asdict

from roundtable_desktop.model.config import Consent
from roundtable_desktop.model.records import Actor
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Settings

_SCOPE, _KEY = "config", "consent"
_STORED = "SELECT value FROM settings WHERE scope = 'config' AND scope_id = ? AND key = 'consent'"


def consent(view: View, workspace_id: str) -> Consent:
    rows = view.sql(_STORED, (workspace_id,))
    if not rows:
        return Consent()
    stored = json.loads(rows[0]["value"])
    at = stored.pop("at")
    return Consent(**stored, at=None if at is None else instant(at))


def put(tx: Tx, actor: Actor, workspace_id: str, said: Consent) -> None:
    value = {**asdict(said), "at": None if said.at is None else micros(said.at)}
    tx.write(
        Settings.replace(
            scope=_SCOPE,
            scope_id=workspace_id,
            key=_KEY,
            value=value,
            updated_at=tx.now,
            actor=f"{actor.type}:{actor.id}",
        )
    )

"""Settings as rows, read as one model per scope."""

import json
from typing import Any

from roundtable_desktop.model.records import SYSTEM, Actor
from roundtable_desktop.model.settings import GlobalSettings
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Settings


def of_home(view: View) -> GlobalSettings:
    """What is stored, with the defaults for the rest; keys of a newer version are passed over."""
    rows = view.sql("SELECT key, value FROM settings WHERE scope = 'global'")
    stored = {row["key"]: json.loads(row["value"]) for row in rows}
    return GlobalSettings(**{k: v for k, v in stored.items() if k in GlobalSettings.model_fields})


def put_home(tx: Tx, actor: Actor = SYSTEM, **values: Any) -> GlobalSettings:
    """Checks the whole before it writes the parts."""
    changed = GlobalSettings(**{**of_home(tx).model_dump(), **values})
    for key in values:
        tx.write(
            Settings.replace(
                scope="global",
                scope_id="",
                key=key,
                value=getattr(changed, key),
                updated_at=tx.now,
                actor=f"{actor.type}:{actor.id}",
            )
        )
    return changed

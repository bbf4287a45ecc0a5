"""Where the home lay when it ran last, and whether it waits as a copy for a person's word."""

from dataclasses import asdict, fields

from roundtable_desktop.model.records import SYSTEM, Json
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Settings

_SCOPE, _LIES, _WAITS = "owner", "lies", "copied"
_STORED = "SELECT value FROM settings WHERE scope = ? AND scope_id = '' AND key = ?"
_KNOWN = {field.name for field in fields(Whereabouts)}


def lay(view: View) -> Whereabouts | None:
    """None: no version that could tell has run here yet."""
    said = _value(view, _LIES)
    if not isinstance(said, dict) or not isinstance(said.get("root"), str):
        return None
    return Whereabouts(**{name: value for name, value in said.items() if name in _KNOWN})


def lies(tx: Tx, here: Whereabouts) -> None:
    """From now on it is the home that lies here; nothing is written where that is known."""
    if lay(tx) != here:
        _put(tx, _LIES, asdict(here))


def source(view: View) -> str | None:
    """Of a copy that nobody has resumed yet: where the home lay that it is a copy of."""
    said = _value(view, _WAITS)
    return str(said.get("source")) if isinstance(said, dict) else None


def wait(tx: Tx, source: str) -> None:
    _put(tx, _WAITS, {"source": source})


def wait_no_more(tx: Tx) -> None:
    tx.write(Settings.delete().where(_is(_WAITS)))


def _value(view: View, key: str) -> object:
    rows = view.sql(_STORED, (_SCOPE, key))
    return Settings.value.python_value(rows[0]["value"]) if rows else None


def _is(key: str) -> object:
    return (Settings.scope == _SCOPE) & (Settings.key == key)


def _put(tx: Tx, key: str, value: Json) -> None:
    actor = f"{SYSTEM.type}:{SYSTEM.id}"
    row = {"scope": _SCOPE, "scope_id": "", "key": key, "value": value}
    tx.write(Settings.replace(**row, updated_at=tx.now, actor=actor))

"""How often in a row a wakeup failed its owner, and whether the last life ended in order (F-10)."""

from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.tables import Settings, Wakeups

_LIFE = {"scope": "owner", "scope_id": "", "key": "alive"}


def count(tx: Tx, wakeup_id: str) -> int:
    """One more; how many they are now."""
    tx.write(Wakeups.update(setbacks=Wakeups.setbacks + 1).where(Wakeups.id == wakeup_id))
    counted: int = tx.value(Wakeups.select(Wakeups.setbacks).where(Wakeups.id == wakeup_id))
    return counted


def forgive(tx: Tx, wakeup_id: str) -> None:
    """It got through: what was before is no sign of anything."""
    here = (Wakeups.id == wakeup_id) & (Wakeups.setbacks > 0)
    tx.write(Wakeups.update(setbacks=0).where(here))


def begin_life(tx: Tx) -> bool:
    """Whether the owner before this one died instead of ending in order."""
    here = (Settings.scope == _LIFE["scope"]) & (Settings.key == _LIFE["key"])
    died = bool(tx.value(Settings.select(Settings.value).where(here)))
    _say(tx, True)
    return died


def still_alive(tx: Tx) -> None:
    """Says so once more: a write that tells whether one can be made."""
    _say(tx, True)


def end_life(tx: Tx) -> None:
    """The last act of an orderly stop."""
    _say(tx, False)


def _say(tx: Tx, alive: bool) -> None:
    row = {**_LIFE, "value": alive, "updated_at": tx.now, "actor": "system:roundtable"}
    tx.write(Settings.replace(**row))

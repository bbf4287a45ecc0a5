"""A home that was copied: what is queued here is queued in the other one too, so a person says
which of them goes on."""

import os
from pathlib import Path

from roundtable_desktop.engine import worries
from roundtable_desktop.engine.schedules import reckon_anew
from roundtable_desktop.model.times import instant
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.rules.copied import is_copy
from roundtable_desktop.store import awake, copied, events, restored
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.restored import Past

COPIED = "copied"


def noticed(view: View, here: Whereabouts) -> Past | None:
    """Nothing if it is where it was, was moved, never ran, or holds nothing that could run."""
    was = copied.lay(view)
    if was is None or not restored.numbers(view) or not is_copied(was, here):
        return None
    last = events.last_instant(view) or instant(0)
    return Past(why=COPIED, source=was.root, as_of=last, aside=None, last_event=None)


def is_copied(was: Whereabouts, here: Whereabouts) -> bool:
    there = os.path.lexists(Path(was.root, "roundtable.db"))
    return is_copy(was, here, still_there=there)


def waits(view: View) -> bool:
    """Until a person resumes it: nothing fires, and no time opens the intake."""
    return copied.source(view) is not None


def resume(tx: Tx) -> None:
    """From now on this is the home; what fell due meanwhile was the other one's."""
    if waits(tx):
        copied.wait_no_more(tx)
        awake.forget(tx)
        reckon_anew(tx, tx.now)
    worries.over(tx, worries.COPIED)

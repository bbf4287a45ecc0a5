"""What wakes an agent: every cause goes through this one door into the queue (K-01)."""

from datetime import timedelta

from roundtable_desktop.rules import coalesce
from roundtable_desktop.store import settings, wakeups
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.wakeups import Cause


def wake(tx: Tx, wakeup_id: str, cause: Cause) -> str:
    """Queued, or merged into one like it that waits (K-13). The id of the wakeup it made."""
    window = timedelta(0)
    if coalesce.repeats(cause.source):
        window = timedelta(seconds=settings.of_home(tx).coalescing_window_sec)
    joins = coalesce.merges(cause.source)
    return wakeups.enqueue(tx, wakeup_id, cause, joins=joins, window=window)

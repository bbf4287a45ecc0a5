"""G8: how late what is due is taken up, twenty a second beside ten thousand routines.

Only our own lateness: other schedulers are measured elsewhere.
"""

import threading
import time
from datetime import timedelta

import pytest

from benchmarks.queue import queue
from benchmarks.ticking import add_routines, loop_on
from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.model.states import Source
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import wakeups
from roundtable_desktop.store.db import Store

ROUTINES = 10_000
A_SECOND = 20
SECONDS = 10
PATIENCE = 30.0

_LATE = """
SELECT (w.claimed_at - json_extract(w.payload, '$.context.text')) / 1000.0 AS late
FROM agent_wakeup_requests AS w WHERE w.claimed_at IS NOT NULL ORDER BY late
"""


@pytest.mark.proves("G8")
def lateness() -> bool:
    """Prints p50 and p99; there is no goal of its own."""
    with queue() as (store, _, names):
        add_routines(store, names, ROUTINES)
        count = A_SECOND * SECONDS
        loop = loop_on(store)
        _enqueue(store, names, count)
        loop.start()
        try:
            late = _claimed(store, count)
        finally:
            loop.stop()
    middle, worst = late[len(late) // 2], late[int(len(late) * 0.99)]
    print(
        f"G8   lateness, {A_SECOND} due a second beside {ROUTINES:,} routines: "
        f"p50 {middle:.1f} ms, p99 {worst:.1f} ms, {len(late)} of {count}",
        flush=True,
    )
    return len(late) == count


def _enqueue(store: Store, agents: list[str], count: int) -> None:
    ids = SystemIds()
    with store.transaction() as tx:
        for number in range(count):
            due = tx.now + timedelta(seconds=1 + number / A_SECOND)
            cause = wakeups.Cause(
                workspace_id="w",
                agent_id=agents[number % len(agents)],
                source=Source.USER,
                reason="wake",
                payload={"user_id": "owner", "context": {"text": str(micros(due))}},
                key=f"late:{number}",
                not_before=due,
            )
            wakeups.enqueue(tx, ids.new(), cause)


def _claimed(store: Store, count: int) -> list[float]:
    """Milliseconds of each, the least first."""
    until, pause = time.monotonic() + SECONDS + PATIENCE, threading.Event()
    while True:
        with store.transaction() as tx:
            late = [float(row["late"]) for row in tx.sql(_LATE)]
        if len(late) == count or time.monotonic() > until:
            return late
        pause.wait(0.5)

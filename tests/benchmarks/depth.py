"""G4 and G5: a claim in a long queue, and beside what is over, against one in a short queue."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from benchmarks.queue import queue
from benchmarks.table import Goal, measure
from roundtable_desktop.store import claims
from roundtable_desktop.store.db import Store

SHORT, LONG, DEFERRED, OVER = 100, 1_000_000, 100_000, 500_000
CLAIMS = 80
"""In each measurement; then they wait again."""

ROW = """INSERT INTO agent_wakeup_requests (id, workspace_id, agent_id, source, reason, scope,
status, outcome, idempotency_key, context_snapshot, rank, requested_at, scheduled_retry_at, held_by)
VALUES (?, 'w', ?, 'comment', 'bench', 'agent', ?, ?, ?, '{}', 1, ?, ?, ?)"""
YOUNG = time.time_ns() // 1000
"""Nobody here has waited so long that its class is lifted."""


def fill(store: Store, names: list[str], prefix: str, count: int, status: str = "queued") -> None:
    """The older half belongs to the first half of the agents. `deferred` ones are older still."""
    deferred = prefix == "deferred"

    def rows() -> Iterable[tuple[object, ...]]:
        half = len(names) // 2
        for number in range(count):
            of = names[number % half + (half if number * 2 >= count or deferred else 0)]
            name = f"{prefix}{number:020d}"
            outcome = "executed" if status == "finished" else None
            later = (YOUNG + 10**13, "retry") if deferred else (None, None)
            at = YOUNG + number - (10**7 if deferred else 0)
            yield name, of, status, outcome, f"key:{name}", at, *later

    with store.transaction() as tx:
        tx.db.connection().executemany(ROW, rows())


@contextmanager
def filled(waiting: int, over: int = 0) -> Iterator[tuple[Store, list[str]]]:
    with queue() as (store, _, names):
        fill(store, names, "waiting", waiting)
        if over:
            fill(store, names, "over", over, "finished")
        yield store, names


def block(store: Store, names: list[str]) -> None:
    """Half of the agents work on something, and theirs is what waits longest."""
    with store.transaction() as tx:
        marks = ", ".join("?" * (len(names) // 2))
        tx.write_sql(
            f"UPDATE agents SET max_concurrent_sessions = 0 WHERE id IN ({marks})",
            tuple(names[: len(names) // 2]),
        )


def timed(store: Store) -> float:
    """Milliseconds for one, each in a transaction of its own."""
    began = time.perf_counter()
    for _ in range(CLAIMS):
        with store.transaction() as tx:
            assert claims.claim_next(tx) is not None
    spent = time.perf_counter() - began
    with store.transaction() as tx:
        again = "UPDATE agent_wakeup_requests SET status = 'queued' WHERE status = 'claimed'"
        tx.write_sql(again, ())
    return 1000 * spent / CLAIMS


def _goal(name: str, what: str) -> Goal:
    return Goal(name, what, "{:.3f} ms", "{:.3f} ms", most=3.0)


@pytest.mark.proves("G4")
def depth() -> bool:
    met = True
    with filled(SHORT) as (short, _), filled(LONG) as (long, names):

        def pair() -> tuple[float, float]:
            return timed(long), timed(short)

        met &= measure(_goal("G4", f"claim of {LONG:,} / of {SHORT}"), pair)
        fill(long, names, "deferred", DEFERRED)
        met &= measure(_goal("G4", f"the same behind {DEFERRED:,} deferred"), pair)
        block(long, names)
        met &= measure(_goal("G4", "the same behind a blocked head"), pair)
    return met


@pytest.mark.proves("G5")
def beside() -> bool:
    with filled(SHORT) as (alone, _), filled(SHORT, OVER) as (beside, _):
        what = f"claim beside {OVER:,} that are over / alone"
        return measure(_goal("G5", what), lambda: (timed(beside), timed(alone)))

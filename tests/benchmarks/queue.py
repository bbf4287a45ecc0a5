"""G1 and G2: enqueue and claim beside the same writes in plain sqlite3."""

import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.table import MEMORY, Goal, measure
from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.engine import wakers
from roundtable_desktop.model.records import SYSTEM
from roundtable_desktop.model.states import Source
from roundtable_desktop.store import agents, claims, migrate, wakeups, workspaces
from roundtable_desktop.store.db import Store

COUNT = 1500
AGENTS = 20

RAW_ENQUEUE = """INSERT INTO agent_wakeup_requests (id, workspace_id, agent_id, task_id, source,
reason, payload, scope, status, idempotency_key, context_snapshot, rank, requested_at)
VALUES (?, ?, ?, NULL, 'user', 'bench', ?, 'agent', 'queued', ?, '{}', 1, ?)
ON CONFLICT (idempotency_key) DO NOTHING"""
RAW_EVENT = """INSERT INTO events (at, kind, actor_type, actor_id, workspace_id, subject_type,
subject_id, data) VALUES (?, ?, 'system', 'bench', ?, 'wakeup', ?, '{}')"""
RAW_CLAIM = """UPDATE agent_wakeup_requests SET status = 'claimed', claimed_at = :now
WHERE status = 'queued' AND id = (
    SELECT w.id FROM agents AS a JOIN agent_wakeup_requests AS w ON w.id = (
        SELECT q.id FROM agent_wakeup_requests AS q WHERE q.agent_id = a.id
        AND q.status = 'queued' AND q.scheduled_retry_at IS NULL
        ORDER BY q.rank, q.requested_at, q.id LIMIT 1)
    WHERE (w.rank = 0 OR a.last_wakeup_finished_at IS NULL
            OR a.last_wakeup_finished_at + a.cooldown_sec * 1000000 <= :now)
    AND (SELECT count(*) FROM agent_wakeup_requests AS c
        WHERE c.agent_id = a.id AND c.status = 'claimed') < a.max_concurrent_sessions
    ORDER BY w.rank, w.requested_at, w.id LIMIT 1)
RETURNING *"""


@contextmanager
def queue() -> Iterator[tuple[Store, Path, list[str]]]:
    """A migrated database in memory-backed storage where there is some, with 20 agents."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder) / "bench.db"
        clock, ids = SystemClock(), SystemIds()
        migrate.migrate(path, Path(folder), clock.now())
        store = Store(path, clock)
        with store.transaction() as tx:
            workspaces.add(
                tx,
                SYSTEM,
                id="w",
                name="w",
                path="/w",
                git_dir="/w/.git",
                base_branch="main",
                timezone="UTC",
                delivery="approval",
                author_name="a",
                author_email="b",
            )
            names = [ids.new() for _ in range(AGENTS)]
            for name in names:
                agents.add(
                    tx,
                    SYSTEM,
                    id=name,
                    workspace_id="w",
                    name=name,
                    role="worker",
                    adapter="command",
                    command=["true"],
                    max_concurrent_sessions=1_000_000,
                )
        yield store, path, names
        store.close()


def raw(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    connection.execute("PRAGMA synchronous = full")
    return connection


def ours_enqueue(store: Store, names: list[str]) -> float:
    ids = SystemIds()
    began = time.perf_counter()
    for number in range(COUNT):
        with store.transaction() as tx:
            name = ids.new()
            cause = wakeups.Cause(
                workspace_id="w",
                agent_id=names[number % AGENTS],
                source=Source.USER,
                reason="bench",
                payload={"n": number},
                key=f"bench:{name}",
            )
            wakers.wake(tx, name, cause)
    return COUNT / (time.perf_counter() - began)


def raw_enqueue(connection: sqlite3.Connection, names: list[str]) -> float:
    ids = SystemIds()
    began = time.perf_counter()
    for number in range(COUNT):
        name, now = ids.new(), time.time_ns() // 1000
        connection.execute("BEGIN IMMEDIATE")
        payload = json.dumps({"n": number})
        values = (name, "w", names[number % AGENTS], payload, f"bench:{name}", now)
        connection.execute(RAW_ENQUEUE, values)
        connection.execute(RAW_EVENT, (now, "wakeup.queued", "w", name))
        connection.execute("COMMIT")
    return COUNT / (time.perf_counter() - began)


def ours_claim(store: Store) -> float:
    began = time.perf_counter()
    for _ in range(COUNT):
        with store.transaction() as tx:
            assert claims.claim_next(tx) is not None
    return COUNT / (time.perf_counter() - began)


def raw_claim(connection: sqlite3.Connection) -> float:
    began = time.perf_counter()
    for _ in range(COUNT):
        now = time.time_ns() // 1000
        connection.execute("BEGIN IMMEDIATE")
        row = connection.execute(RAW_CLAIM, {"now": now}).fetchone()
        assert row is not None
        connection.execute(RAW_EVENT, (now, "wakeup.claimed", "w", row[0]))
        connection.execute("COMMIT")
    return COUNT / (time.perf_counter() - began)


@pytest.mark.proves("G1")
def enqueue() -> bool:
    def once() -> tuple[float, float]:
        with queue() as (store, path, names):
            connection = raw(path)
            pair = ours_enqueue(store, names), raw_enqueue(connection, names)
            connection.close()
            return pair

    goal = Goal("G1", "committed enqueue / plain sqlite3", "{:.0f}/s", "{:.0f}/s", least=0.5)
    return measure(goal, once)


@pytest.mark.proves("G2")
def claim() -> bool:
    """Each side drains a queue that it did not fill, of the same depth and shape."""

    def once() -> tuple[float, float]:
        with queue() as (store, path, names):
            connection = raw(path)
            raw_enqueue(connection, names)
            ours = ours_claim(store)
            connection.close()
        with queue() as (_, path, names):
            connection = raw(path)
            raw_enqueue(connection, names)
            theirs = raw_claim(connection)
            connection.close()
        return ours, theirs

    goal = Goal("G2", "claim with all conditions / plain", "{:.0f}/s", "{:.0f}/s", least=0.5)
    return measure(goal, once)

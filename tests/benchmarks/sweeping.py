"""G6: the recovery sweep beside the seed's own SQL, on the same rows."""

import json
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.queue import queue, raw
from benchmarks.table import Goal, measure
from roundtable_desktop.store import sweeps
from roundtable_desktop.store.db import Store

TASKS = 2_000
WAKEUPS = 100_000
LOST = 50

# Seed 001, "Recovery sweep (unstarted tasks)", in SQLite's spelling and with our names of columns.
SEED = """
SELECT t.id FROM tasks t
WHERE t.status = 'todo'
  AND t.assignee_agent_id IS NOT NULL
  AND t.created_at >= :since
  AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests w
    WHERE w.payload->>'task_id' = t.id
    AND w.status IN ('queued', 'claimed', 'finished')
  )
"""
TASK = """INSERT INTO tasks (id, workspace_id, number, title, status, base_branch, delivery,
assignee_agent_id, created_at, updated_at) VALUES (?, 'w', ?, 't', ?, 'main', 'auto', ?, ?, ?)"""
WAKEUP = """INSERT INTO agent_wakeup_requests (id, workspace_id, agent_id, task_id, source, reason,
payload, scope, status, outcome, rank, requested_at)
VALUES (?, 'w', ?, ?, 'task_assigned', 'bench', ?, ?, ?, ?, 1, ?)"""


def fill(connection: sqlite3.Connection, agents: list[str], now: int) -> None:
    """2,000 tasks to be begun, 50 of them lost; the other wakeups are of tasks that are over."""
    connection.execute("BEGIN")
    tasks, wakeups = [], []
    for number in range(TASKS):
        agent = agents[number % len(agents)]
        tasks.append((f"t{number}", number, "todo", agent, now, now))
        if number >= LOST:
            wakeups.append((agent, f"t{number}", "queued", None))
    for number in range(WAKEUPS - len(wakeups)):
        wakeups.append((agents[number % len(agents)], f"over{number}", "finished", "executed"))
    connection.executemany(TASK, tasks)
    connection.executemany(
        WAKEUP,
        (
            (f"w{n}", agent, task, json.dumps({"task_id": task}), f"task:{task}", status, how, now)
            for n, (agent, task, status, how) in enumerate(wakeups)
        ),
    )
    connection.execute("COMMIT")


def ours(store: Store, now: datetime) -> float:
    began = time.perf_counter()
    with store.transaction() as tx:
        found = sweeps.unstarted(tx, now, TASKS)
    took = time.perf_counter() - began
    assert len(found) == min(LOST, TASKS)
    return took * 1000


def theirs(path: Path, now: int) -> float:
    connection = raw(path)
    began = time.perf_counter()
    found = connection.execute(SEED, {"since": now - 24 * 3_600_000_000}).fetchall()
    took = time.perf_counter() - began
    connection.close()
    assert len(found) == min(LOST, TASKS)
    return took * 1000


@pytest.mark.proves("G6")
def sweep() -> bool:
    with queue() as (store, path, agents):
        now = time.time_ns() // 1000
        connection = raw(path)
        fill(connection, agents, now)
        connection.close()
        at = datetime.fromtimestamp(now / 1e6, UTC)
        goal = Goal("G6", "recovery sweep / the seed's SQL", "{:.1f} ms", "{:.0f} ms", most=0.02)
        return measure(goal, lambda: (ours(store, at), theirs(path, now)))

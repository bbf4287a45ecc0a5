"""G7: what a tick costs when nothing is due, beside ten thousand routines and beside ten."""

import time
from collections.abc import Sequence

import pytest

from benchmarks.queue import queue
from benchmarks.table import Goal, measure
from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.engine.loop import Loop
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.store.db import Store

FEW, MANY = 10, 10_000
TICKS = 200

_ROUTINE = """
INSERT INTO office_routines (id, workspace_id, name, assignee_agent_id, status, concurrency_policy,
    catch_up_policy, created_at, updated_at)
VALUES (?, 'w', 'Bench', ?, 'active', 'coalesce_if_active', 'skip_missed', 0, 0)
"""
_TRIGGER = """
INSERT INTO office_routine_triggers (id, routine_id, kind, cron_expression, timezone, next_run_at)
VALUES (?, ?, 'schedule', '0 9 * * *', 'UTC', ?)
"""
_FAR = 4_000_000_000_000_000


def ticks(count: int) -> float:
    """Seconds of a tick beside `count` routines."""
    with queue() as (store, _, names):
        add_routines(store, names, count)
        loop = loop_on(store)
        loop.tick()
        began = time.perf_counter()
        for _ in range(TICKS):
            loop.tick()
        return (time.perf_counter() - began) / TICKS


def add_routines(store: Store, agents: Sequence[str], count: int) -> None:
    """Active ones that are due in a hundred years."""
    with store.transaction() as tx:
        for number in range(count):
            tx.write_sql(_ROUTINE, (f"r{number}", agents[number % len(agents)]))
            tx.write_sql(_TRIGGER, (f"t{number}", f"r{number}", _FAR + number))


def loop_on(store: Store) -> Loop:
    ids, clock = SystemIds(), SystemClock()
    recurring = Routines(store, ids, lambda: 0.5)
    dispatcher = Dispatcher(store, ids, lambda _: None)
    return Loop(
        store, dispatcher, recurring, clock, lambda: 0.5, _nothing, _nothing, _nothing, _nothing
    )


def _nothing(*_: object) -> None:
    """There are no deliveries, and no sweep is due."""


@pytest.mark.proves("G7")
def idle_tick() -> bool:
    goal = Goal("G7", "idle tick at 10,000 routines / at 10", "{:.5f} s", "{:.5f} s", most=3.0)
    return measure(goal, lambda: (ticks(MANY), ticks(FEW)))

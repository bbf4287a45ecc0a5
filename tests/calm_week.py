"""Days in which all goes well, foreseen by a simulation and then lived."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from hard_week import Week, accounted
from simulated import World

from roundtable_desktop.adapters.pretend import DONE, Ending
from roundtable_desktop.engine.foresight import foreseen, usual
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.model.times import micros
from roundtable_desktop.simulation import UNKNOWN_SPAN, simulate
from roundtable_desktop.store import events, runs


def lived_as_foreseen(root: Path, days: int) -> None:
    """What was foreseen of these days is what happens: each item to the second."""
    week = Week(root, 0)
    world, folder = week.world, root / "foreseen"
    folder.mkdir()
    with world.ground.reader.snapshot() as view:
        first = events.last_id(view)
    request = {
        "database": str(world.ground.path),
        "folder": str(folder),
        "now": micros(world.clock.now()),
        "until": micros(world.clock.now() + timedelta(days=days)),
        "seed": 1,
        "workspace_id": None,
        "seconds": 600,
    }
    told = simulate(request, folder)
    assert told["whole"]
    assert week.firings() == []
    world.ending = partial(as_usual, world)
    world.run(timedelta(days=days))
    items, _ = foreseen(world.ground.reader, first, None)
    assert len(items) > 128 * days
    assert to_the_second(told["items"]) == to_the_second(items)
    assert fired(folder / "copy.db") == fired(world.ground.path)
    accounted(week, world.clock.now())


def as_usual(world: World, order: LaunchOrder) -> Ending:
    """It goes well and takes as long as such runs do, which is what is foreseen."""
    with world.ground.reader.snapshot() as view:
        run = runs.get(view, order.run)
        assert run is not None
        return replace(DONE, after=timedelta(seconds=usual(view, run.agent_id, UNKNOWN_SPAN)))


def to_the_second(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Commits of one instant are a microsecond apart, and ends of one instant have no order."""
    told = [{**one, "at": round(one["at"] / 1e6)} for one in items]
    return sorted(told, key=lambda one: (one["at"], one["code"], str(one["values"])))


def fired(database: Path) -> list[tuple[object, ...]]:
    """Each firing in the order of the journal, and what became of it."""
    times = "(started_at + 500000) / 1000000, (completed_at + 500000) / 1000000"
    columns = f"trigger_id, scheduled_at, source, status, reason, missed, {times}"
    with closing(sqlite3.connect(database)) as connection:
        sql = f"SELECT {columns} FROM office_routine_runs ORDER BY rowid"
        return [tuple(row) for row in connection.execute(sql)]

"""What the scenarios of seed 001 have in common: who is kept busy, a time of day, what was told."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from typing import Any

from outside_clock import advance, instant, start
from outside_house import OVER, House, Room, until
from outside_talk import demo, item_of, script


def busy(room: Room, agent: str) -> Any:
    """A task at which the agent works until it is let go."""
    task = room.task("Keeps it busy", agent, description=script("ask Shall I go on?"))
    item_of(room, task)
    return task


def let_go(room: Room, task: Any) -> Any:
    """The run, once it is over."""
    item = item_of(room, task)
    room.house.post(f"/inbox/{item['id']}/act", {"action": "allow_once"})
    return room.ended(task)


def worker(room: Room, name: str = "worker", **more: object) -> str:
    return demo(room, name, role="worker", **more)


def of_agent(room: Room, what: str, agent: str) -> list[Any]:
    """Its runs or wakeups, the oldest first."""
    return list(reversed(room.house.get(f"/{what}", agent_id=agent)["items"]))


def ran(room: Room, agent: str, number: int = 1) -> Any:
    """The agent's run of that number, once it is over."""

    def look() -> Any:
        found = of_agent(room, "runs", agent)
        return len(found) >= number and found[number - 1]["status"] in OVER

    until(look)
    return room.house.run(of_agent(room, "runs", agent)[number - 1]["id"])


def activity(room: Room, kind: str) -> list[Any]:
    """The entries of that code in this workspace, the oldest first."""
    found = room.house.get("/events", workspace_id=room.id, kind=kind, limit=200)["items"]
    return sorted(found, key=lambda one: int(one["id"]))


def present(house: House) -> datetime:
    return instant(house.get("/status")["test_clock"])


def reach(house: House, time: str) -> datetime:
    """Time goes by until the next such time of day, as `03:45`."""
    now = present(house)
    hour, minute = map(int, time.split(":"))
    there = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    there += timedelta(days=1) * (there < now)
    advance(house, (there - now).total_seconds())
    return there


def written(house: House, sql: str, *values: object) -> int:
    """Behind the owner's back, as a fault would; how many rows."""
    with closing(sqlite3.connect(house.home / "roundtable.db", timeout=10)) as db, db:
        return db.execute(sql, values).rowcount


@contextmanager
def down(house: House, number: int = signal.SIGTERM) -> Iterator[None]:
    """The owner is away for that long; the clock stands meanwhile."""
    house.end(number)
    try:
        yield
    finally:
        start(house, None, TZ="UTC")

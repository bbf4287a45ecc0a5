"""A database of its own for each test, a clock that stands, and rows to begin with."""

import functools
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from roundtable_desktop.model.records import Actor, Agent, Event, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.states import Adapter, DeliveryMode, Rank, Role, Source
from roundtable_desktop.store import (
    agents,
    claims,
    events,
    migrate,
    runs,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Reader, Store, Tx

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
JOAN = Actor("person", "joan")


class StandingClock:
    """Moves when it is told to; `monotonic` moves with it."""

    def __init__(self, now: datetime = NOW) -> None:
        self._now = now
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - NOW).total_seconds() + 1000.0

    @property
    def stands(self) -> bool:
        return True

    def seconds_until(self, moment: datetime) -> float | None:
        return 0.0 if moment <= self._now else None

    def here(self, at: datetime) -> datetime:
        return at

    def outside(self, at: datetime) -> datetime:
        return at

    def forward(self, **span: float) -> None:
        with self._lock:
            self._now += timedelta(**span)


class CountingIds:
    """Rising, and the same in each run of a test."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def new(self) -> str:
        with self._lock:
            self._last += 1
            return f"{self._last:026d}"

    def secret(self) -> str:
        return f"secret-{self.new()}"


@functools.cache
def new_database() -> bytes:
    """What a first start makes, made once by each worker: how is proved in tests/store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roundtable.db"
        migrate.migrate(path, path.parent, NOW)
        return path.read_bytes()


class Ground:
    """Store and reader on one file, and makers of rows with defaults for what does not matter."""

    def __init__(self, folder: Path, clock: Any = None, ids: Any = None) -> None:
        self.path = folder / "roundtable.db"
        self.clock = clock or StandingClock()
        self.ids = ids or CountingIds()
        if self.path.exists():
            migrate.migrate(self.path, folder, self.clock.now())
        else:
            self.path.write_bytes(new_database())
        self.open()

    def open(self) -> None:
        self.store = Store(self.path, self.clock)
        self.reader = Reader(self.path, self.clock, lambda: self.store.trouble)
        with self.store.transaction() as tx:
            last = events.last_instant(tx)
        if last is not None:
            self.store.start_after(last)

    def close(self) -> None:
        self.reader.close()
        self.store.close()

    def reopen(self) -> None:
        """All that was in memory is gone."""
        self.close()
        self.open()

    # --- rows ----------------------------------------------------------------------------------

    def workspace(self, **changes: Any) -> Workspace:
        number = self.ids.new()
        values: dict[str, Any] = {
            "id": number,
            "name": f"w{number}",
            "path": f"/repositories/{number}",
            "git_dir": f"/repositories/{number}/.git",
            "base_branch": "main",
            "timezone": "UTC",
            "delivery": DeliveryMode.APPROVAL,
            "author_name": "Joan",
            "author_email": "joan@example.org",
        }
        with self.store.transaction() as tx:
            return workspaces.add(tx, JOAN, **{**values, **changes})

    def agent(self, workspace: Workspace, **changes: Any) -> Agent:
        number = self.ids.new()
        values: dict[str, Any] = {
            "id": number,
            "workspace_id": workspace.id,
            "name": f"a{number}",
            "role": Role.WORKER,
            "adapter": Adapter.COMMAND,
            "command": ["true"],
            "account": f"account of {number}",
        }
        with self.store.transaction() as tx:
            agents.add(tx, JOAN, **values)
            if changes:
                set_columns(tx, "agents", values["id"], **changes)
            agent = agents.get(tx, values["id"])
        assert agent is not None
        return agent

    def task(self, workspace: Workspace, agent: Agent | None = None, **changes: Any) -> Task:
        values: dict[str, Any] = {
            "id": self.ids.new(),
            "workspace_id": workspace.id,
            "title": "Do it",
            "base_branch": workspace.base_branch,
            "delivery": workspace.delivery,
            "assignee_agent_id": agent.id if agent else None,
        }
        with self.store.transaction() as tx:
            values["number"] = workspaces.next_task_number(tx, workspace.id)
            return tasks.add(tx, JOAN, **{**values, **changes})

    def wakeup(self, agent: Agent, task: Task | None = None, **changes: Any) -> Wakeup:
        """`changes`: of the cause, and of columns by their names."""
        task_id = task.id if task else None
        cause: dict[str, Any] = {
            "workspace_id": agent.workspace_id,
            "agent_id": agent.id,
            "source": Source.TASK_ASSIGNED,
            "reason": "assigned",
            "payload": {"task_id": task_id or "none"},
            "key": None,
            "task_id": task_id,
            "rank": Rank.EVENT,
        }
        taken = {name: changes.pop(name) for name in list(changes) if name in cause}
        with self.store.transaction() as tx:
            made = wakeups.enqueue(tx, self.ids.new(), wakeups.Cause(**{**cause, **taken}))
            if changes:
                set_columns(tx, "agent_wakeup_requests", made, **changes)
        return self.get_wakeup(made)

    def get_wakeup(self, wakeup_id: str) -> Wakeup:
        with self.reader.snapshot() as view:
            wakeup = wakeups.get(view, wakeup_id)
        assert wakeup is not None
        return wakeup

    def get_task(self, task_id: str) -> Task:
        with self.reader.snapshot() as view:
            task = tasks.get(view, task_id)
        assert task is not None
        return task

    def get_run(self, run_id: str) -> Run:
        with self.reader.snapshot() as view:
            run = runs.get(view, run_id)
        assert run is not None
        return run

    def runs(self) -> list[Run]:
        with self.reader.snapshot() as view:
            rows = view.sql("SELECT id FROM runs ORDER BY id")
        return [self.get_run(str(row["id"])) for row in rows]

    def claim(self) -> Wakeup | None:
        with self.store.transaction() as tx:
            return claims.claim_next(tx)

    def events(self) -> list[Event]:
        with self.reader.snapshot() as view:
            return events.after(view, 0, 100_000)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events()]

    def rows(self, table: str) -> list[dict[str, Any]]:
        with self.reader.snapshot() as view:
            return [dict(row) for row in view.sql(f"SELECT * FROM {table} ORDER BY 1")]


def set_columns(tx: Tx, table: str, row_id: str, **values: Any) -> None:
    """What no command of the product does at once: puts a row into the state that is wanted."""
    from roundtable_desktop.store.tables import TABLES

    model: Any = next(one for one in TABLES if one._meta.table_name == table)
    assert tx.write(model.update(**values).where(model.id == row_id)) == 1


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    made = Ground(tmp_path)
    yield made
    made.close()

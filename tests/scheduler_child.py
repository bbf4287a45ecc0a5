"""Runs a real scheduler on a few tasks and dies, or kills a runner, where it is told.

`scheduler_child.py HOME POINT VICTIM [WORK]`: POINT counts commits and outside acts, from 1; 0 is
never. VICTIM is `self`, `frozen` (it stands still until somebody lets it go on), `runner` or
`agent`. WORK is `tasks`, `wakes` for work without a task, or `tick` for a routine that is due.
It ends with 0 when all is settled.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters import home as homes
from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.git import HardenedGit
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.adapters.secrets import FileSecrets
from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    agents,
    routines,
    tasks,
    waking,
    workspaces,
)
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.engine.launching import Equipment
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.records import Actor
from roundtable_desktop.model.states import Adapter, DeliveryMode, TriggerKind
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.rules import retry
from roundtable_desktop.store import events, migrate
from roundtable_desktop.store.db import Reader, Store, Tx

AGENT = """
import os, sys, time
with open(os.path.join(sys.argv[1], "marks"), "a") as marks:
    marks.write(os.environ["ROUNDTABLE_RUN"] + "\\n")
time.sleep(0.15)
with open(os.environ.get("ROUNDTABLE_TASK", "left") + ".txt", "w") as made:
    made.write("made\\n")
"""
SECONDS = 60.0
TASKS = 4
WAKES = 3


class Failpoint:
    def __init__(self, home: Path, point: int, victim: str) -> None:
        self._lock = threading.Lock()
        self._home, self._left, self._victim = home, point, victim

    def pass_by(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._kill()

    def _kill(self) -> None:
        match self._victim:
            case "self":
                os.kill(os.getpid(), signal.SIGKILL)
            case "frozen":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "agent":
                for process in processes.marked(f"VICTIM={self._home}"):
                    processes.send(process, signal.SIGKILL)
            case "runner":
                for spool in self._home.glob("runs/*/spool.ndjson"):
                    hello = json.loads(spool.read_bytes().partition(b"\n")[0])
                    words = {name: hello[name] for name in ("boot", "pid", "ticks")}
                    processes.send(processes.Identity(**words), signal.SIGKILL)

    def watch(self, target: Any, *names: str) -> None:
        """Before and after each of these acts."""
        for name in names:
            whole = getattr(target, name)

            def act(*words: Any, whole: Any = whole, **more: Any) -> Any:
                self.pass_by()
                answer = whole(*words, **more)
                self.pass_by()
                return answer

            setattr(target, name, act)


def watched_store(store: Store, failpoint: Failpoint) -> None:
    """After each commit that wrote something."""
    whole = store.transaction

    @contextmanager
    def transaction() -> Iterator[Tx]:
        with whole() as tx:
            before = tx.sql("SELECT total_changes() AS n")[0]["n"]
            yield tx
            wrote = tx.sql("SELECT total_changes() AS n")[0]["n"] != before
        if wrote:
            failpoint.pass_by()

    store.transaction = transaction  # type: ignore[method-assign]


def main(home: Path, point: int, victim: str, work: str = "tasks") -> int:
    retry.BACKOFF = (timedelta(seconds=0.2),) * 4
    failpoint, clock = Failpoint(home, point, victim), SystemClock()
    migrate.migrate(home / "a.db", home, clock.now())
    store, reader = Store(home / "a.db", clock), Reader(home / "a.db", clock)
    with store.transaction() as tx:
        last = events.last_instant(tx)
    if last is not None:
        store.start_after(last)
    git: Any = HardenedGit(home / "empty", home / "user")
    secrets = FileSecrets(home / "secrets", homes.read_private, homes.write_private)
    runners = LocalRunners(home / "runs", Path(os.environ["SOCKETS"]), sweep=processes.sweep)
    failpoint.watch(git, "make_copy", "move_copy", "collect", "prepare", "deliver", "finish")
    failpoint.watch(runners, "launch", "void", "sweep", "detach")
    nobody: Any = None  # looks at a repository's file
    desk = Desk(
        store,
        git,
        secrets,
        SystemIds(),
        runners,
        processes.facts,
        processes.end,
        "UTC",
        nobody,
    )
    watched_store(store, failpoint)
    scheduler = Scheduler(
        store,
        reader,
        git,
        runners,
        secrets,
        SystemIds(),
        clock,
        lambda: 0.0,
        copies=home / "copies",
        environ=os.environ,
        equipment=Equipment("", lambda: ("", ""), (), (), ""),
        zone="UTC",
    )
    scheduler.start()
    enqueue(desk, home, work)
    done = wait_until_settled(reader, work)
    scheduler.stop()
    return 0 if done else 1


def enqueue(desk: Desk, home: Path, work: str) -> None:
    """As often as it is asked, each thing is made once."""

    def asked(key: str) -> Asked:
        return Asked(Actor("person", "joan"), key, key)

    workspace = workspaces.register(
        desk, asked("w"), str(home / "repo"), base_branch="main", delivery=DeliveryMode.AUTO
    )
    agent = agents.add(
        desk,
        asked("a"),
        workspace.id,
        name="Ada",
        adapter=Adapter.COMMAND,
        command=[sys.executable, "-I", "-S", "-c", AGENT, str(home)],
        env={"VICTIM": str(home)},
        cooldown_sec=0,
        max_concurrent_sessions=2,
        skip_idle_wakeups=False,
    )
    if work == "tick":
        return be_due(desk, asked("r"), workspace.id, agent.id)
    if work == "wakes":
        for number in range(WAKES):
            waking.wake(desk, asked(f"k{number}"), agent.id, text="look around")
        return
    for number in range(TASKS):
        words = {"title": "Make it", "assignee_agent_id": agent.id}
        tasks.create(desk, asked(f"t{number}"), workspace.id, **words)


def be_due(desk: Desk, asked: Asked, workspace_id: str, agent_id: str) -> None:
    """A routine with one tick a year, which was due in the minute before its making."""
    due = SystemClock().now().replace(second=0, microsecond=0) - timedelta(minutes=1)
    cron = f"{due.minute} {due.hour} {due.day} {due.month} *"
    with desk.store.transaction() as tx:
        made = bool(tx.sql("SELECT id FROM office_routines"))
    if not made:
        wanted = NewRoutine(
            workspace_id=workspace_id,
            name="Look",
            assignee_agent_id=agent_id,
            triggers=[Wanted(TriggerKind.SCHEDULE, cron_expression=cron, timezone="UTC")],
        )
        routines.create(desk, asked, wanted)
    with desk.store.transaction() as tx:
        here = "FROM office_routine_triggers WHERE last_fired_at IS NULL AND kind = 'schedule'"
        for row in tx.sql(f"SELECT id, next_run_at {here}"):
            later = instant(row["next_run_at"])
            if later > tx.now:
                put = micros(later.replace(year=later.year - 1))
                sql = "UPDATE office_routine_triggers SET next_run_at = ? WHERE id = ?"
                tx.write_sql(sql, (put, row["id"]))
                tx.nudge("queue")


SETTLED = {
    "tick": ("SELECT status FROM office_routine_runs", ["done"]),
    "tasks": ("SELECT status FROM tasks", ["done"] * TASKS),
    "wakes": ("SELECT status FROM agent_wakeup_requests", ["finished"] * WAKES),
}


def wait_until_settled(reader: Reader, work: str) -> bool:
    limit = time.monotonic() + SECONDS
    asked, wanted = SETTLED[work]
    while time.monotonic() < limit:
        with reader.snapshot() as view:
            rows = view.sql(asked)
        if [row["status"] for row in rows] == wanted:
            return True
        time.sleep(0.01)
    return False


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))

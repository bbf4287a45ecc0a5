"""Random states of the queue, judged by the real dispatcher: what comes of the wakeup that it
takes is reckoned here from the rows alone, and `explain` must say the same."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ground import NOW, CountingIds, Ground

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.model.records import Run, Wakeup
from roundtable_desktop.model.states import AgentStatus, RoutineStatus, TaskStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.store import claims, events, runs
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Wakeups

AT = micros(NOW)
AGENTS, TASKS, ROUTINES = 2, 4, 2
OFF = {"paused": "agent_paused", "stopped": "agent_stopped", "retired": "agent_stopped"}
OVER = ("done", "failed", "cancelled")
Row = dict[str, Any]
Did = tuple[str, str]
"""(the gate that decided, how)"""


class Undone(Exception):
    """Nothing of a state is kept."""


class Within:
    """A store whose transactions are all one, so that a state can be undone."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        yield self.tx


class State:
    """Agents, tasks, routines and wakeups as the dice have it."""

    def __init__(self, tx: Tx, workspace: str, dice: random.Random, ids: CountingIds) -> None:
        self.tx, self.workspace, self.dice, self.ids = tx, workspace, dice, ids
        for number in range(AGENTS):
            self._agent(f"a{number}")
        for number in range(TASKS):
            self._task(f"t{number}", number)
        for after, before in (("t1", "t0"), ("t3", "t0")):
            if dice.random() < 0.6:
                self._put(
                    "task_dependencies",
                    task_id=after,
                    depends_on_task_id=before,
                    dependency_type="hard",
                    source="user",
                    created_at=0,
                )
        for number in range(ROUTINES):
            self._routine(f"r{number}")
        for number in range(dice.randint(1, 3)):
            self._wakeup(f"w{number}")

    def _put(self, table: str, **values: object) -> None:
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        self.tx.write_sql(f"INSERT INTO {table} ({columns}) VALUES ({marks})", (*values.values(),))

    def _one(self, *several: Any) -> Any:
        return self.dice.choice(several)

    def _agent(self, name: str) -> None:
        self._put(
            "agents",
            id=name,
            workspace_id=self.workspace,
            name=name,
            role="worker",
            adapter="command",
            command='["true"]',
            account=name,
            status=str(self._one(*AgentStatus, *[AgentStatus.ACTIVE] * 12)),
            max_concurrent_sessions=3,
            cooldown_sec=0,
            skip_idle_wakeups=self._one(0, 1),
            created_at=0,
            updated_at=0,
        )

    def _task(self, name: str, number: int) -> None:
        held = self._one(None, None, None, "other")
        status = self._one(*TaskStatus, *[TaskStatus.TODO] * 6)
        self._put(
            "tasks",
            id=name,
            workspace_id=self.workspace,
            number=number + 1,
            title=name,
            status="in_progress" if held else str(status),
            assignee_agent_id=self._one("a0", "a0", "a1", None),
            base_branch="main",
            delivery="auto",
            checkout_agent_id="a1" if held else None,
            created_at=0,
            updated_at=0,
        )
        if held:
            self._put("leases", kind="task", key=name, run_id=f"{held} {name}", created_at=0)
        for who in ("person", "agent"):
            self._put(
                "comments",
                id=f"{who} {name}",
                task_id=name,
                author_type=who,
                author_id="somebody",
                text="And this",
                created_at=AT - 1,
            )

    def _routine(self, name: str) -> None:
        self._put(
            "office_routines",
            id=name,
            workspace_id=self.workspace,
            name=name,
            assignee_agent_id="a0",
            status=str(self._one(*RoutineStatus, *[RoutineStatus.ACTIVE] * 6)),
            concurrency_policy="always_enqueue",
            catch_up_policy="skip_missed",
            probe=self._one("none", "workspace_events", "workspace_events"),
            deleted_at=self._one(*[None] * 7, 1),
            created_at=0,
            updated_at=0,
        )
        if self._one(0, 1):  # it ran before, and perhaps something happened since
            run = f"run of {name}"
            self._put(
                "runs",
                id=run,
                workspace_id=self.workspace,
                wakeup_id="long ago",
                agent_id="a0",
                idempotency_key=run,
                status="finished",
                fence="",
                created_at=0,
            )
            self._firing(f"before {name}", name, "cron", run)
            self._event("run.starting", "run", run)
            if self._one(0, 1):
                self._event("task.created", "task", "t0")

    def _event(self, kind: str, subject: str, subject_id: str) -> None:
        self._put(
            "events",
            at=AT,
            kind=kind,
            actor_type="person",
            actor_id="joan",
            workspace_id=self.workspace,
            subject_type=subject,
            subject_id=subject_id,
            data="{}",
        )

    def _firing(self, name: str, routine: str, source: str, run: str | None = None) -> None:
        self._put(
            "office_routine_runs",
            id=name,
            workspace_id=self.workspace,
            routine_id=routine,
            trigger_id=name,
            source=source,
            status="done" if run else "received",
            scheduled_at=0,
            run_id=run,
            dispatch_fingerprint="",
            started_at=0,
        )

    def _wakeup(self, name: str) -> None:
        source = self._one("comment", "task_assigned", "user", "self", *["routine"] * 3)
        task = self._one(*[f"t{number}" for number in range(TASKS)] * 4, "nowhere")
        payload: Row = {"task_id": task}
        if source == "comment":
            payload["comment_id"] = f"{self._one('person', 'agent')} {task}"
        elif source == "user":
            task = self._one(task, None)
            payload = {"user_id": "joan"}
        elif source == "self":
            task, payload = None, {"reason": "look again"}
        elif source == "routine":
            task, routine = None, self._one("r0", "r1")
            self._firing(f"of {name}", routine, self._one("cron", "cron", "manual"))
            payload = {"routine_id": routine, "variables": {}, "firing_id": f"of {name}"}
        wakes = [{"wakeup_id": name, "source": source, "payload": payload, "at": AT}]
        self._put(
            "agent_wakeup_requests",
            id=name,
            workspace_id=self.workspace,
            agent_id="a0" if source == "routine" else self._one("a0", "a0", "a1"),
            task_id=task,
            source=source,
            reason="r",
            payload=json.dumps(payload),
            scope=f"task:{task}" if task else name,
            context_snapshot=json.dumps({"wakes": wakes}),
            status="queued",
            rank=1,
            retry_count=self._one(0, 0, 1),
            requested_at=AT - 10 + len(name),
        )

    # --- what there is -------------------------------------------------------------------------

    def row(self, table: str, key: str | None) -> Row | None:
        rows = self.tx.sql(f"SELECT * FROM {table} WHERE id = ?", (key,)) if key else []
        return dict(rows[0]) if rows else None

    def wakeups(self) -> dict[str, Wakeup]:
        rows = self.tx.sql("SELECT * FROM agent_wakeup_requests ORDER BY id")
        found = [read(Wakeup, Wakeups, row) for row in rows]
        return {one.id: one for one in found}

    def explained(self, one: Wakeup) -> Explanation:
        return explain.of_wakeup(self.tx, one, self.tx.now)

    # --- what is to come of it -----------------------------------------------------------------

    def reckoned(self, one: Wakeup) -> Did:
        """By the rows, gate by gate."""
        agent = self.row("agents", one.agent_id)
        assert agent is not None
        if agent["status"] in OFF:
            return "agent_status", OFF[agent["status"]]
        for gate, decided in (
            ("staleness", self._stale(one)),
            ("routine_standing", self._fallen(one)),
            ("idle_skip", self._idle(one, agent)),
            ("probe", self._nothing_new(one)),
            ("blockers", "blockers" if self._first(one) else None),
            ("task_lease", "checkout_contended" if self._taken(one) else None),
        ):
            if decided is not None:
                return gate, decided
        return "launch", "launched"

    def _stale(self, one: Wakeup) -> str | None:
        task = self.row("tasks", one.task_id)
        if task is None:
            return "task_not_found" if one.task_id else None
        said = self.row("comments", str(one.payload.get("comment_id")))
        ours = task["assignee_agent_id"] == one.agent_id
        opens = ours and said is not None and said["author_type"] == "person"
        if task["status"] == "failed" and opens:
            return None
        if task["status"] in OVER:
            again = one.retry_count and task["status"] == "cancelled"
            return "retry_task_cancelled" if again else "task_terminal"
        if ours or one.source == "user":
            return None
        return "retry_stale_assignee" if one.retry_count else "assignee_changed"

    def _fallen(self, one: Wakeup) -> str | None:
        if one.source != "routine":
            return None
        routine = self.row("office_routines", str(one.payload["routine_id"]))
        if routine is None or routine["deleted_at"] is not None:
            return "routine_removed"
        return None if routine["status"] == "active" else f"routine_{routine['status']}"

    def _by_time(self, one: Wakeup) -> bool:
        firing = self.row("office_routine_runs", str(one.payload.get("firing_id")))
        return one.source == "routine" and firing is not None and firing["source"] == "cron"

    def _idle(self, one: Wakeup, agent: Row) -> str | None:
        sql = "SELECT status FROM tasks WHERE assignee_agent_id = ?"
        status = {row["status"] for row in self.tx.sql(sql, (one.agent_id,))}
        idle = self._by_time(one) and agent["skip_idle_wakeups"]
        return "idle_skipped" if idle and not status & {"todo", "in_progress"} else None

    def _nothing_new(self, one: Wakeup) -> str | None:
        routine = self.row("office_routines", str(one.payload.get("routine_id")))
        if not self._by_time(one) or routine is None or routine["probe"] == "none":
            return None
        before = self._last_run(routine["id"])
        new = before is None or events.anything_since(self.tx, before)
        return None if new else "probe_false"

    def _last_run(self, routine: str) -> Run | None:
        sql = "SELECT run_id FROM office_routine_runs WHERE routine_id = ? AND run_id IS NOT NULL"
        found = [row["run_id"] for row in self.tx.sql(f"{sql} ORDER BY id", (routine,))]
        return runs.get(self.tx, found[-1]) if found else None

    def _first(self, one: Wakeup) -> bool:
        sql = (
            "SELECT 1 FROM task_dependencies AS d JOIN tasks AS t ON t.id = d.depends_on_task_id "
            "WHERE d.task_id = ? AND t.status <> 'done'"
        )
        return bool(self.tx.sql(sql, (one.task_id,)))

    def _taken(self, one: Wakeup) -> bool:
        return bool(self.tx.sql("SELECT 1 FROM leases WHERE key = ?", (one.task_id,)))


def judge(state: State, dispatcher: Dispatcher) -> Did | None:
    """One step of the dispatcher. None when it took nothing up."""
    claims.promote_due(state.tx)
    before = {key: one for key, one in state.wakeups().items() if one.status == "queued"}
    told = {key: state.explained(one) for key, one in before.items()}
    reckoned = {key: state.reckoned(one) for key, one in before.items()}
    took = dispatcher.step()
    after = state.wakeups()
    moved = [key for key, one in before.items() if one != after[key]]
    if not took:
        assert not moved and not [key for key, why in told.items() if why.code == "waits_turn"]
        return None
    (key,) = moved
    did, now = reckoned[key], after[key]
    assert _done(now) == did, (reckoned, now)
    _foretold(told[key], did)
    _told_afterwards(state.explained(now), now, did)
    return did


def _done(now: Wakeup) -> Did:
    """What the row says of it."""
    gate = str(now.decisions[-1]["gate"])
    if now.status == "claimed":
        return gate, "launched"
    return gate, str(now.cancel_reason or now.outcome or now.held_by)


def _foretold(told: Explanation, did: Did) -> None:
    gate, how = did
    if gate == "agent_status":
        assert told.code in (f"waits_{how}", "waits_agent_retired"), (told, did)
    else:
        assert told.code == ("waits_blockers" if gate == "blockers" else "waits_turn"), (told, did)


def _told_afterwards(told: Explanation, now: Wakeup, did: Did) -> None:
    gate, how = did
    verdicts = [str(one["verdict"]) for one in told.gates]
    if now.status == "queued":  # put back: the gates of now come after those of then
        assert told.code == f"waits_{how}", (told, did)
        verdicts = verdicts[: len(now.decisions)]
    else:
        assert told.code == f"wakeup_{now.outcome or now.status}", (told, did)
        assert told.values["reason"] == now.cancel_reason
        assert told.run_id == now.run_id and (how == "launched") == (now.run_id is not None)
    assert told.gates[len(verdicts) - 1]["gate"] == gate
    assert set(verdicts[:-1]) <= {"go"} and verdicts[-1] != "go"


EVERY = {
    ("agent_status", "agent_paused"),
    ("agent_status", "agent_stopped"),
    *(("staleness", f"task_{why}") for why in ("not_found", "terminal")),
    ("staleness", "assignee_changed"),
    ("staleness", "retry_stale_assignee"),
    ("staleness", "retry_task_cancelled"),
    *(("routine_standing", f"routine_{why}") for why in ("removed", "paused", "archived")),
    ("idle_skip", "idle_skipped"),
    ("probe", "probe_false"),
    ("blockers", "blockers"),
    ("task_lease", "checkout_contended"),
    ("launch", "launched"),
}


def judged(folder: Path, states: int, seed: int) -> Counter[Did]:
    """How often each answer was met in so many states: every step of the dispatcher is one."""
    ground, dice, seen = Ground(folder), random.Random(seed), Counter[Did]()
    workspace = ground.workspace().id
    while sum(seen.values()) < states:
        try:
            with ground.store.transaction() as tx:
                tx.sql("PRAGMA defer_foreign_keys = on")  # not all that is named is there
                state = State(tx, workspace, dice, ground.ids)
                store: Any = Within(tx)
                dispatcher = Dispatcher(store, ground.ids, lambda run: None)
                while (did := judge(state, dispatcher)) is not None:
                    seen[did] += 1
                raise Undone
        except Undone:
            pass
    ground.close()
    assert {*seen} == EVERY, seen
    return seen

"""Walks through states of the queue: what explain says is what the claim does next (N-03)."""

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from ground import NOW, Ground
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roundtable_desktop.engine import explain
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import AgentStatus, HoldState, Rank
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.store import agents, claims, holds, wakeups
from roundtable_desktop.store import settings as stored
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Wakeups

STEPS = 20
"""Each step of a walk is a state."""

AGENTS, ACCOUNTS = 3, 2
seconds = st.integers(-4, 6)
agent = st.integers(0, AGENTS - 1)


@dataclass(frozen=True)
class Act:
    """One thing that happens to the queue; see `Walk`."""

    name: str
    words: tuple[Any, ...]


def act(name: str, *words: st.SearchStrategy[Any]) -> st.SearchStrategy[Act]:
    return st.builds(Act, st.just(name), st.tuples(*words))


wake = st.tuples(
    agent,
    st.sampled_from(Rank),
    st.booleans(),
    st.one_of(st.none(), seconds),
    st.sampled_from(["retry", "limit", "window", "checkout_contended"]),
    st.sampled_from([0, 3, 899, 901, 2000]),
    st.sampled_from([None, None, None, "waits"]),
)
ACTS = st.one_of(
    act("wake", st.lists(wake, min_size=1, max_size=5)),
    act("wake", st.lists(wake, min_size=2, max_size=3)),
    act("pass_by", st.integers(1, 6)),
    act("change", agent, st.sampled_from([*AgentStatus, *[AgentStatus.ACTIVE] * 3])),
    act("allow", agent, st.integers(0, 2), st.integers(0, 8)),
    act("rest", agent),
    act("settle", st.integers(0, 9)),
    act("again", st.integers(0, 9), seconds),
    act(
        "hold",
        st.integers(0, ACCOUNTS - 1),
        st.one_of(st.none(), agent),
        st.sampled_from(HoldState),
        seconds,
    ),
    act("prove", st.integers(0, 9)),
    act("intake", st.booleans()),
    act("finish_blocker", st.booleans()),
)


EVERY = [
    f"waits_{why}"
    for why in (
        "turn",
        "order",
        "intake",
        "retry",
        "limit",
        "window",
        "checkout_contended",
        "capacity",
        "cooldown",
        "account",
        "model",
        "trial",
        "spread",
        "blockers",
        "agent_paused",
        "agent_stopped",
    )
]
OFF = ("waits_agent_paused", "waits_agent_stopped", "waits_agent_retired")


class Walk:
    """Rows as every command of the product could leave them, within one transaction."""

    def __init__(self, tx: Tx, workspace: str) -> None:
        self.tx, self.workspace, self.number = tx, workspace, itertools.count()
        self.made: list[str] = []
        for index in range(AGENTS):
            agent_row = "INSERT INTO agents (id, workspace_id, name, role, adapter, command, status"
            tx.write_sql(
                f"{agent_row}, created_at, updated_at, account) VALUES (?, ?, ?, 'worker', "
                "'command', '[\"true\"]', 'active', 0, 0, ?)",
                (f"a{index}", workspace, f"a{index}", f"account{index % ACCOUNTS}"),
            )
        for number, task in enumerate(("first", "waits"), 1):
            tx.write_sql(
                "INSERT INTO tasks (id, workspace_id, number, title, status, base_branch, delivery,"
                " created_at, updated_at) VALUES (?, ?, ?, 't', 'todo', 'main', 'auto', 0, 0)",
                (task, workspace, number),
            )
        tx.write_sql(
            "INSERT INTO task_dependencies (task_id, depends_on_task_id, dependency_type, source,"
            " created_at) VALUES ('waits', 'first', 'hard', 'user', 0)",
            (),
        )
        tx.write_sql(
            "INSERT INTO runs (id, workspace_id, wakeup_id, agent_id, idempotency_key, status,"
            " fence, created_at) VALUES ('met', ?, 'long ago', 'a0', 'met', 'failed', '', 0)",
            (workspace,),
        )

    def wake(self, several: list[tuple[Any, ...]]) -> None:
        for one in several:
            self._wake(*one)

    def _wake(
        self,
        one: int,
        rank: Rank,
        by_person: bool,
        due: int | None,
        why: str,
        age: int,
        task: str | None,
    ) -> None:
        name = f"w{next(self.number):04d}"
        at = None if due is None else micros(self.tx.now + timedelta(seconds=due))
        self.tx.write_sql(
            "INSERT INTO agent_wakeup_requests (id, workspace_id, agent_id, task_id, source,"
            " reason, scope, status, rank, requested_at, scheduled_retry_at, held_by)"
            " VALUES (?, ?, ?, ?, ?, 'r', 'agent', 'queued', ?, ?, ?, ?)",
            (
                name,
                self.workspace,
                f"a{one}",
                task,
                "user" if by_person else "comment",
                0 if by_person else list(Rank).index(rank),
                micros(self.tx.now - timedelta(seconds=age)),
                at,
                why if at else None,
            ),
        )

    def pass_by(self, span: int) -> None:
        self.tx.now += timedelta(seconds=span)

    def change(self, one: int, status: AgentStatus) -> None:
        self._agent(one, status=str(status))

    def allow(self, one: int, most: int, cooldown: int) -> None:
        self._agent(one, max_concurrent_sessions=most, cooldown_sec=cooldown)

    def rest(self, one: int) -> None:
        agents.touch_finished(self.tx, f"a{one}")

    def _agent(self, one: int, **columns: object) -> None:
        for column, value in columns.items():
            self.tx.write_sql(f"UPDATE agents SET {column} = ? WHERE id = ?", (value, f"a{one}"))

    def _claimed(self, one: int) -> str | None:
        rows = self.tx.sql("SELECT id FROM agent_wakeup_requests WHERE status = 'claimed'")
        return str(rows[one % len(rows)]["id"]) if rows else None

    def settle(self, one: int) -> None:
        sql = "UPDATE agent_wakeup_requests SET status = 'finished' WHERE id = ?"
        self.tx.write_sql(sql, (self._claimed(one),))

    def again(self, one: int, due: int) -> None:
        at = micros(self.tx.now + timedelta(seconds=due))
        sql = "UPDATE agent_wakeup_requests SET status = 'queued', held_by = 'retry', "
        self.tx.write_sql(f"{sql} scheduled_retry_at = ? WHERE id = ?", (at, self._claimed(one)))

    def hold(self, account: int, one: int | None, state: HoldState, until: int) -> None:
        at = micros(self.tx.now + timedelta(seconds=until))
        self.tx.write_sql(
            "REPLACE INTO provider_holds (account, agent_id, state, until_at, kind, run_id,"
            " since_at) VALUES (?, ?, ?, ?, 'rate_limited', 'met', 0)",
            (f"account{account}", "" if one is None else f"a{one}", str(state), at),
        )

    def prove(self, one: int) -> None:
        holds.proven(self.tx, self._claimed(one) or "")

    def finish_blocker(self, done: bool) -> None:
        status = "done" if done else "todo"
        self.tx.write_sql("UPDATE tasks SET status = ? WHERE id = 'first'", (status,))

    def intake(self, is_open: bool) -> None:
        word = '"open"' if is_open else '"paused"'
        self.tx.write_sql(
            "REPLACE INTO settings (scope, key, value, updated_at, actor)"
            " VALUES ('global', 'intake', ?, 0, 'test')",
            (word,),
        )


def queued(tx: Tx) -> list[Wakeup]:
    rows = tx.sql("SELECT * FROM agent_wakeup_requests WHERE status = 'queued'")
    return [read(Wakeup, Wakeups, row) for row in rows]


def check(tx: Tx) -> list[str]:
    """One state: what is next by explain is what is claimed, and nothing where nothing is. What
    was said of those that wait."""
    claims.promote_due(tx)
    waiting = queued(tx)
    told = {one.id: explain.of_wakeup(tx, one, tx.now) for one in waiting}
    ready = [one for one in waiting if told[one.id].code == "waits_turn" or _met(tx, one, told)]
    ready.sort(key=lambda one: (one.rank, one.requested_at, one.id))
    claimed = None
    if stored.of_home(tx).intake == "open":  # as the dispatcher does
        claimed = claims.claim_next(tx)
    assert (claimed.id if claimed else None) == (ready[0].id if ready else None), {
        name: why.code for name, why in told.items()
    }
    if claimed is not None and told[claimed.id].code == "waits_blockers":
        at = tx.now + timedelta(seconds=2)
        wakeups.requeue(tx, claimed, at=at, held_by="blockers", retry_count=0)
    return [why.code for why in told.values()]


def _met(tx: Tx, one: Wakeup, told: Mapping[str, Explanation]) -> bool:
    """It is taken up next, and then a gate finds what must come first, or that its agent may not
    run; held for that already, it is not taken up."""
    due = one.scheduled_retry_at is None or one.scheduled_retry_at <= tx.now
    return due and told[one.id].code in ("waits_blockers", *OFF)


class Undone(Exception):
    """Nothing of a walk is kept."""


def agree(folder: Path, walks: int) -> None:
    """Of so many walks, each state: every answer is met, and none of them by chance only."""
    ground, seen = Ground(folder), Counter[str]()
    workspace = ground.workspace()

    @settings(
        max_examples=walks,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(ACTS, min_size=STEPS, max_size=STEPS))
    def walked(acts: list[Act]) -> None:
        try:
            with ground.store.transaction() as tx:
                tx.now = NOW
                tx.sql("PRAGMA defer_foreign_keys = on")  # its runs have no wakeups
                walk = Walk(tx, workspace.id)
                for one in acts:
                    getattr(walk, one.name)(*one.words)
                    seen.update(["state", *check(tx)])
                raise Undone
        except Undone:
            pass

    walked()
    ground.close()
    assert seen["state"] >= walks * STEPS * 0.97
    assert min(seen[code] for code in EVERY) > walks / 26, seen

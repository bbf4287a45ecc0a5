"""200 random stories of usage, caps, raises and ends of months, each held against the raw rows."""

import json
import random
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from ground import JOAN, Ground

from roundtable_desktop.engine import budgets as engine
from roundtable_desktop.engine import spools
from roundtable_desktop.engine.desk import Asked, budgets
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.model.budgets import Budget, OnExceed
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import RunOutcome, RunStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import budgets as rows
from roundtable_desktop.store import runs, usage, wakeups
from roundtable_desktop.store.db import Store

SEQUENCES, STEPS = 200, 12


@dataclass
class Story:
    """One workspace with an agent and a budget; `live` has the spools of runs that go on."""

    ground: Ground
    dice: random.Random
    agent: Agent
    budget: Budget
    born: list[str] = field(default_factory=list)
    live: dict[str, int] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)

    def now(self) -> Budget:
        with self.ground.reader.snapshot() as view:
            found = rows.get(view, self.budget.id)
        assert found is not None
        return found

    def by_hand(self) -> int:
        """What the raw rows of the month add up to; what is not said adds nothing, and is no 0."""
        at = self.ground.clock.now()
        begins = micros(at.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
        if self.budget.meter == "runs":
            return sum(one["created_at"] >= begins for one in self.raw("runs"))
        entries = [one for one in self.raw("usage_entries") if one["at"] >= begins]
        tokens = ("input_tokens", "output_tokens")
        names = ("cost_nano",) if self.budget.meter == "money" else tokens
        return sum(one[name] for one in entries for name in names if one[name] is not None)

    def raw(self, table: str) -> list[dict[str, Any]]:
        with self.ground.reader.snapshot() as view:
            text = f"SELECT * FROM {table} WHERE workspace_id = ?"
            return [dict(row) for row in view.sql(text, (self.agent.workspace_id,))]

    def full(self) -> bool:
        now = self.now()
        at = self.ground.clock.now()
        most = now.most + (now.extra if now.extra_until_at and at < now.extra_until_at else 0)
        return self.by_hand() >= most and now.action_on_exceed is not OnExceed.NOTIFY_ONLY

    def start(self) -> None:
        self.ground.wakeup(self.agent)
        was_full, before = self.full(), len(self.born)
        begun: list[str] = []
        dispatcher = Dispatcher(self.ground.store, self.ground.ids, begun.append)
        while dispatcher.step():
            pass
        mine = {str(one["id"]) for one in self.raw("runs")}
        self.born += [one for one in begun if one in mine]  # others' months ended, too
        if was_full:
            assert len(self.born) == before, "a run started over its cap"
        for run_id in self.born[before:]:
            self.live[run_id] = 0
            fence = self.ground.get_run(run_id).fence
            self.say(run_id, "hello", protocol=1, pid=1, boot="b", ticks=1, fence=fence, control="")

    def say(self, run_id: str, kind: str, **words: Any) -> None:
        self.live[run_id] += 1
        line = {"seq": self.live[run_id], "at": micros(self.ground.clock.now()), "kind": kind}
        run, text = self.ground.get_run(run_id), json.dumps({**line, **words}).encode() + b"\n"
        with self.ground.store.transaction() as tx:
            applied = spools.apply(tx, run, text, self.ground.ids, lambda at: at)
        assert applied is not None
        self.stopped |= set(applied.over)
        if kind == "usage" and self.budget.meter != "runs" and self.full():
            assert set(self.live) <= self.stopped, "a run went on over its cap"

    def use(self) -> None:
        if not self.live:
            return
        words: dict[str, Any] = {"turn": self.dice.randrange(3)}
        for name in ("input_tokens", "output_tokens"):
            words |= {name: self.dice.randrange(900)} if self.dice.random() < 0.8 else {}
        words |= {"cost_usd": self.dice.randrange(4) / 4} if self.dice.random() < 0.7 else {}
        self.say(self.dice.choice(sorted(self.live)), "usage", **words)

    def finish(self) -> None:
        if not self.live:
            return
        run_id = self.dice.choice(sorted(self.live))
        del self.live[run_id]
        with self.ground.store.transaction() as tx:
            run = runs.get(tx, run_id)
            assert run is not None
            runs.finish(tx, run, RunStatus.FINISHED, outcome=RunOutcome.DONE, data={})
            wakeup = wakeups.get(tx, run.wakeup_id)
            assert wakeup is not None
            done = WakeupStatus.FINISHED
            wakeups.settle(tx, wakeup, done, outcome=WakeupOutcome.EXECUTED)

    def raise_it(self) -> None:
        now = self.now()
        desk: Any = SimpleNamespace(store=self.ground.store, ids=self.ground.ids)
        more = self.dice.randrange(1, now.most + 2)
        budgets.edit(desk, Asked(JOAN), now.id, most=now.most + more)

    def month_ends(self) -> None:
        self.ground.clock.forward(seconds=timedelta(days=32).total_seconds())
        with self.ground.store.transaction() as tx:
            engine.pass_time(tx, self.ground.ids)

    def check(self) -> None:
        """The engine's sum is that of the raw rows, and what nobody said is counted as unknown."""
        with self.ground.reader.snapshot() as view:
            now = engine.standing(view, self.now_in(view), self.ground.clock.now())
            at = self.ground.clock.now()
            since = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            until, where = at + timedelta(days=40), self.agent.workspace_id
            [total] = usage.totals(view, "all", since, until, where) or [None]
        assert now.spent == self.by_hand()
        if total is not None:
            entries = [one for one in self.raw("usage_entries") if one["at"] >= micros(since)]
            unknown = {one["run_id"] for one in entries if one["cost_source"] is None}
            assert total.unknown_cost_runs == len(unknown)
            known = [one["cost_nano"] for one in entries if one["cost_nano"] is not None]
            assert total.cost_nano == (sum(known) if known else None)

    def now_in(self, view: Any) -> Budget:
        found = rows.get(view, self.budget.id)
        assert found is not None
        return found


def begin(ground: Ground, number: int) -> Story:
    dice = random.Random(number)
    agent = ground.agent(ground.workspace(), cooldown_sec=0, max_concurrent_sessions=3)
    meter = dice.choice(["tokens", "money", "runs"])
    most = {"tokens": 1000, "money": 10**9, "runs": 3}[meter] * dice.randrange(1, 3)
    desk: Any = SimpleNamespace(store=ground.store, ids=ground.ids)
    made = budgets.add(
        desk,
        Asked(JOAN),
        agent.workspace_id,
        scope=dice.choice(["workspace", "agent"]),
        scope_id=agent.id,
        meter=meter,
        period="month",
        most=most,
        action_on_exceed=dice.choice(["pause_agent", "block_new_tasks", "notify_only"]),
    )
    return Story(ground, dice, agent, made)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.proves("budget sequences", "W-22")
def test_no_run_starts_over_a_cap_or_goes_on_beyond_one_message(ground: Ground) -> None:
    ground.store.close()
    ground.store = Store(ground.path, ground.clock, durable=False)  # no power fails here
    born = blocked = 0
    for number in range(SEQUENCES):
        story = begin(ground, number)
        acts = [story.start] * 5 + [story.use] * 6 + [story.finish] * 3
        acts += [story.raise_it, story.month_ends]
        for _ in range(STEPS):
            story.dice.choice(acts)()
            story.check()
        while story.live:
            story.finish()
        born += len(story.born)
        held = [one["outcome"] for one in story.raw("agent_wakeup_requests")]
        blocked += sum(one in ("budget_blocked", "agent_paused") for one in held)
    assert born > SEQUENCES and blocked > 20

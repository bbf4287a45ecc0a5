"""What else comes in a hard week: strangers' deliveries, work behind gates, limits of a shared
account. Whoever asks an owner that dies meanwhile hears nothing, and asks again."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ground import JOAN
from kills import gating, hooking
from kills.ledgers import Acked
from simulated import Killed, World

from roundtable_desktop.adapters.pretend import Ending
from roundtable_desktop.engine.desk import Asked, inbox, routines, tasks, webhooks
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.desk.look_webhooks import LookWebhooks
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.engine.desk.webhooks import Call
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.gates import GateKind, Word
from roundtable_desktop.model.gates import Wanted as Gate
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import LIVE_RUNS, ConcurrencyPolicy, TriggerKind
from roundtable_desktop.model.webhooks import Said, SigningMode
from roundtable_desktop.store import inbox as items
from roundtable_desktop.store import runs

ASKED = Asked(JOAN)
OPEN_TO_ALL = Wanted(TriggerKind.WEBHOOK, signing_mode=SigningMode.NONE, accept_unsigned=True)
"""A pretend world has no secrets; that a signature counts is proved elsewhere."""
ANSWERS = ("approve", "approve", "reject", "ask_again", "pass_gate", "send_back")
WORDS = (Word.APPROVE, Word.APPROVE, Word.APPROVE_WITH_NOTES, Word.REVISE, Word.ABSTAIN, None)
"""None: its turn ends without a vote."""


def insist(world: World, at: datetime, act: Callable[[], object]) -> None:
    def deed() -> None:
        try:
            act()
        except Killed:
            insist(world, world.clock.now(), act)
            raise

    world.at(at, deed)


class Strangers:
    """Three routines with a webhook each, and whoever calls them. told: of each delivery, by its
    name, the firings that were answered."""

    def __init__(self, world: World, workspace_id: str, agents: Sequence[str]) -> None:
        self._world = world
        self._look = LookWebhooks(world.ground.reader, world.clock)
        self.told: dict[str, list[str]] = {}
        self.addresses: list[str] = []
        for policy, agent in zip(ConcurrencyPolicy, agents, strict=True):
            heavy = policy is ConcurrencyPolicy.ALWAYS_ENQUEUE
            wanted = NewRoutine(
                workspace_id=workspace_id,
                name=f"called {policy}",
                assignee_agent_id=agent,
                concurrency_policy=policy,
                template=Template("Called {{datetime}}", "Do it.") if heavy else None,
                triggers=[OPEN_TO_ALL],
            )
            made = routines.create(world.desk, ASKED, wanted)
            (hook,) = (
                one
                for one in world.ground.rows("office_routine_triggers")
                if one["routine_id"] == made.id and one["kind"] == "webhook"
            )
            self.addresses.append(hook["public_id"])

    def send(self, name: str, at: datetime, chance: random.Random) -> None:
        """Until it is answered; some are sent again an hour later."""
        self.told[name] = []
        act = partial(self._send, chance.choice(self.addresses), name)
        insist(self._world, at, act)
        if chance.random() < 0.3:
            insist(self._world, at + timedelta(hours=1), act)

    def _send(self, address: str, name: str) -> None:
        call = Call(address, Said(), name, b"{}")
        proven = webhooks.proven(self._world.desk, self._look, call)
        assert proven is not None
        made = webhooks.receive(self._world.desk, proven, {})
        assert made is not None
        self.told[name].append(made.id)

    def check(self) -> None:
        """Each was answered, fired once, and nothing else did."""
        rows = self._world.ground.rows
        assert [name for name, ids in self.told.items() if not ids] == []
        acks = [Acked(name, "hook", one) for name, ids in self.told.items() for one in ids]
        firings, kept = rows("office_routine_runs"), rows("webhook_deliveries")
        assert hooking.judge(firings, kept, acks) == []


class Judges:
    """Two reviewers of what one agent does, and a person behind them, who looks in at times."""

    def __init__(self, world: World, workspace_id: str, worker: str, who: Sequence[str]) -> None:
        self._world, self._workspace_id, self._worker, self._who = world, workspace_id, worker, who
        self._agency = Agency(world.desk, world.ground.reader)

    def hand_over(self, at: datetime) -> None:
        review = Gate(kind=GateKind.REVIEW, agents=tuple(self._who))
        behind = (Gate(kind=GateKind.APPROVAL),) * (self._world.chance.random() < 0.5)
        words = {"title": "Judged", "assignee_agent_id": self._worker, "gates": (review, *behind)}
        name = f"hand over at {at}"
        asked = replace(ASKED, key=name, fingerprint=name)
        act = partial(tasks.create, self._world.desk, asked, self._workspace_id, **words)
        insist(self._world, at, act)

    def launched(self, run: Run, ending: Ending) -> None:
        """Halfway through its turn it votes, if it is one of theirs."""
        word = self._world.chance.choice(WORDS)
        if run.gate_id is not None and word is not None:
            act = partial(self._vote, run, word)
            insist(self._world, self._world.clock.now() + ending.after / 2, act)

    def _vote(self, run: Run, word: Word) -> None:
        with self._world.ground.reader.snapshot() as view:
            now = runs.get(view, run.id)
        if now is None or now.status not in LIVE_RUNS:
            return
        task_id = str(run.payload["task_id"])
        holder = Holder(
            run_id=run.id,
            agent_id=run.agent_id,
            task_id=task_id,
            workspace_id=run.workspace_id,
            gate_id=run.gate_id,
        )
        with suppress(Refused):  # it has voted before it heard so, or nobody waits for it
            self._agency.vote(holder, word, f"I say {word}", (), None)

    def look_in(self, at: datetime) -> None:
        """A person answers all that is asked about gates."""
        insist(self._world, at, self._answer)

    def _answer(self) -> None:
        world = self._world
        for row in world.ground.rows("inbox_items"):
            if row["status"] != "open":
                continue
            with world.ground.reader.snapshot() as view:
                item = items.get(view, row["id"])
            assert item is not None
            options: Any = item.data.get("options", ())
            known = [one["kind"] for one in options if one["kind"] in ANSWERS]
            if known:
                with suppress(Refused):
                    inbox.act(world.desk, ASKED, item.id, world.chance.choice(known))

    def check(self) -> None:
        """Each reviewer of each round was asked, and once; no gate hangs, none was gone past."""
        rows = self._world.ground.rows
        events = rows("events")
        told = gating.Asked(
            gates=rows("gates"),
            verdicts=rows("verdicts"),
            wakeups=rows("agent_wakeup_requests"),
            runs=rows("runs"),
            requests=[one for one in events if one["kind"] == "proposal.review_requested"],
            questions=[one for one in events if gating.asks_person(one)],
            tasks=rows("tasks"),
            approvals=rows("approvals"),
            proposals=rows("proposals"),
            items=[one for one in rows("inbox_items") if one["status"] == "open"],
        )
        assert gating.judge(told) == gating.Found()
        assert {one["status"] for one in told.verdicts} >= {"given"}
        assert any(one["status"] == "passed" for one in told.gates)


@dataclass
class Limits:
    """What agents of one account meet at their provider. spans: for each time that it was met, its
    account, when it was told and when it is over."""

    due: list[tuple[datetime, str, Ending, timedelta]]
    spans: list[tuple[str, datetime, datetime]] = field(default_factory=list)
    launches: list[tuple[str, datetime]] = field(default_factory=list)

    def met(self, account: str, now: datetime) -> Ending | None:
        self.launches.append((account, now))
        for one in self.due:
            at, whose, ending, lasts = one
            if now > at and whose in ("", account):
                self.due.remove(one)
                told = now + ending.after
                self.spans.append((account, told, told + lasts))
                return ending
        return None

    def check(self) -> None:
        """None of an account began while it was held; work waited, and went on behind it."""
        assert self.due == []
        for account, told, over in self.spans:
            ours = [at for whose, at in self.launches if whose == account]
            assert [at for at in ours if told < at < over] == []
            assert any(at >= over for at in ours)

"""What a load asks for besides tasks: fires, also by webhooks, comments, wakes, limits, pauses,
gates, approvals, missions."""

import contextlib
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from kills.approving import Approving
from kills.gating import Gating
from kills.hooking import DECLARED, TRIGGER, Sender
from kills.missioning import Missioning
from kills.owners import Owners, Refusal
from kills.posting import Wish

OFFICE = "/api/office/routines"
LIGHT = "@work 0.15 fire {{key}}"
HEAVY = {"title": "{{key}}", "description": "@work 0.15 fire {{key}} write {{key}}.txt"}
POLICIES = ("coalesce_if_active", "skip_if_active", "always_enqueue")
MISSIONS = 1 / 12
"""The share of it that is a mission."""
ZONES = ("UTC", "Asia/Kolkata", "America/New_York")
SELF = '@demo tool wake_self {"reason": "look again", "in": "2s"}\n@demo write %s.txt done'


class Ground(Protocol):
    """Where the mixture is laid out: a `Site`."""

    owners: Owners
    home: Path
    workspace: str
    agents: list[str]
    branch: str

    def add_agent(self, name: str, command: list[str], sessions: int, **more: Any) -> str: ...


class Mixture:
    """Routines of each policy that are fired by hand, two that fire each minute, agents of one
    account at a provider with limits, one that wakes itself, two that are answered to, routines
    that strangers fire, two reviewers, and two for missions. Needs a living owner."""

    def __init__(self, ground: Ground, ledger: list[str], missions: float = MISSIONS) -> None:
        self._ground, self._ask, self._missions = ground, ground.owners.ask, missions
        names = ("ticks", "fires", "limited-0", "limited-1")
        self.ticks, self.fires, *self.limited = (
            ground.add_agent(
                name,
                ledger,
                1 if name in names[2:] else 3,
                account="provider" if name in names[2:] else name,
                skip_idle_wakeups=False,
            )
            for name in names
        )
        self.selfish = ground.add_agent("selfish", [], 1, adapter="demo")
        quiet = ground.add_agent("looked at", ledger, 2)
        asking = ground.add_agent("asking", [], 2, adapter="demo")
        self.approving = Approving(ground.home, quiet, asking)
        names = ("looks first", "looks second")
        reviewers = [ground.add_agent(one, [], 2, adapter="demo") for one in names]
        self.gating = Gating(quiet, reviewers)
        names = ("builds first", "builds second")
        builders = [ground.add_agent(one, ledger, 3) for one in names]
        self.missioning = Missioning(ground, builders)
        self.agents = [self.ticks, self.fires, *self.limited, self.selfish, quiet, asking]
        self.agents += [*reviewers, *builders, *ground.agents]
        self._paused: str | None = None
        every = [{"kind": "schedule", "cron_expression": "* * * * *", "timezone": z} for z in ZONES]
        self._routine("ticks", "@work 0.1 nothing", self.ticks, POLICIES[2], every)
        tick = {"title": "tick-{{datetime}}", "description": "@work 0.1 nothing"}
        self._routine("heavy ticks", "", self.ticks, POLICIES[2], every[:1], task_template=tick)
        self.by_hand = [self._routine(one, LIGHT, self.fires, one) for one in POLICIES]
        self.by_hand += [
            self._routine(f"heavy {one}", "", self.fires, one, task_template=HEAVY)
            for one in POLICIES
        ]
        self.senders = [self._hooked(f"called {one}", LIGHT, one) for one in POLICIES]
        self.senders += [self._hooked("heavy called", "", POLICIES[2], task_template=HEAVY)]

    def _hooked(self, name: str, text: str, policy: str, **more: Any) -> Sender:
        more |= {"variables": DECLARED}
        made = self._made(name, text, self.fires, policy, [TRIGGER], **more)
        return Sender(self._ground.owners, made["triggers"][0]["url"])

    def _routine(self, *given: Any, **more: Any) -> str:
        return str(self._made(*given, **more)["id"])

    def _made(
        self, name: str, text: str, agent: str, policy: str, triggers: Any = (), **more: Any
    ) -> Any:
        body = {
            "workspace_id": self._ground.workspace,
            "name": name,
            "description": text,
            "assignee_agent_id": agent,
            "concurrency_policy": policy,
            "triggers": list(triggers),
            **more,
        }
        return self._ask("POST", OFFICE, body)

    def wish(self, key: str, dice: random.Random, tasks: Sequence[str]) -> Wish:
        """The first of all is a mission."""
        if not self.missioning.begun or dice.random() < self._missions:
            return self.missioning.wish(key, dice)
        draw = dice.random()
        if draw < 0.2:
            path = f"{OFFICE}/{dice.choice(self.by_hand)}/fire"
            return Wish("fire", path, {"variables": {"key": key}})
        if draw < 0.34:
            return dice.choice(self.senders).wish(key, dice)
        if draw < 0.44:
            return self.gating.wish(key, dice, self._body(key))
        if draw < 0.53 and tasks:
            return Wish("comment", f"/tasks/{dice.choice(tasks)}/comments", {"text": key})
        if draw < 0.64:
            return self._wake(key, dice)
        if draw < 0.71:
            return self._pause_or_resume(dice)
        if draw < 0.77:
            told = f"@work 0.1 limit write {key}.txt"
            return self._task(key, told, dice.choice(self.limited))
        if draw < 0.8:
            return self._task(key, SELF % key, self.selfish)
        return self.approving.wish(key, dice, self._body(key))

    def _wake(self, key: str, dice: random.Random) -> Wish:
        """Half of them a few seconds ahead."""
        body: dict[str, Any] = {"context": f"@work 0.1 fire {key}"}
        if dice.random() < 0.5:
            at = datetime.now(UTC) + timedelta(seconds=dice.uniform(1, 5))
            body["at"] = at.isoformat().replace("+00:00", "Z")
        return Wish("wake", f"/agents/{dice.choice([self.fires, self.ticks])}/wake", body)

    def _pause_or_resume(self, dice: random.Random) -> Wish:
        """One at a time; the next wish of this kind lets it go on."""
        agent, deed = (
            self._paused or dice.choice(self.agents),
            "resume" if self._paused else "pause",
        )
        self._paused = None if self._paused else agent
        return Wish(deed, f"/agents/{agent}/{deed}", None)

    def _task(self, key: str, told: str, agent: str) -> Wish:
        more = {"description": told, "assignee_agent_id": agent, "retry_budget": 1}
        return Wish("task", "/tasks", {**self._body(key), **more})

    def _body(self, key: str) -> dict[str, Any]:
        ground = self._ground
        return {"workspace_id": ground.workspace, "title": key, "base_branch": ground.branch}

    def go_on(self) -> None:
        """Whoever is paused works again."""
        for agent in self.agents:
            self._ask("POST", f"/agents/{agent}/resume")

    def try_again(self) -> bool:
        """What was set aside, as a person does; whether there was any of it."""
        items = self._ask("GET", "/inbox?status=open&kind=agent.error&limit=200")["items"]
        aside = [one["id"] for one in items if one["data"]["outcome"] == "quarantined"]
        for item in aside:
            with contextlib.suppress(Refusal):  # its task is over meanwhile
                self._ask("POST", f"/inbox/{item}/act", {"action": "retry"})
        return bool(aside)

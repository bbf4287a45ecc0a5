"""Brings back what was kept from running: by a pause of its agent (C-10), or by a budget (C-81)."""

import itertools
from collections.abc import Iterable, Sequence
from datetime import timedelta

from roundtable_desktop.engine import wakers
from roundtable_desktop.engine.routines import TOGETHER
from roundtable_desktop.model.holds import SPACING
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Agent, Wakeup
from roundtable_desktop.model.states import Source
from roundtable_desktop.store import budgets, firings, wakeups
from roundtable_desktop.store.db import Tx

AGENT_RESUMED = "agent_resumed"
BUDGET_FREED = "budget_freed"


def of_agent(tx: Tx, ids: Ids, agent: Agent, actor: Actor) -> None:
    """It may work again."""
    budgets.free_agent(tx, agent.id)
    held = [one for one in budgets.blocked_of(tx, agent.id) if budgets.free_wakeup(tx, one)]
    kept = [*wakeups.kept_back(tx, agent.id), *_named(tx, held)]
    kept.sort(key=lambda one: one.id)
    causes = [wakers.anew(one, AGENT_RESUMED, _key(one), actor=actor) for one in kept]
    _again(tx, ids, agent, kept, causes)


def freed(tx: Tx, ids: Ids, agent: Agent, wakeup_ids: Iterable[str], actor: Actor) -> int:
    """What a budget held back of this agent. Their number."""
    held = _named(tx, [one for one in wakeup_ids if budgets.free_wakeup(tx, one)])
    causes = [wakers.anew(one, BUDGET_FREED, _key(one), actor=actor) for one in held]
    _again(tx, ids, agent, held, causes)
    return len(held)


def _key(kept: Wakeup) -> str:
    return f"resume:{kept.id}:1"


def _again(
    tx: Tx, ids: Ids, agent: Agent, kept: Sequence[Wakeup], causes: Sequence[wakeups.Cause]
) -> None:
    """Staleness decides anew whether each is still wanted."""
    spread = step_by_step(agent, (one.source is Source.USER for one in kept))
    for one, cause, later in zip(kept, causes, spread, strict=True):
        firings.carried_by(tx, one.id, wakers.wake(tx, ids.new(), cause, spread=later))


def step_by_step(agent: Agent, of_a_person: Iterable[bool]) -> list[timedelta]:
    """How much later each of them starts: two at once, then two every few seconds, as far as the
    agent could start more at once (B-076)."""
    number, most = itertools.count(), agent.max_concurrent_sessions
    if most <= TOGETHER:
        return [timedelta(0) for _ in of_a_person]
    return [
        timedelta(0) if person else SPACING * (min(next(number), most) // TOGETHER)
        for person in of_a_person
    ]


def _named(tx: Tx, ids: Iterable[str]) -> list[Wakeup]:
    found = (wakeups.get(tx, one) for one in ids)
    return [one for one in found if one is not None]

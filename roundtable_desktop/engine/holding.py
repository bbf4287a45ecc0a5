"""Holds a provider account whose limit a run met, and frees it when one shows that it is over."""

from dataclasses import replace

from roundtable_desktop.model.holds import PATIENCE, SPACING, ProviderHold
from roundtable_desktop.model.ports import Dice
from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.states import TURN_ENDED, HoldState, RunOutcome
from roundtable_desktop.rules import accounts
from roundtable_desktop.rules.executor import model_of
from roundtable_desktop.rules.limits import Verdict
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.store import agents, holds, settings
from roundtable_desktop.store.db import Tx, View

TOLD_BYTES = 200


def settled(tx: Tx, run: Run, settlement: Settlement, dice: Dice) -> bool:
    """Part of the transaction that settles the run (C-37). Whether it was a trial that a person
    asked for, before the limit's end, and the provider refused."""
    if settlement.outcome is RunOutcome.LIMITED and settlement.limit is not None:
        if settlement.kind in accounts.HOLDING:
            return _hold(tx, run, settlement.limit, dice)
    elif settlement.outcome in TURN_ENDED:
        holds.proven(tx, run.wakeup_id)
    return False


def _hold(tx: Tx, run: Run, limit: Verdict, dice: Dice) -> bool:
    """A limit of one model holds the agents of the account that use it; of two limits the longer
    one holds."""
    agent = agents.get(tx, run.agent_id)
    assert agent is not None and limit.error is not None
    scope = agent.id if limit.model else ""
    found = [one for one in holds.of_agent(tx, agent) if one.agent_id == scope]
    before = found[0] if found and found[0].state is HoldState.HELD else None
    again = before is not None and before.trial_id == run.wakeup_id
    asked = before is not None and again and holds.freed_by_person(tx, before)
    tries = before.tries + (again and not asked) if before else 0
    until = accounts.held_until(limit.retry_at, tries, tx.now, dice)
    told = clip(limit.matched or "", TOLD_BYTES) or None
    first = _first_alike(tx, agent, limit.model)
    if first is not None and first.agent_id != agent.id:
        before = None
        if first.until_at < until:
            holds.put(tx, replace(first, until_at=until), run.workspace_id)
        until = max(until, first.until_at) + PATIENCE
    hold = ProviderHold(
        account=agent.account,
        agent_id=scope,
        state=HoldState.HELD,
        until_at=max(until, before.until_at) if before else until,
        kind=limit.error,
        model=limit.model,
        told=told,
        tries=tries,
        run_id=run.id,
        trial_id=None,
        trial_until_at=None,
        since_at=before.since_at if before else tx.now,
    )
    holds.put(tx, hold, run.workspace_id)
    if limit.model and (first is None or first.agent_id == agent.id):
        _hold_alike(tx, run, agent, hold, limit.model)
    return asked


def _first_alike(view: View, agent: Agent, model: str | None) -> ProviderHold | None:
    """Of those of its account that wait for the same model, the one that goes first."""
    alike = [
        one
        for one in holds.every(view)
        if one.agent_id and (one.account, one.model) == (agent.account, model)
    ]
    waits = [one for one in alike if one.state is HoldState.HELD]
    return min(waits, key=lambda one: one.until_at, default=None)


def _hold_alike(tx: Tx, run: Run, agent: Agent, hold: ProviderHold, model: str) -> None:
    """Those that use the same model wait behind the one that met its limit: that one shows first
    whether it is over, and then they follow one after the other (B-076)."""
    behind = hold.until_at + PATIENCE
    for other in agents.of_account(tx, agent.account):
        if other.id == agent.id or not accounts.same_model(model, run.model, _model(tx, other)):
            continue
        there = [one for one in holds.of_agent(tx, other) if one.agent_id == other.id]
        if there and there[0].state is HoldState.HELD and there[0].until_at >= behind:
            continue
        behind += SPACING
        holds.put(tx, replace(hold, agent_id=other.id, until_at=behind), run.workspace_id)


def _model(view: View, agent: Agent) -> str | None:
    """What it uses unless a task says otherwise."""
    return model_of(None, agent, settings.of_workspace(view, agent.workspace_id)).model

"""Holds a provider account whose limit a run met, and frees it when one shows that it is over."""

from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.ports import Dice
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import TURN_ENDED, HoldState, RunOutcome
from roundtable_desktop.rules import accounts
from roundtable_desktop.rules.limits import Verdict
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.store import agents, holds
from roundtable_desktop.store.db import Tx

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
    """A limit of one model holds the agent that uses it; of two limits the longer one holds."""
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
    return asked

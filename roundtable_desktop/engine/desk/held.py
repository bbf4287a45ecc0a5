"""Accounts at their limit: which agents wait for what, and a person's word to try now."""

from dataclasses import replace
from datetime import datetime

from roundtable_desktop.engine.desk import Asked, Desk, done_before, remember
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.holds import AccountHeld
from roundtable_desktop.model.records import Agent, Subject
from roundtable_desktop.model.verdicts import Hold
from roundtable_desktop.rules.accounts import free
from roundtable_desktop.store import agents, holds
from roundtable_desktop.store.db import View


def accounts(view: View, now: datetime) -> list[AccountHeld]:
    """Those from which nothing may start now, and the agents whose wakes this keeps waiting; one
    for a model, though each of its agents has a row."""
    held: list[AccountHeld] = []
    for hold in holds.every(view):
        answer = free([hold], now)
        if isinstance(answer, Hold):
            waiting = holds.waiting_for(view, hold)
            theirs = [one for one in agents.of_account(view, hold.account) if one.id in waiting]
            held.append(AccountHeld(hold, theirs, answer.held_by, answer.until))
    return _one_for_a_model(held)


def _one_for_a_model(found: list[AccountHeld]) -> list[AccountHeld]:
    """The first that ends speaks for those that wait behind it."""
    one: dict[tuple[str, str | None, str], AccountHeld] = {}
    for held in sorted(found, key=lambda held: held.until):
        hold = held.hold
        key = (hold.account, hold.model, "" if hold.model else hold.agent_id)
        if (first := one.get(key)) is not None:
            held = replace(first, agents=[*first.agents, *held.agents])
        one[key] = held
    return list(one.values())


def of_agent(view: View, agent: Agent, now: datetime) -> Hold | None:
    """What keeps it from starting, as the gate before the claim says it."""
    answer = free(holds.of_agent(view, agent), now)
    return answer if isinstance(answer, Hold) else None


def try_now(desk: Desk, asked: Asked, agent_id: str) -> Agent:
    """The limit of its account may be over: one wakeup goes first at once, and shows it."""
    with desk.store.transaction() as tx:
        agent = agents.get(tx, agent_id)
        if agent is None:
            raise Absent("unknown_agent")
        if done_before(tx, asked) is None:
            if not holds.try_now(tx, agent.account, asked.actor):
                raise Conflict("account_not_held", agent=agent.name, account=agent.account)
            remember(tx, asked, Subject("agent", agent.id))
        return agent

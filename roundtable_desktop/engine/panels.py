"""Who sits in judgement on a task's work, and how much the word of each of them counts."""

from collections.abc import Collection, Iterable

from roundtable_desktop.model.gates import Gate, VerdictStatus
from roundtable_desktop.model.records import Agent, Json
from roundtable_desktop.model.states import Adapter, AgentStatus, Role
from roundtable_desktop.rules import reviews
from roundtable_desktop.rules.gates import Judged
from roundtable_desktop.store import agents, verdicts
from roundtable_desktop.store.db import View

_THERE = (AgentStatus.ACTIVE, AgentStatus.PAUSED)


def can_vote(agent: Agent) -> bool:
    """A plain command has no tools; one that is paused votes when it is resumed."""
    return agent.adapter is not Adapter.COMMAND and agent.status in _THERE


def able(view: View, workspace_id: str, made_with: Collection[str] = ()) -> list[tuple[str, Role]]:
    """Agents that can vote with their roles, those first that can be woken now, and of these who
    has a model that the work was not made with (A-32)."""

    def same(one: Agent) -> bool:
        mine = filter(None, (one.model, *one.fallback_models))
        return bool(made_with) and not any(model not in made_with for model in mine)

    found = [one for one in agents.every(view, workspace_id) if can_vote(one)]
    found.sort(key=lambda one: (one.status is not AgentStatus.ACTIVE, same(one), one.id))
    return [(one.id, one.role) for one in found]


def seated(view: View, gate: Gate, authors: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """(who is asked in the round that begins, how many of them must approve)."""
    policy = reviews.policy_of(gate)
    there = able(view, gate.workspace_id) if policy.roles else []
    return reviews.seats(policy, there, authors)


def is_empty(gate: Gate) -> bool:
    """Nobody had the role when it was asked."""
    return not gate.agents


def judged(view: View, gate: Gate) -> Judged:
    """By the verdicts that are in."""
    said = verdicts.of_round(view, gate)
    known = agents.of_ids(view, [one.author_id for one in said if one.author_type == "agent"])
    return reviews.judged(gate, said, {one.id: one.role for one in known.values()})


def missing(view: View, gate: Gate) -> list[Json]:
    """Whose verdict will not come by itself, and why: {"agent", "why", "text"?}, the last what it
    waits for."""
    left = [one for one in verdicts.outstanding(view, gate) if one.status is VerdictStatus.MISSING]
    known = agents.of_ids(view, [one.author_id for one in left])
    return [
        {
            "agent": known[one.author_id].name,
            "why": one.why,
            **({"text": one.note} if one.note else {}),
        }
        for one in left
        if one.author_id in known
    ]

"""Who counts how much in a review, and what follows from one of merged work (A-28, C-26)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.model.gates import Gate, Verdict, Word
from roundtable_desktop.model.states import Role
from roundtable_desktop.rules import gates
from roundtable_desktop.rules.gates import Judged

MOST_SEATS = 8
"""Reviewers of one gate."""


@dataclass(frozen=True, slots=True)
class Policy:
    """named: agents by their ids. roles: whoever has one of them when the gate is asked. needed:
    how many must approve, None for all that are asked. veto: the roles whose veto is one; None:
    everybody's."""

    named: tuple[str, ...]
    roles: tuple[Role, ...] = ()
    needed: int | None = None
    veto: tuple[Role, ...] | None = None


def policy_of(gate: Gate) -> Policy:
    """As it was set. A gate without roles keeps its agents and their number themselves."""
    kept: Mapping[str, Any] = gate.policy
    veto = kept.get("veto")
    powers = None if veto is None else tuple(Role(one) for one in veto)
    roles = tuple(Role(one) for one in kept.get("roles", ()))
    if not roles:
        return Policy(gate.agents, needed=gate.needed, veto=powers)
    return Policy(tuple(kept.get("named", ())), roles, kept.get("needed"), powers)


def kept(policy: Policy) -> dict[str, object]:
    """`policy` as a gate stores it."""
    found: dict[str, object] = {}
    if policy.roles:
        found |= {"named": list(policy.named), "roles": list(policy.roles)}
        found |= {"needed": policy.needed}
    if policy.veto is not None:
        found["veto"] = list(policy.veto)
    return found


def seats(
    policy: Policy, able: Sequence[tuple[str, Role]], authors: Iterable[str]
) -> tuple[tuple[str, ...], int]:
    """(who is asked, how many of them must approve). able: agents that can vote, in the order in
    which they are asked. Those that are named are asked whatever they did, so that it is seen why
    one does not count; of a role nobody is asked whose own work it is. Never fewer are needed than
    were said, and never none."""
    if not policy.roles:
        return policy.named, policy.needed or max(len(policy.named), 1)
    own, found = frozenset(authors), list(policy.named)
    for agent_id, role in able:
        if role in policy.roles and agent_id not in own and agent_id not in found:
            found.append(agent_id)
    asked = tuple(found[:MOST_SEATS])
    return asked, policy.needed or max(len(asked), 1)


def counted(word: Word, role: Role | None, powers: Sequence[Role] | None) -> Word:
    """A veto of somebody whose veto is none is a rejection: it goes back with the others' words.
    role: None of a person, whose veto always is one."""
    if word is not Word.VETO or powers is None or role is None or role in powers:
        return word
    return Word.REJECT


def judged(gate: Gate, said: Iterable[Verdict], roles: Mapping[str, Role]) -> Judged:
    """What the verdicts of a round amount to. roles: of the agents among their authors."""
    powers = policy_of(gate).veto
    words = (
        (one.status, one.word and counted(one.word, roles.get(one.author_id), powers))
        for one in said
    )
    return gates.judge(gate.needed, words)

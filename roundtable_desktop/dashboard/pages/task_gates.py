"""What forms of tasks say about by whom and by what the work is judged."""

from collections.abc import Mapping, Sequence
from typing import Any

from roundtable_desktop.engine.desk.look_gates import Stage
from roundtable_desktop.model.gates import GateKind
from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.states import Adapter, AgentStatus

REVIEWER = "reviewer-"
"""Before the id of an agent, the name of its box in a form."""


def reviewers(agents: Sequence[Agent], stages: Sequence[Stage] = ()) -> list[Agent]:
    """Those that can vote: a plain command has no tools. Who reviews it already stands there
    whatever has become of them: a form that leaves them out would take them away."""
    there = {who for one in stages for who in one.gate.agents}
    return [one for one in agents if one.id in there or _can_vote(one)]


def ticked(who: Sequence[str]) -> str:
    """As it stands among a form's words, whatever the order of its boxes."""
    return " ".join(sorted(who))


def _can_vote(agent: Agent) -> bool:
    return agent.adapter is not Adapter.COMMAND and agent.status is not AgentStatus.RETIRED


def is_plain(stages: Sequence[Stage]) -> bool:
    """Whether a form has room for them: reviewers, then you. Others are set by programs."""
    kinds = [one.gate.kind for one in stages]
    if any(one.policy.roles or one.policy.veto is not None for one in stages):
        return False
    return kinds in (
        [],
        [GateKind.REVIEW],
        [GateKind.APPROVAL],
        [GateKind.REVIEW, GateKind.APPROVAL],
    )


def words_of(task: Task, stages: Sequence[Stage]) -> dict[str, str]:
    """What a form begins with."""
    review = next((one.gate for one in stages if one.gate.kind is GateKind.REVIEW), None)
    who = review.agents if review else ()
    some = review is not None and review.needed < len(who)
    approval = any(one.gate.kind is GateKind.APPROVAL for one in stages)
    return {
        "acceptance": task.acceptance,
        "expected_files": "\n".join(task.expected_files),
        "reviewers": ticked(who),
        "needed": str(review.needed) if review and some else "",
        "requires_approval": "true" if task.requires_approval or approval else "",
    }


def body_of(given: Mapping[str, str]) -> dict[str, Any]:
    """As the API takes it."""
    gates: list[dict[str, Any]] = []
    if who := given["reviewers"].split():
        needed = {"needed": given["needed"]} if given["needed"] else {}
        gates.append({"kind": "review", "agents": who, **needed})
    if given["requires_approval"]:
        gates.append({"kind": "approval"})
    files = [line.strip() for line in given["expected_files"].splitlines()]
    return {
        "gates": gates,
        "acceptance": given["acceptance"],
        "expected_files": [line for line in files if line],
    }

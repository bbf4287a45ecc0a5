"""How the API shows gates and verdicts, and how it reads what a task must pass."""

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field

from roundtable_desktop.dashboard.api.agents import Roles
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Shown, Stored, Words16
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk.look_gates import Said, Stage
from roundtable_desktop.model.gates import GateKind, Topic, Wanted, Weight, Word

Name = Annotated[str, Field(min_length=1, max_length=200)]
Verdict = Literal["approve", "approve_with_notes", "revise", "reject", "abstain", "veto"]
Severity = Literal["info", "minor", "major", "critical"]
About = Literal["code", "security", "architecture", "evidence"]


class GateWanted(Words):
    """review: agents, by id or name, or whoever has one of these roles when it is asked, and how
    many of them must approve; left out: all. veto: the roles whose veto sends the work back at
    once; left out: all. approval: yours."""

    kind: Literal["review", "approval"]
    agents: Annotated[list[Name], Field(max_length=8)] = Field(default_factory=list)
    roles: Annotated[list[Roles], Field(max_length=7)] = Field(default_factory=list)
    needed: Annotated[int, Field(ge=1, le=8)] | None = None
    veto: Annotated[list[Roles], Field(max_length=7)] | None = None


GatesWanted = Annotated[list[GateWanted], Field(max_length=8)]


class GateShown(Shown):
    """status: waiting, asked, passed or returned. agents: of a gate of roles, those that were
    asked last. waits_for: names of the agents whose verdict is waited for. stuck: why it waits for
    you."""

    id: str | None
    kind: str
    agents: list[str]
    roles: list[str]
    needed: int
    veto: list[str] | None
    status: str
    round: int
    waits_for: list[str]
    stuck: Stored | None


class Finding(Words):
    path: Annotated[str, Field(min_length=1, max_length=1024)]
    line: Annotated[int, Field(ge=1)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=2048)]
    severity: Severity = "minor"
    about: About | None = None


class NewVerdict(Words):
    """At the gate that is asked now. Who asks for changes says which, in the note or in a
    finding."""

    verdict: Verdict
    note: Words16 = ""
    findings: Annotated[list[Finding], Field(max_length=50)] = Field(default_factory=list)


class VerdictShown(Shown):
    """author: the name of the agent, null for yours."""

    id: str
    gate_id: str
    task_id: str
    proposal_id: str | None
    round: int
    author_type: str
    author_id: str
    author: str | None
    verdict: str | None
    note: str
    findings: list[Object]
    run_id: str | None
    created_at: Moment
    decided_at: Moment | None


ONLY_APPROVAL = GateShown(
    id=None,
    kind="approval",
    agents=[],
    roles=[],
    needed=1,
    veto=None,
    status="waiting",
    round=0,
    waits_for=[],
    stuck=None,
)
"""Of a task that is done only when you say so, and has no other gates."""


def gates_shown(stages: Sequence[Stage], *, requires_approval: bool) -> list[GateShown]:
    if not stages:
        return [ONLY_APPROVAL] if requires_approval else []
    return [_shown(one) for one in stages]


def _shown(one: Stage) -> GateShown:
    policy = one.policy
    powers = None if policy.veto is None else [str(role) for role in policy.veto]
    roles, who = [str(role) for role in policy.roles], list(one.gate.agents)
    return GateShown.of(one.gate, agents=who, roles=roles, veto=powers, waits_for=one.outstanding)


def verdict_shown(said: Said) -> VerdictShown:
    one = said.verdict
    findings = [dict(each) for each in one.findings]
    return VerdictShown.of(one, author=said.name, verdict=one.word, findings=findings)


def only_approval(gates: Sequence[GateWanted] | None) -> bool:
    """Whether that is all that is wanted: then it is one decision with the delivery."""
    return gates is not None and [one.kind for one in gates] == ["approval"]


def wanted(gates: Sequence[GateWanted]) -> list[Wanted]:
    """Each with its place in the body."""
    if only_approval(gates):
        return []
    return [
        Wanted(
            kind=GateKind(one.kind),
            agents=tuple(one.agents),
            roles=tuple(one.roles),
            needed=one.needed,
            veto=None if one.veto is None else tuple(one.veto),
            pointer=f"/gates/{at}",
        )
        for at, one in enumerate(gates)
    ]


assert set(Word) == set(get_args(Verdict))
assert set(Weight) == set(get_args(Severity))
assert set(Topic) == set(get_args(About))

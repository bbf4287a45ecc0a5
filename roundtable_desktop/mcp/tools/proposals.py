"""The tools about proposals, and the one by which a reviewer says what it thinks."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.gates import Word
from roundtable_desktop.model.states import ProposalStatus

NOTE_BYTES = 8 * 1024
FINDING_BYTES = 2 * 1024
FINDINGS = 50
ID = Field(min_length=6, max_length=64)
Status = Literal[
    "pending",
    "in_review",
    "approved",
    "merged",
    "delivered",
    "revision_requested",
    "rejected",
    "superseded",
    "conflicted",
]


class ProposalAsked(Arguments):
    proposal_id: Annotated[
        str | None,
        Field(description="Which; left out: the one you review, or the newest of your task."),
        ID,
    ] = None


class ProposalsAsked(Arguments):
    status: Annotated[Status | None, Field(description="Only these; left out: all.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None, Field(description="next_cursor of the answer before, for older ones."), ID
    ] = None


class Found(Arguments):
    path: Annotated[str, Field(min_length=1, max_length=1024)]
    line: Annotated[int | None, Field(ge=1)] = None
    text: Annotated[str, Field(min_length=1, max_length=FINDING_BYTES)]
    severity: Literal["info", "minor", "major", "critical"] = "minor"
    about: Annotated[
        Literal["code", "security", "architecture", "evidence"] | None,
        Field(description="evidence: it cannot be told whether it is right; say what would show."),
    ] = None


class VoteGiven(Arguments):
    verdict: Literal["approve", "approve_with_notes", "revise", "reject", "abstain", "veto"]
    note: Annotated[
        str, Field(max_length=NOTE_BYTES), Field(description="What you think of it, in sentences.")
    ] = ""
    findings: Annotated[list[Found], Field(max_length=FINDINGS, default_factory=list)]


@tool(ProposalAsked, reads=True)
def proposal_get(call: Call, asked: ProposalAsked) -> Mapping[str, object]:
    """A proposal: its commits, the files that it changes, and what was said of it. See the changes
    themselves with git diff BASE HEAD."""
    return call.desk.get_proposal(call.holder, asked.proposal_id)


@tool(ProposalsAsked, reads=True)
def proposal_list(call: Call, asked: ProposalsAsked) -> Mapping[str, object]:
    """Proposals of the tasks that you may see, newest first."""
    status = ProposalStatus(asked.status) if asked.status is not None else None
    return call.desk.list_proposals(call.holder, status, asked.cursor, asked.limit)


@tool(VoteGiven)
def vote_cast(call: Call, given: VoteGiven) -> Mapping[str, object]:
    """Says what you think of the work that you were woken to review. Call it once; then end your
    turn. Only a review may use it, and nobody judges their own work.

    approve and approve_with_notes let it pass; revise and reject send it back with your findings
    when the other reviewers have spoken too; veto sends it back at once; abstain says that you
    cannot judge it.
    """
    for place, one in enumerate(given.findings):
        _check_size(one.text, FINDING_BYTES, f"/findings/{place}/text")
    _check_size(given.note, NOTE_BYTES, "/note")
    findings = [one.model_dump(exclude_none=True) for one in given.findings]
    return call.desk.vote(call.holder, Word(given.verdict), given.note, findings, call.key)


def _check_size(text: str, limit: int, pointer: str) -> None:
    if len(text.encode()) > limit:
        raise Invalid("text_too_large", pointer, limit=limit // 1024)


TOOLS: tuple[Tool, ...] = (proposal_get, proposal_list, vote_cast)

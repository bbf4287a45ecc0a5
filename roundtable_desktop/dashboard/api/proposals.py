"""The API's routes about proposals."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.gates_shown import (
    GateShown,
    NewVerdict,
    VerdictShown,
    gates_shown,
    verdict_shown,
)
from roundtable_desktop.dashboard.api.other_names import OfAgent
from roundtable_desktop.dashboard.api.shapes import (
    Moment,
    Object,
    Ref,
    Say,
    Shown,
    Words16,
    asked,
    said,
)
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, proposals, verdicts
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_proposals import Offered
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.gates import Word

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


State = Literal["waiting", "held", "delivered", "rejected", "replaced"]


class ProposalsAsked(Paging, OfAgent):
    """state: what is to be done with it; held ones wait as well. agent_id: whose run made it."""

    workspace_id: Ref | None = None
    status: Status | None = None
    state: State | None = None
    task_id: Ref | None = None
    agent_id: Ref | None = None


class Deliver(Words):
    """override: although it is held for a look, or its reviewers have not let it pass; then say
    why."""

    override: bool = False
    note: Annotated[str, Field(max_length=2000)] = ""


class Reject(Words):
    """note: what is missing; the agent reads it."""

    note: Words16 = ""


class Rebase(Words):
    """note: what the agent should know beside that; of a mission, who settles what clashes."""

    note: Words16 = ""


class Try(Shown):
    """One try at delivering. reason: of a held one, `nothing_left`, or `caught_up` with what
    clashes: then `branch` is a mission's own, which took its base in. Its sentence says what to
    do."""

    id: str
    branch: str
    old_commit: str | None
    new_commit: str | None
    status: str
    reason: Object | None
    sentence: str
    created_at: Moment
    ended_at: Moment | None


class ProposalRow(Shown):
    """gate_open: its reviewers have not all let it pass, or its checks have not ended; then Deliver
    needs override and note."""

    id: str
    workspace_id: str
    task_id: str
    run_id: str | None
    base_commit: str
    head_commit: str
    status: str
    files: list[Object]
    held: Object | None
    gate_open: bool
    sentence: str
    deliveries: list[Try]
    created_at: Moment
    updated_at: Moment
    revision: int


class CheckShown(Shown):
    """One of the workspace's commands on what a mission offers. status: asked | passed | failed |
    missing (it came to no end); what it printed is its run's transcript."""

    id: str
    name: str
    command: list[str]
    status: str
    run_id: str | None
    exit_code: int | None
    ended_at: Moment | None


class OutsideArea(Shown):
    """paths: changed, though its task was not to change them. of_task_ids: open tasks for which
    some of those are. after_task_id: whose work is merged before it, for it is on the way."""

    paths: list[str]
    of_task_ids: list[str]
    after_task_id: str | None
    sentence: str


class ProposalDetail(ProposalRow):
    """diff: as text, at most 256 KB of it; diff_complete tells whether that is all. gates: its
    task's, as they are now; verdicts: what was said of this proposal. checks: of a mission's.
    outside_area: what of it goes beyond the area of its mission's task; None where nothing does."""

    diff: str
    diff_complete: bool
    outside_area: OutsideArea | None
    gates: list[GateShown]
    verdicts: list[VerdictShown]
    checks: list[CheckShown]


def tries(offered: Offered) -> list[Try]:
    return [
        Try.of(one, sentence=reason_said(one.reason) if one.reason else "")
        for one in offered.deliveries
    ]


def reason_said(reason: object) -> str:
    """Why it is held, what would do it by hand, from the stored code and values."""
    assert isinstance(reason, dict)
    by_hand = reason.get("command")
    why = why_held(reason)
    return f"{why} {said('by_hand', {'command': by_hand})}" if by_hand else why


def why_held(reason: object, say: Say = said) -> str:
    assert isinstance(reason, dict)
    return say(str(reason["code"]), reason)


def sentence_of(offered: Offered, why: Callable[[object], str], say: Say = said) -> str:
    """What is so now: held for a look, a held delivery, or its status."""
    last = offered.deliveries[-1] if offered.deliveries else None
    proposal = offered.proposal
    if proposal.status == "delivered" and last is not None and last.reason:
        return why(last.reason)
    if proposal.status == "delivered" and last is not None:
        return say("proposal_delivered", {"branch": last.branch, "commit": last.new_commit})
    if proposal.status == "merged" and last is not None:
        return say("proposal_merged", {"branch": last.branch})
    if last is not None and last.reason and proposal.status == "approved":
        return say("delivery_held", {"why": why(last.reason)})
    if proposal.run_id is None and proposal.status == "conflicted" and last and last.reason:
        told = why(last.reason)
        return say("catch_up_held", {"why": told}) if last.status == "held" else told
    if proposal.held:
        return say("held_for_a_look", {"why": why(proposal.held)})
    waits, names = offered.reviewed
    code = proposal.status if waits == "none" else waits
    return say(f"proposal_{code}", {"reviewers": ", ".join(names)})


def outside(offered: Offered, say: Say = said) -> OutsideArea | None:
    found, after = offered.strayed, offered.after
    if found is None:
        return None
    words = [say("outside_area", {"paths": found.named})]
    if found.of:
        numbers = ", ".join(f"T-{one.number}" for one, _theirs in found.of)
        words.append(say("outside_area_of", {"tasks": numbers}))
    if after is not None:
        words.append(say("outside_area_waits", {"number": after.number}))
    return OutsideArea(
        paths=list(found.paths),
        of_task_ids=[one.id for one, _theirs in found.of],
        after_task_id=after.id if after else None,
        sentence=" ".join(words),
    )


def row(offered: Offered) -> ProposalRow:
    sentence = sentence_of(offered, reason_said)
    more = {"sentence": sentence, "deliveries": tries(offered), "gate_open": offered.gate_open}
    return ProposalRow.of(offered.proposal, **more)


def detail(look: Look, offered: Offered) -> ProposalDetail:
    task = look.task(offered.proposal.task_id)
    stages = look.gates.of_tasks([task])[task.id]
    return ProposalDetail.of(
        offered.proposal,
        sentence=sentence_of(offered, reason_said),
        deliveries=tries(offered),
        gate_open=offered.gate_open,
        diff=offered.diff or "",
        diff_complete=offered.diff_complete,
        outside_area=outside(offered),
        gates=gates_shown(stages, requires_approval=task.requires_approval),
        verdicts=[verdict_shown(one) for one in look.gates.of_proposal(offered.proposal)],
        checks=[CheckShown.of(one) for one in offered.checks],
    )


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)
    _declare_verdicts(api, desk, look)


def _declare_reads(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/proposals")
    def list_proposals(query: ProposalsAsked) -> Listed[ProposalRow]:
        """What agents want in, newest first."""
        return listed(Listed[ProposalRow], query, look.proposals, row, lambda one: one.proposal.id)

    @api.route("GET", "/api/v1/proposals/<ref>")
    def show_proposal(ref: str) -> ProposalDetail:
        """One of them, with its diff."""
        offered = look.with_diff(look.proposal(ref))
        if offered.no_diff is not None:
            raise Busy("git_failed", text=offered.no_diff)
        return detail(look, offered)


def _declare_commands(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/proposals/<ref>/deliver", status=202, errors=(404, 409, 412))
    def deliver_proposal(
        caller: Caller,
        ref: str,
        body: Deliver,
        once: Once | None,
        expected_revision: int | None,
    ) -> ProposalDetail:
        """Approves it and delivers; how that went stands in `deliveries` a moment later."""
        found = look.proposal(ref).proposal
        proposals.deliver(
            desk,
            asked(caller, once, expected_revision),
            found.id,
            override=body.override,
            note=body.note,
        )
        return detail(look, look.with_diff(look.proposal(found.id)))

    @api.route("POST", "/api/v1/proposals/<ref>/reject", errors=(404, 409, 412))
    def reject_proposal(
        caller: Caller,
        ref: str,
        body: Reject,
        once: Once | None,
        expected_revision: int | None,
    ) -> ProposalRow:
        """It does not go in as it is; its task goes back to its agent with the note."""
        found = look.proposal(ref).proposal
        who = asked(caller, once, expected_revision)
        proposals.reject(desk, who, found.id, body.note.strip())
        return row(look.proposal(found.id))

    @api.route("POST", "/api/v1/proposals/<ref>/rebase", errors=(404, 409, 412))
    def rebase_proposal(
        caller: Caller,
        ref: str,
        body: Rebase,
        once: Once | None,
        expected_revision: int | None,
    ) -> ProposalRow:
        """Its agent is woken to bring the work onto the branch as it is now. Of what a mission
        offers as a whole: its branch takes its base in, a task settles what clashes, and all of it
        is offered again as another proposal."""
        found = look.proposal(ref).proposal
        who = asked(caller, once, expected_revision)
        proposals.rebase(desk, who, found.id, body.note.strip())
        return row(look.proposal(found.id))


def _declare_verdicts(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/proposals/<ref>/verdicts", status=201, errors=(404, 409, 412))
    def judge_proposal(
        caller: Caller,
        ref: str,
        body: NewVerdict,
        once: Once | None,
        expected_revision: int | None,
    ) -> ProposalDetail:
        """What you say of it at the gate that is asked now: one verdict more beside those of its
        reviewers, or the answer at a gate of yours."""
        found = look.proposal(ref).proposal
        who = asked(caller, once, expected_revision)
        findings = [one.model_dump(exclude_none=True) for one in body.findings]
        word, note = Word(body.verdict), body.note.strip()
        verdicts.cast(desk, who, found.id, word, note, findings)
        return detail(look, look.with_diff(look.proposal(found.id)))

"""What a person says of somebody's work, at the gate that is asked now."""

from collections.abc import Sequence

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine.desk import Asked, Desk, approvals, check_revision, once
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.gates import (
    APPROVALS,
    DEMANDS,
    Gate,
    GateKind,
    Verdict,
    VerdictStatus,
    Word,
)
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Json, Subject
from roundtable_desktop.rules.review_words import returned
from roundtable_desktop.store import gates, proposals, verdicts
from roundtable_desktop.store.db import Tx


def cast(
    desk: Desk,
    asked: Asked,
    proposal_id: str,
    word: Word,
    note: str = "",
    findings: Sequence[Json] = (),
) -> Verdict:
    """At the gate that is asked now: beside the reviewers' it is one more, at a person's own gate
    it is the answer."""

    def act() -> Subject:
        proposal = proposals.get(tx, proposal_id)
        if proposal is None:
            raise Absent("unknown_proposal")
        check_revision(asked, proposal.revision)
        return Subject("verdict", cast_now(tx, desk, asked, proposal, word, note, findings))

    with desk.store.transaction() as tx:
        given = once(tx, asked, act, verdicts.get)
    return given


def cast_now(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    proposal: Proposal,
    word: Word,
    note: str,
    findings: Sequence[Json],
) -> str:
    """`cast` as a part of a larger decision; the verdict's id."""
    gate = gates.asked(tx, proposal.task_id)
    if proposal.status not in proposals.OPEN:
        raise Conflict("proposal_not_open", status=str(proposal.status))
    if gate is None or gate.proposal_id != proposal.id:
        raise Conflict("no_gate_open")
    if word in DEMANDS and not note and not findings:
        raise Invalid("verdict_without_reason", "/note")
    if gate.kind is GateKind.APPROVAL and word not in (*APPROVALS, *DEMANDS):
        raise Invalid("yes_or_no", "/verdict")
    mine = verdicts.of_author(tx, gate, asked.actor)
    if mine is not None and mine.status is VerdictStatus.GIVEN:
        raise Conflict("already_voted")
    verdict = verdicts.ask(tx, gate, asked.actor, id=desk.ids.new())
    if gate.kind is GateKind.REVIEW:
        flow.give(tx, desk.ids, gate, verdict, asked.actor, word=word, note=note, findings=findings)
        return verdict.id
    verdicts.give(tx, verdict, asked.actor, word=word, note=note, findings=findings)
    _answer_question(tx, desk, asked, gate, verdict.id, word in APPROVALS)
    return verdict.id


def _answer_question(
    tx: Tx, desk: Desk, asked: Asked, gate: Gate, verdict_id: str, yes: bool
) -> None:
    verdict = verdicts.get(tx, verdict_id)
    assert verdict is not None and gate.approval_id is not None, "it is asked"
    words = verdict.note if yes else returned([verdict], {})
    approvals.decide_now(tx, desk, Asked(asked.actor), gate.approval_id, approved=yes, note=words)

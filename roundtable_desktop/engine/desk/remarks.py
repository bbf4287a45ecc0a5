"""What a person says of lines of a proposal: it comes back to its author as a request for
changes."""

from collections.abc import Sequence

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once, proposals, verdicts
from roundtable_desktop.model.errors import Absent, Invalid
from roundtable_desktop.model.gates import Word
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Json, Subject
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.review_words import BYTES, finding
from roundtable_desktop.store import gates
from roundtable_desktop.store import proposals as rows


def ask_for_changes(
    desk: Desk, asked: Asked, proposal_id: str, note: str, findings: Sequence[Json]
) -> Proposal:
    """At the gate that is asked now it is a verdict beside those of its reviewers. Where none is
    asked, the proposal is turned down, and its agent reads the same words; of a mission's proposal
    its coordinator does."""

    def act() -> Subject:
        proposal = rows.get(tx, proposal_id)
        if proposal is None:
            raise Absent("unknown_proposal")
        check_revision(asked, proposal.revision)
        if not note and not findings:
            raise Invalid("verdict_without_reason", "/note")
        gate = gates.asked(tx, proposal.task_id)
        if gate is not None and gate.proposal_id == proposal.id:
            verdicts.cast_now(tx, desk, asked, proposal, Word.REVISE, note, findings)
        else:
            proposals.request_changes_now(tx, desk, asked, proposal.id, _told(note, findings))
        return Subject("proposal", proposal.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, rows.get)


def _told(note: str, findings: Sequence[Json]) -> str:
    lines = [f"- {finding(one)}" for one in findings]
    return clip("\n".join([*([note] if note else []), *lines]), BYTES, keep="start")

"""Commands about proposals."""

from collections.abc import Sequence

from roundtable_desktop.engine.desk import Asked, Desk, board, check_revision, once
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.records import Delivery, Proposal, Subject
from roundtable_desktop.model.states import DeliveryStatus, ProposalStatus, TaskStatus
from roundtable_desktop.store import proposals, tasks
from roundtable_desktop.store.db import Tx


def can_deliver(proposal: Proposal, tries: Sequence[Delivery]) -> bool:
    """Whether a person's Deliver is what it waits for: nothing was decided, or a try was held."""
    in_hand = bool(tries) and tries[-1].status is DeliveryStatus.INTENDED
    approved = proposal.status is ProposalStatus.APPROVED
    return proposal.status in proposals.OPEN or (approved and not in_hand)


def deliver(
    desk: Desk, asked: Asked, proposal_id: str, *, override: bool = False, note: str = ""
) -> Proposal:
    """A person's Deliver approves and delivers (C-104). The delivery itself is done outside; its
    row tells how it went. What is held for a look needs `override` and a note."""

    def act() -> Subject:
        proposal = proposals.get(tx, proposal_id)
        if proposal is None:
            raise Absent("unknown_proposal")
        check_revision(asked, proposal.revision)
        if proposal.held and not (override and note):
            facts = dict(proposal.held)
            raise Blocked("proposal_held", reason=facts.pop("code"), **facts)
        if not can_deliver(proposal, proposals.deliveries(tx, proposal.id)):
            if proposal.status is not ProposalStatus.APPROVED:
                raise Conflict("proposal_not_open", status=str(proposal.status))
            return Subject("proposal", proposal.id)
        if proposal.status is not ProposalStatus.APPROVED:
            data = {"note": note, "override": override}
            proposals.move(tx, proposal, ProposalStatus.APPROVED, actor=asked.actor, data=data)
        task = tasks.get(tx, proposal.task_id)
        assert task is not None, "foreign keys hold"
        proposals.intend(
            tx,
            proposal,
            asked.actor,
            id=desk.ids.new(),
            branch=task.base_branch,
            into_checkout=True,
        )
        return Subject("proposal", proposal.id)

    with desk.store.transaction() as tx:
        proposal = once(tx, asked, act, proposals.get)
    return proposal


def can_reject(proposal: Proposal, tries: Sequence[Delivery]) -> bool:
    """What could be delivered can be rejected as well."""
    return can_deliver(proposal, tries)


def reject(desk: Desk, asked: Asked, proposal_id: str, note: str = "") -> Proposal:
    """It will not go in as it is: its task is in progress again and its agent reads the note."""

    def act() -> Subject:
        proposal = proposals.get(tx, proposal_id)
        if proposal is None:
            raise Absent("unknown_proposal")
        check_revision(asked, proposal.revision)
        if not can_reject(proposal, proposals.deliveries(tx, proposal.id)):
            raise Conflict("proposal_not_open", status=str(proposal.status))
        _turn_down(tx, proposal, asked, note)
        task = tasks.get(tx, proposal.task_id)
        assert task is not None, "foreign keys hold"
        if task.status is TaskStatus.IN_REVIEW:
            board.send_back(tx, desk, asked, task, note)
        return Subject("proposal", proposal.id)

    with desk.store.transaction() as tx:
        proposal = once(tx, asked, act, proposals.get)
    return proposal


def _turn_down(tx: Tx, proposal: Proposal, asked: Asked, note: str) -> None:
    """One whose delivery was held could not be brought to its branch; that goes first."""
    data = {"note": note}
    if proposal.status is ProposalStatus.APPROVED:
        proposals.move(tx, proposal, ProposalStatus.CONFLICTED, actor=asked.actor)
        found = proposals.get(tx, proposal.id)
        assert found is not None
        proposal = found
    proposals.move(tx, proposal, ProposalStatus.REJECTED, actor=asked.actor, data=data)

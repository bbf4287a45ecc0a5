"""Commands about proposals."""

from collections.abc import Sequence

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.records import Delivery, Proposal, Subject
from roundtable_desktop.model.states import DeliveryStatus, ProposalStatus
from roundtable_desktop.store import proposals, tasks


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

"""Commands about proposals."""

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.records import Proposal, Subject
from roundtable_desktop.model.states import ProposalStatus
from roundtable_desktop.store import proposals, tasks


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
        if proposal.status in proposals.OPEN:
            data = {"note": note, "override": override}
            proposals.move(tx, proposal, ProposalStatus.APPROVED, actor=asked.actor, data=data)
        elif proposal.status is not ProposalStatus.APPROVED:
            raise Conflict("proposal_not_open", status=str(proposal.status))
        if proposals.in_hand(tx, proposal):
            return Subject("proposal", proposal.id)
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

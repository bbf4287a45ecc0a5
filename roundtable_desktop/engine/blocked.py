"""Holds a delivery of which nothing was written, and asks a person about it."""

from roundtable_desktop.engine import catching_up, conflicts
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import SYSTEM, Json, Subject, Task
from roundtable_desktop.model.states import (
    DeliveryStatus,
    InboxKind,
    ProposalStatus,
    Severity,
    TaskStatus,
)
from roundtable_desktop.store import inbox, proposals, tasks
from roundtable_desktop.store.db import Tx, View

RETRY, DISCARD, REQUEST_CHANGES = "retry", "discard", "request_changes"
ANSWERS = (RETRY, DISCARD)

WORD_WAITS = "word_waits"
"""Somebody said something that the agent hears first: there is nothing to ask a person."""


def hold(tx: Tx, ids: Ids, delivery: Delivery, reason: Json) -> None:
    """Proposal and task stay where they are; a proposal that is not the newest gives way, and what
    a mission settles by itself goes on (A-27)."""
    proposal = proposals.get(tx, delivery.proposal_id)
    assert proposal is not None, "foreign keys hold"
    newest = proposals.of_task(tx, proposal.task_id)[-1]
    if note := catching_up.note_of(delivery):
        reason = {**reason, "note": note}
    conflict = reason["code"] == "conflict"
    mission = _settled_by(tx, proposal) if conflict and newest.id == proposal.id else None
    if mission is not None:
        return conflicts.settle(tx, ids, mission, delivery, proposal, reason)
    kind = Kind.MERGE_CONFLICTED if conflict else Kind.MERGE_FAILED
    proposals.end_delivery(tx, delivery, DeliveryStatus.HELD, kind=kind, reason=reason)
    if conflict and newest.id == proposal.id:
        moved = catching_up.by_itself(tx, proposal)
        if moved is not None:
            return catching_up.intend(tx, ids, moved, proposal, SYSTEM)
    if newest.id != proposal.id and proposal.status is ProposalStatus.APPROVED:
        proposals.move(tx, proposal, ProposalStatus.SUPERSEDED, data={"by": newest.id})
    elif reason["code"] != WORD_WAITS:
        task = tasks.get(tx, proposal.task_id)
        assert task is not None, "foreign keys hold"
        ask(tx, ids, delivery, proposal, task, reason)


def _settled_by(view: View, proposal: Proposal) -> Mission | None:
    task = tasks.get(view, proposal.task_id)
    assert task is not None, "foreign keys hold"
    return conflicts.settles(view, proposal, task)


def ask(tx: Tx, ids: Ids, delivery: Delivery, proposal: Proposal, task: Task, reason: Json) -> None:
    """Once for each try; it goes with the next one, or with the proposal. Where the agent could
    still put it right, it can be asked to."""
    answers: tuple[str, ...] = ANSWERS
    catches_up = proposal.status is ProposalStatus.CONFLICTED
    able = task.status is TaskStatus.IN_REVIEW and task.assignee_agent_id is not None
    if able or (proposal.run_id is None and not catches_up):
        answers = (RETRY, REQUEST_CHANGES, DISCARD)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.DELIVERY_BLOCKED,
        Severity.ATTENTION,
        key=f"delivery_blocked:{delivery.id}",
        subject=Subject("proposal", proposal.id),
        workspace_id=delivery.workspace_id,
        data={
            "number": task.number,
            "task_id": task.id,
            "proposal_id": proposal.id,
            "branch": delivery.branch,
            "why": dict(reason),
            "options": inbox.options(answers),
        },
    )

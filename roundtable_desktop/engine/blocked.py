"""Asks a person about a delivery that was held, of which nothing was written."""

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Delivery, Json, Proposal, Subject, Task
from roundtable_desktop.model.states import InboxKind, Severity, TaskStatus
from roundtable_desktop.store import inbox
from roundtable_desktop.store.db import Tx

RETRY, DISCARD, REQUEST_CHANGES = "retry", "discard", "request_changes"
ANSWERS = (RETRY, DISCARD)


def ask(tx: Tx, ids: Ids, delivery: Delivery, proposal: Proposal, task: Task, reason: Json) -> None:
    """Once for each try; it goes with the next one, or with the proposal. Where the agent could
    still put it right, it can be asked to."""
    answers: tuple[str, ...] = ANSWERS
    if task.status is TaskStatus.IN_REVIEW and task.assignee_agent_id is not None:
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

"""A person's yes or no to what a task or an agent asked."""

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine import graph, wakers
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    board,
    check_revision,
    once,
    requirements,
    tasks,
)
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.records import Subject, Task
from roundtable_desktop.model.states import ApprovalStatus, Source, TaskStatus
from roundtable_desktop.store import approvals, gates, wakeups
from roundtable_desktop.store.db import Tx


def decide(
    desk: Desk, asked: Asked, approval_id: str, *, approved: bool, note: str = ""
) -> Approval:
    """The answer and what follows from it, in one transaction."""

    def act() -> Subject:
        decide_now(tx, desk, asked, approval_id, approved=approved, note=note)
        return Subject("approval", approval_id)

    with desk.store.transaction() as tx:
        decided = once(tx, asked, act, approvals.get)
    return decided


def decide_now(
    tx: Tx, desk: Desk, asked: Asked, approval_id: str, *, approved: bool, note: str = ""
) -> None:
    """`decide` as a part of a larger decision. What the task asked moves it (K-54); what an agent
    asked wakes that agent, and nobody else (K-67)."""
    approval = approvals.get(tx, approval_id)
    if approval is None:
        raise Absent("unknown_approval")
    check_revision(asked, approval.revision)
    if approval.status is not ApprovalStatus.REQUESTED:
        raise Conflict("approval_not_open", status=str(approval.status))
    to = ApprovalStatus.APPROVED if approved else ApprovalStatus.REJECTED
    approvals.settle(tx, approval, to, asked.actor, note or None)
    task = tasks.get(tx, approval.task_id)
    if approval.agent_id is not None:
        if approved:
            requirements.approved(tx, desk, asked, approval, note)
        _tell(tx, desk, asked, approval, approval.agent_id, to, note)
    elif (gate := gates.of_approval(tx, approval.id)) is not None:
        flow.decided(tx, desk.ids, gate, task, asked.actor, approved=approved, note=note)
        if not approved:
            board.send_back(tx, desk, asked, task, note)
    elif approved:
        _accept(tx, desk, asked, task, note)
    else:
        board.send_back(tx, desk, asked, task, note)


def _accept(tx: Tx, desk: Desk, asked: Asked, task: Task, note: str) -> None:
    assert task.status is TaskStatus.IN_REVIEW, "it is withdrawn when the task moves on"
    graph.move(tx, desk.ids, task, TaskStatus.DONE, actor=asked.actor, data={"note": note})


def _tell(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    approval: Approval,
    agent_id: str,
    to: ApprovalStatus,
    note: str,
) -> None:
    cause = wakeups.Cause(
        workspace_id=approval.workspace_id,
        agent_id=agent_id,
        task_id=approval.task_id,
        source=Source.APPROVAL_RESOLVED,
        reason="approval_resolved",
        payload={
            "approval_id": approval.id,
            "status": str(to),
            "decision_note": note or None,
            "task_id": approval.task_id,
        },
        key=f"approval_resolved:{approval.id}",
        actor=asked.actor,
    )
    wakers.wake(tx, desk.ids.new(), cause)

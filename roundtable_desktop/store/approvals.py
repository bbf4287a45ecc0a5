"""Approvals: questions that a person answers with yes or no, and that go when their cause goes."""

from typing import Any

from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Subject
from roundtable_desktop.model.states import (
    APPROVAL,
    TERMINAL_TASKS,
    ApprovalStatus,
    InboxKind,
    Severity,
    TaskStatus,
)
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Approvals

ANSWERS = ("approve", "reject")


def get(view: View, approval_id: str) -> Approval | None:
    return view.one(Approval, Approvals.select().where(Approvals.id == approval_id))


def open_of_task(view: View, task_id: str) -> list[Approval]:
    """Those that wait for their answer, oldest first."""
    here = (Approvals.task_id == task_id) & (Approvals.status == ApprovalStatus.REQUESTED)
    return view.all(Approval, Approvals.select().where(here).order_by(Approvals.id))


def request(tx: Tx, actor: Actor, item_id: str, *, data: dict[str, object], **values: Any) -> str:
    """The row, its event and its item in the inbox. data: what the item's sentence needs."""
    tx.write(
        Approvals.insert(
            status=ApprovalStatus.REQUESTED, created_at=tx.now, updated_at=tx.now, **values
        )
    )
    about = Subject("approval", values["id"])
    told = {"task_id": values["task_id"], **data}
    journal.tell(
        tx,
        Kind.APPROVAL_REQUESTED,
        about,
        workspace_id=values["workspace_id"],
        actor=actor,
        data=told,
    )
    inbox.open_item(
        tx,
        item_id,
        InboxKind.APPROVAL,
        Severity.ATTENTION,
        key=f"approval:{values['id']}",
        subject=about,
        workspace_id=values["workspace_id"],
        data={
            **told,
            "approval_id": values["id"],
            "run_id": values.get("run_id"),
            "options": inbox.options(ANSWERS),
        },
    )
    return about.id


def settle(
    tx: Tx, approval: Approval, to: ApprovalStatus, actor: Actor = SYSTEM, note: str | None = None
) -> bool:
    """Answered or withdrawn; its item in the inbox goes with it."""
    moved = journal.move(
        tx,
        APPROVAL,
        approval,
        to=to,
        kind=Kind.APPROVAL_MOVED,
        actor=actor,
        data={"task_id": approval.task_id, **({"note": note} if note else {})},
        decision_note=note,
        decided_at=tx.now,
    )
    if moved:
        resolution = {"by": "cause", "status": str(to)}
        if actor.type == "person" and to is not ApprovalStatus.WITHDRAWN:
            option = "approve" if to is ApprovalStatus.APPROVED else "reject"
            resolution = {"by": "person", "option": option}
        for item in inbox.open_about(tx, Subject("approval", approval.id)):
            inbox.resolve(tx, item, resolution, actor)
    return moved


def withdraw_overtaken(tx: Tx, task_id: str, status: TaskStatus) -> None:
    """The task moved on: what it asked itself holds while it is in review, what its agent asked
    until it is over."""
    for approval in open_of_task(tx, task_id):
        by_task = approval.agent_id is None
        if status in TERMINAL_TASKS or (by_task and status is not TaskStatus.IN_REVIEW):
            settle(tx, approval, ApprovalStatus.WITHDRAWN)

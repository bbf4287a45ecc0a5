"""The API's routes about approvals."""

from typing import Literal

from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, Words16, asked
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, approvals
from roundtable_desktop.engine.desk.look import Look


class ApprovalsAsked(Paging):
    workspace_id: Ref | None = None
    status: Literal["requested", "approved", "rejected", "withdrawn"] | None = None
    task_id: Ref | None = None


class Decision(Words):
    """note: kept with the decision, and told to whom it concerns."""

    note: Words16 = ""


class ApprovalRow(Shown):
    """agent_id, run_id: who asked; without one the task itself asks, at the end of its work."""

    id: str
    workspace_id: str
    task_id: str
    run_id: str | None
    agent_id: str | None
    text: str
    status: str
    decision_note: str | None
    decided_at: Moment | None
    created_at: Moment
    updated_at: Moment
    revision: int


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/approvals")
    def list_approvals(query: ApprovalsAsked) -> Listed[ApprovalRow]:
        """What waited or waits for a yes or a no, newest first."""
        return listed(Listed[ApprovalRow], query, look.approvals, ApprovalRow.of)

    @api.route("GET", "/api/v1/approvals/<ref>")
    def show_approval(ref: str) -> ApprovalRow:
        """One of them."""
        return ApprovalRow.of(look.approval(ref))

    def decide(
        caller: Caller, ref: str, body: Decision, once: Once | None, revision: int | None, yes: bool
    ) -> ApprovalRow:
        found = look.approval(ref)
        who = asked(caller, once, revision)
        return ApprovalRow.of(
            approvals.decide(desk, who, found.id, approved=yes, note=body.note.strip())
        )

    @api.route("POST", "/api/v1/approvals/<ref>/approve", errors=(404, 409, 412))
    def approve(
        caller: Caller, ref: str, body: Decision, once: Once | None, expected_revision: int | None
    ) -> ApprovalRow:
        """Yes: the task is done, or the agent that asked is woken with the answer."""
        return decide(caller, ref, body, once, expected_revision, True)

    @api.route("POST", "/api/v1/approvals/<ref>/reject", errors=(404, 409, 412))
    def reject(
        caller: Caller, ref: str, body: Decision, once: Once | None, expected_revision: int | None
    ) -> ApprovalRow:
        """No: the task goes back to its agent with the note, or the agent that asked is woken."""
        return decide(caller, ref, body, once, expected_revision, False)

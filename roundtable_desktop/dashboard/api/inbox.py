"""The API's routes about the inbox."""

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api import inbox_rows
from roundtable_desktop.dashboard.api.inbox_rows import Found, InboxRow
from roundtable_desktop.dashboard.api.shapes import (
    Instant,
    Ref,
    Words16,
    asked,
)
from roundtable_desktop.dashboard.reading import Listed, Nothing, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, inbox
from roundtable_desktop.engine.desk.look import Look


class InboxAsked(Paging):
    workspace_id: Ref | None = None
    status: Literal["open", "snoozed", "resolved"] | None = None
    kind: (
        Literal[
            "permission",
            "approval",
            "agent.error",
            "blocked",
            "blocker_lost",
            "budget",
            "config_changed",
            "delivery_blocked",
            "doctor",
            "proposal",
        ]
        | None
    ) = None
    severity: Literal["info", "attention", "critical"] | None = None


class Act(Words):
    """action: the id or the kind of one of the item's options. note: for the agent, or kept with
    the decision; refused where nobody would read it."""

    action: Annotated[str, Field(min_length=1, max_length=200)]
    note: Words16 = ""


class Snooze(Words):
    until: Instant


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/inbox")
    def list_inbox(query: InboxAsked) -> Listed[InboxRow]:
        """What needs you, newest first."""
        read = partial(inbox_rows.page, look)
        return listed(Listed[InboxRow], query, read, lambda one: one.shown(look))

    @api.route("GET", "/api/v1/inbox/<ref>")
    def show_inbox_item(ref: str) -> InboxRow:
        """One item."""
        return inbox_rows.find(look, ref).shown(look)

    @api.route("POST", "/api/v1/inbox/<ref>/act", status=202, errors=(404, 409, 412))
    def act_on_inbox_item(
        caller: Caller,
        ref: str,
        body: Act,
        once: Once | None,
        expected_revision: int | None,
    ) -> InboxRow:
        """Answers it; the item is resolved a moment later, when the agent has the answer."""
        found = inbox_rows.find(look, ref)
        who = asked(caller, once, expected_revision)
        inbox_rows.act(desk, who, found, body.action, body.note)
        return inbox_rows.find(look, found.id).shown(look)

    @api.route("POST", "/api/v1/inbox/<ref>/ack", errors=(404, 409, 412))
    def ack_inbox_item(
        caller: Caller, ref: str, body: Nothing, once: Once | None, expected_revision: int | None
    ) -> InboxRow:
        """You have seen it. It stays open, and what waits for its answer waits."""
        found, who = inbox_rows.item(look, ref), asked(caller, once, expected_revision)
        return Found(item=inbox.ack(desk, who, found.id)).shown(look)

    @api.route("POST", "/api/v1/inbox/<ref>/resolve", errors=(404, 409, 412))
    def resolve_inbox_item(
        caller: Caller, ref: str, body: Nothing, once: Once | None, expected_revision: int | None
    ) -> InboxRow:
        """Closes it, and does nothing else. 409 `inbox_needs_answer` where somebody waits for what
        you decide: a permission, an approval, a changed configuration."""
        found, who = inbox_rows.item(look, ref), asked(caller, once, expected_revision)
        return Found(item=inbox.resolve(desk, who, found.id)).shown(look)

    @api.route("POST", "/api/v1/inbox/<ref>/snooze", errors=(404, 409, 412))
    def snooze_inbox_item(
        caller: Caller,
        ref: str,
        body: Snooze,
        once: Once | None,
        expected_revision: int | None,
    ) -> InboxRow:
        """Puts it off: it is asked again at that time, and not counted until then."""
        found, who = inbox_rows.item(look, ref), asked(caller, once, expected_revision)
        return Found(item=inbox.snooze(desk, who, found.id, body.until)).shown(look)

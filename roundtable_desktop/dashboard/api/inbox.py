"""The API's routes about the inbox."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import (
    Instant,
    Moment,
    Ref,
    Shown,
    Stored,
    Words16,
    asked,
    said,
)
from roundtable_desktop.dashboard.reading import Listed, Nothing, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, inbox
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_placed import Placed
from roundtable_desktop.model import records
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.failures import does


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


class AnswerRow(Words):
    action: str
    does: str


class InboxRow(Shown):
    """sentence: what it is about; code: of that sentence. agent, task: who asks, and the number of
    what it works on. data of a permission: what was asked, and the options; of a blocked delivery:
    why, with the paths and the command that would do it by hand; of a changed configuration: the
    difference from what was accepted, and what accepting it does. snoozed_until: it is put off, and
    asked again then. acked_at: when you said that you have seen it. answers: what each of its
    answers does; none of an agent's own options."""

    id: str
    workspace_id: str
    kind: str
    code: str
    severity: str
    status: str
    subject_type: str
    subject_id: str
    sentence: str
    agent: str | None
    task: int | None
    data: Stored
    answers: list[AnswerRow]
    resolution: Stored | None
    created_at: Moment
    updated_at: Moment
    resolved_at: Moment | None
    snoozed_until: Moment | None
    acked_at: Moment | None
    revision: int


def row(item: records.InboxItem, placed: Placed | None = None) -> InboxRow:
    agent = placed.agent.name if placed else item.data.get("agent")
    task = placed.task.number if placed and placed.task else item.data.get("number")
    sentence, until = said(item.code, dict(item.data)), inbox.put_off_until(item)
    return InboxRow.of(
        item,
        sentence=sentence,
        agent=agent,
        task=task,
        answers=list(_answers(item)),
        snoozed_until=until,
        acked_at=inbox.acked_at(item),
    )


def _answers(item: records.InboxItem) -> Iterator[AnswerRow]:
    options = item.data.get("options")
    for option in options if isinstance(options, list) else ():
        if told := does(str(item.kind), str(option["kind"]), item.subject_type):
            yield AnswerRow(action=option["kind"], does=_(told))


def _placed(look: Look, item: records.InboxItem) -> InboxRow:
    return row(item, look.asking([item]).get(item.id))


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/inbox")
    def list_inbox(query: InboxAsked) -> Listed[InboxRow]:
        """What needs you, newest first."""
        return listed(Listed[InboxRow], query, look.inbox, partial(_placed, look))

    @api.route("GET", "/api/v1/inbox/<ref>")
    def show_inbox_item(ref: str) -> InboxRow:
        """One item."""
        return _placed(look, look.inbox_item(ref))

    @api.route("POST", "/api/v1/inbox/<ref>/act", status=202, errors=(404, 409, 412))
    def act_on_inbox_item(
        caller: Caller,
        ref: str,
        body: Act,
        once: Once | None,
        expected_revision: int | None,
    ) -> InboxRow:
        """Answers it; the item is resolved a moment later, when the agent has the answer."""
        found = look.inbox_item(ref)
        who = asked(caller, once, expected_revision)
        inbox.act(desk, who, found.id, body.action, body.note)
        return _placed(look, look.inbox_item(found.id))

    @api.route("POST", "/api/v1/inbox/<ref>/ack", errors=(404, 409, 412))
    def ack_inbox_item(
        caller: Caller, ref: str, body: Nothing, once: Once | None, expected_revision: int | None
    ) -> InboxRow:
        """You have seen it. It stays open, and what waits for its answer waits."""
        found, who = look.inbox_item(ref), asked(caller, once, expected_revision)
        return _placed(look, inbox.ack(desk, who, found.id))

    @api.route("POST", "/api/v1/inbox/<ref>/resolve", errors=(404, 409, 412))
    def resolve_inbox_item(
        caller: Caller, ref: str, body: Nothing, once: Once | None, expected_revision: int | None
    ) -> InboxRow:
        """Closes it, and does nothing else. 409 `inbox_needs_answer` where somebody waits for what
        you decide: a permission, an approval, a changed configuration."""
        found, who = look.inbox_item(ref), asked(caller, once, expected_revision)
        return _placed(look, inbox.resolve(desk, who, found.id))

    @api.route("POST", "/api/v1/inbox/<ref>/snooze", errors=(404, 409, 412))
    def snooze_inbox_item(
        caller: Caller,
        ref: str,
        body: Snooze,
        once: Once | None,
        expected_revision: int | None,
    ) -> InboxRow:
        """Puts it off: it is asked again at that time, and not counted until then."""
        found, who = look.inbox_item(ref), asked(caller, once, expected_revision)
        return _placed(look, inbox.snooze(desk, who, found.id, body.until))

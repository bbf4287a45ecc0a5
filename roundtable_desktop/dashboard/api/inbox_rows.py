"""What needs you as the API's inbox shows it: its items, and among them each proposal that waits
for you and that none of them asks about. That is no row of its own, so it is here as long as it
waits, and never twice."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from roundtable_desktop.dashboard.api.proposals import reason_said, sentence_of
from roundtable_desktop.dashboard.api.shapes import Moment, Shown, Stored, said
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk import Asked, Desk, inbox, proposals
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_placed import Placed
from roundtable_desktop.engine.desk.look_proposals import Offered
from roundtable_desktop.model import records
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.failures import does

OFFER = "proposal"
"""The kind of an item that is a proposal."""
SEVERITY = "attention"
Decide = Callable[[Desk, Asked, str, str], object]
ACTIONS: dict[str, Decide] = {
    "deliver": lambda desk, by, ref, note: proposals.deliver(desk, by, ref, note=note),
    "reject": proposals.reject,
    "request_changes": proposals.request_changes,
}


class AnswerRow(Words):
    action: str
    does: str


class InboxRow(Shown):
    """sentence: what it is about; code: of that sentence. agent, task: who asks, and the number of
    what it works on. data of a permission: what was asked, and the options; of a blocked delivery:
    why, with the paths and the command that would do it by hand; of a changed configuration: the
    difference from what was accepted, and what accepting it does. snoozed_until: it is put off, and
    asked again then. acked_at: when you said that you have seen it. answers: what each of its
    answers does; none of an agent's own options. A proposal that waits for you is one of them, with
    its own id."""

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


@dataclass(frozen=True, slots=True)
class Found:
    """One of the two."""

    item: records.InboxItem | None = None
    offer: Offered | None = None

    @property
    def id(self) -> str:
        return self.item.id if self.item else self._offered.proposal.id

    @property
    def _offered(self) -> Offered:
        assert self.offer is not None
        return self.offer

    def shown(self, look: Look) -> InboxRow:
        if self.item:
            return row(self.item, look.asking([self.item]).get(self.item.id))
        return offer_row(look, self._offered)


def page(
    look: Look,
    after: str | None,
    limit: int,
    *,
    kind: str | None = None,
    status: str | None = None,
    severity: str | None = None,
    workspace_id: str | None = None,
) -> list[Found]:
    """Newest first: the ids of both come of one clock."""
    found: list[Found] = []
    if kind != OFFER:
        asked = {"kind": kind, "status": status, "severity": severity}
        items = look.inbox(after, limit, workspace_id=workspace_id, **asked)
        found += [Found(item=one) for one in items]
    if kind in (None, OFFER) and status in (None, "open") and severity in (None, SEVERITY):
        waiting = look.proposals(after, limit, state="unasked", workspace_id=workspace_id)
        found += [Found(offer=one) for one in waiting]
    return sorted(found, key=lambda one: one.id, reverse=True)[:limit]


def find(look: Look, ref: str) -> Found:
    """Also a proposal that waits no more. Raises Absent."""
    try:
        return Found(item=look.inbox_item(ref))
    except Absent as absent:
        try:
            return Found(offer=look.proposal(ref))
        except Absent:
            raise absent from None


def item(look: Look, ref: str) -> records.InboxItem:
    """For what can be done with an item alone. Raises Conflict for a proposal: it is decided."""
    found = find(look, ref)
    if found.item is None:
        raise Conflict("inbox_needs_answer", offered=list(ACTIONS))
    return found.item


def act(desk: Desk, by: Asked, found: Found, action: str, note: str) -> None:
    if found.item:
        inbox.act(desk, by, found.id, action, note)
    elif action in ACTIONS:
        ACTIONS[action](desk, by, found.id, note.strip())
    else:
        raise Invalid("unknown_action", "/action", action=action, offered=list(ACTIONS))


def row(item: records.InboxItem, placed: Placed | None = None) -> InboxRow:
    agent = placed.agent.name if placed else item.data.get("agent")
    task = placed.task.number if placed and placed.task else item.data.get("number")
    sentence, until = said(item.code, dict(item.data)), inbox.put_off_until(item)
    return InboxRow.of(
        item,
        sentence=sentence,
        agent=agent,
        task=task,
        answers=list(_answers(str(item.kind), item.data.get("options"), item.subject_type)),
        snoozed_until=until,
        acked_at=inbox.acked_at(item),
    )


def _answers(kind: str, options: object, subject_type: str) -> Iterator[AnswerRow]:
    for option in options if isinstance(options, Sequence) else ():
        if told := does(kind, str(option["kind"]), subject_type):
            yield AnswerRow(action=option["kind"], does=_(told))


def offer_row(look: Look, offered: Offered) -> InboxRow:
    it = offered.proposal
    placed = look.placed_proposals([it])[it.id]
    waiting = look.proposals(None, 1, state="waiting", task_id=it.task_id)
    waits = any(one.proposal.id == it.id for one in waiting)
    options = [{"id": one, "kind": one, "name": one} for one in ACTIONS]
    data = {
        "proposal_id": it.id,
        "task_id": it.task_id,
        "run_id": it.run_id,
        "number": placed.task.number,
        "title": placed.task.title,
        "options": options if waits else [],
    }
    return InboxRow.of(
        it,
        kind=OFFER,
        code="inbox_proposal",
        severity=SEVERITY,
        status="open" if waits else "resolved",
        subject_type="proposal",
        subject_id=it.id,
        sentence=said("inbox_proposal", data | {"stands": sentence_of(offered, reason_said)}),
        agent=placed.agent.name if placed.agent else None,
        task=placed.task.number,
        data=data,
        answers=list(_answers(OFFER, data["options"], "proposal")),
        resolution=None if waits else {"status": str(it.status)},
        resolved_at=None if waits else it.updated_at,
        snoozed_until=None,
        acked_at=None,
    )

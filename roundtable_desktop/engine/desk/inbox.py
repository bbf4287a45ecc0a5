"""Commands about inbox items."""

from datetime import datetime

from roundtable_desktop.engine import blocked, merged_reviews, returned
from roundtable_desktop.engine.calling_off import call_off
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    approvals,
    board,
    budgets,
    check_revision,
    config,
    control,
    done_before,
    gating,
    losses,
    mission_answers,
    missions_control,
    once,
    pausing,
    proposals,
    remember,
    tasks,
    waking,
)
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.ports import RunnerGone
from roundtable_desktop.model.records import InboxItem, Json, Subject
from roundtable_desktop.model.states import InboxKind, InboxStatus, TaskStatus, WakeupOutcome
from roundtable_desktop.store import inbox, missions, wakeups
from roundtable_desktop.store.db import Tx

UNTOLD = (WakeupOutcome.QUARANTINED, WakeupOutcome.EXHAUSTED, WakeupOutcome.INCURABLE)
"""How a wakeup ends that its agent may never have heard."""


def snooze(desk: Desk, asked: Asked, item_id: str, until: datetime) -> InboxItem:
    """It is asked again at that time, and meanwhile it is not counted; what waits for it waits."""

    def put_off() -> Subject:
        control.check_until(until, tx.now)
        inbox.snooze(tx, _unanswered(tx, asked, item_id), until, asked.actor)
        return Subject("inbox", item_id)

    with desk.store.transaction() as tx:
        item = once(tx, asked, put_off, inbox.get)
    return item


def ack(desk: Desk, asked: Asked, item_id: str) -> InboxItem:
    """It was seen. It stays open, and what waits for its answer waits."""

    def seen() -> Subject:
        inbox.acknowledge(tx, _unanswered(tx, asked, item_id), asked.actor)
        return Subject("inbox", item_id)

    with desk.store.transaction() as tx:
        return once(tx, asked, seen, inbox.get)


FIX = "fix"
"""Of an item of the doctor: whatever puts it right."""
NEEDS_ANSWER = (InboxKind.PERMISSION, InboxKind.APPROVAL, InboxKind.CONFIG_CHANGED)
"""Somebody waits for what is decided: closing such a one would decide without a word."""


def closable(item: InboxItem) -> bool:
    """Whether it may be closed without an answer."""
    return item.kind not in NEEDS_ANSWER and item.subject_type != "gate"


def resolve(desk: Desk, asked: Asked, item_id: str) -> InboxItem:
    """A person has done with it otherwise: it is closed, and nothing else is done."""

    def close() -> Subject:
        item = _unanswered(tx, asked, item_id)
        if not closable(item):
            options = item.data.get("options")
            known = options if isinstance(options, list) else []
            raise Conflict("inbox_needs_answer", offered=[one["kind"] for one in known])
        inbox.resolve(tx, item, {"by": "person"}, asked.actor)
        return Subject("inbox", item_id)

    with desk.store.transaction() as tx:
        return once(tx, asked, close, inbox.get)


def acked_at(item: InboxItem) -> datetime | None:
    return inbox.acked_at(item)


def put_off_until(item: InboxItem) -> datetime | None:
    return inbox.put_off_until(item)


def _unanswered(tx: Tx, asked: Asked, item_id: str) -> InboxItem:
    item = inbox.get(tx, item_id)
    if item is None:
        raise Absent("unknown_inbox_item")
    check_revision(asked, item.revision)
    if item.status is InboxStatus.RESOLVED:
        raise Conflict("already_resolved")
    return item


def act(desk: Desk, asked: Asked, item_id: str, action: str, note: str = "") -> InboxItem:
    """Answers an item with one of its options, by id or by kind. Asking twice does nothing twice:
    the second answer finds the question closed. note: what goes along with it, where somebody reads
    it."""
    with desk.store.transaction() as tx:
        item = inbox.get(tx, item_id)
        if item is not None and done_before(tx, asked) is not None:
            return item
        item = _unanswered(tx, asked, item_id)
    options = item.data.get("options")
    known = options if isinstance(options, list) else []
    if item.kind is InboxKind.DOCTOR and action == FIX and known:
        action = str(known[0]["kind"])
    if not any(action in (option["id"], option["kind"]) for option in known):
        offered = [option["kind"] for option in known]
        raise Invalid("unknown_action", "/action", action=action, offered=offered)
    if note and not _takes_note(item, action):
        raise Invalid("no_note_taken", "/note", action=action)
    if item.kind is InboxKind.CONFIG_CHANGED and item.subject_type == "workspace":
        return config.answer(desk, asked, item, action)
    if item.kind is not InboxKind.PERMISSION:
        return _answer(desk, asked, item, action, note)
    _reply(desk, item, action)
    with desk.store.transaction() as tx:
        remember(tx, asked, Subject("inbox", item.id))
    return item


def _takes_note(item: InboxItem, action: str) -> bool:
    """Whether it reaches the agent, or is kept with what was decided."""
    match item.kind:
        case InboxKind.APPROVAL:
            return True
        case InboxKind.DELIVERY_BLOCKED:
            return action == blocked.REQUEST_CHANGES
        case InboxKind.AGENT_ERROR | InboxKind.BLOCKED:
            return action == "retry" and item.subject_type in ("task", "mission")
        case _:
            return False


def _reply(desk: Desk, item: InboxItem, action: str) -> None:
    """The runner is told and writes what it did into its spool; the item resolves from there, so
    what the item says is what the agent got."""
    request = {"do": "reply", "ask": item.data["ask"], "option": action}
    try:
        answer = desk.launcher.control(str(item.data["run_id"]), request)
    except RunnerGone:
        raise Conflict("run_is_over") from None
    if not answer.get("ok"):
        raise Conflict("already_resolved")


def _answer(desk: Desk, asked: Asked, item: InboxItem, action: str, note: str) -> InboxItem:
    """The answer, and what it does, in one decision; then the runs that it ends."""
    by, ended = Asked(asked.actor), []
    with desk.store.transaction() as tx:
        if not inbox.resolve(tx, item, {"by": "person", "option": action}, asked.actor):
            raise Conflict("already_resolved")
        if item.kind is InboxKind.APPROVAL:
            yes = action == "approve"
            approval_id = str(item.data["approval_id"])
            approvals.decide_now(tx, desk, by, approval_id, approved=yes, note=note)
        elif item.kind is InboxKind.DOCTOR:
            control.resume_now(tx, by)
        elif item.kind is InboxKind.BUDGET:
            budgets.answer(tx, desk, by, item, action)
        elif item.kind is InboxKind.DELIVERY_BLOCKED:
            _deliver(tx, desk, by, item, action, note)
        elif item.subject_type == "mission":
            ended = mission_answers.answer(tx, desk, by, item, action, note)
        elif item.subject_type == "gate":
            gating.answer(tx, desk, by, item, action)
        elif item.data.get("says") == merged_reviews.FINDINGS:
            _decide_findings(tx, desk, by, item, action)
        elif returned.is_of(item):
            ended = _returned(tx, desk, by, item, action)
        elif item.kind is InboxKind.BLOCKER_LOST:
            ended = losses.answer(tx, desk, by, item, action)
        else:
            _mend(tx, desk, by, item, action, note)
        remember(tx, asked, Subject("inbox", item.id))
        answered = inbox.get(tx, item.id)
    for run_id in ended:
        call_off(desk.launcher, run_id)
    assert answered is not None
    return answered


def _deliver(tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str, note: str) -> None:
    """A person's retry may move a working tree: it is their word (C-107)."""
    proposal_id = str(item.data["proposal_id"])
    if action == blocked.RETRY:
        proposals.deliver_now(tx, desk, by, proposal_id)
    elif action == blocked.REQUEST_CHANGES:
        proposals.rebase_now(tx, desk, by, proposal_id, note)
    else:
        proposals.discard_now(tx, desk, by, proposal_id)


def _decide_findings(tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str) -> None:
    """A mission that stands still for it goes on with the answer."""
    mission = missions.get(tx, str(item.data["mission_id"]))
    if mission is not None and mission.state is MissionState.BLOCKED:
        missions_control.reopen_now(tx, desk, by, mission.id)
    merged_reviews.answer(tx, desk.ids, item, action, by.actor)


def _returned(tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str) -> list[str]:
    """Work came back to an agent that is stopped: it goes on, or nobody does."""
    task = tasks.get(tx, item.subject_id)
    if action == returned.CANCEL:
        return board.move_now(tx, desk, by, task, TaskStatus.CANCELLED)
    pausing.resume_now(tx, desk, by, str(item.data["agent_id"]))
    return []


def _mend(tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str, note: str) -> None:
    """After a failure for good. A routine needs nothing done: it shows at its next time."""
    if item.subject_type == "routine":
        return
    if action == "retry" and item.subject_type == "task":
        tasks.run_now(tx, desk, by, item.subject_id, note or None, carries=_untold(tx, item))
    elif action == "retry":
        for number, failed in enumerate(inbox.wakeups_of(item)):
            key = f"retry:{item.id}:{number}" if number else f"retry:{item.id}"
            waking.again_now(tx, desk, by, failed, key)
    elif action == "pause_agent":
        pausing.pause_now(tx, by, str(item.data["agent_id"]))
    elif action == "mark_fixed":
        pausing.resume_now(tx, desk, by, str(item.data["agent_id"]))


def _untold(tx: Tx, item: InboxItem) -> list[Json]:
    """The causes of a wakeup that failed before a turn of its agent ended: a comment, a wake's
    words or the answer to a question reach the agent with the new try."""
    failed = wakeups.get(tx, str(item.data["wakeup_id"]))
    return failed.causes() if failed is not None and failed.outcome in UNTOLD else []

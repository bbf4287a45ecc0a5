"""Sets a wakeup aside that failed its owner three times in a row, and asks a person (F-10)."""

from collections.abc import Sequence
from datetime import datetime

from roundtable_desktop.engine.escalation import ANSWERS
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Json, Subject, Wakeup
from roundtable_desktop.model.states import (
    TASK,
    InboxKind,
    Severity,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import inbox, setbacks, tasks, wakeups
from roundtable_desktop.store.db import Tx

LIMIT = 3

OWNER_DIED = "owner_died"
"""Why: the owner died while it judged or launched it. Else the name of what judging it raised."""


def put_back(
    tx: Tx, ids: Ids, wakeup: Wakeup, why: str, *, at: datetime | None, held_by: str | None
) -> None:
    """A claimed one after a setback: queued again, or set aside after the third in a row."""
    if setbacks.count(tx, wakeup.id) < LIMIT:
        wakeups.requeue(tx, wakeup, at=at, held_by=held_by, retry_count=wakeup.retry_count)
    else:
        set_aside(tx, ids, wakeup, why)


def set_aside(tx: Tx, ids: Ids, wakeup: Wakeup, why: str) -> None:
    """A claimed one fails for good, its task stands still, and a person is asked at once."""
    known: Json = {"why": why, "setbacks": LIMIT}
    outcome = WakeupOutcome.QUARANTINED
    wakeups.settle(tx, wakeup, WakeupStatus.FAILED, outcome=outcome, data=known)
    _ask(tx, ids, wakeup, Severity.CRITICAL, outcome, ANSWERS, {"error_kind": why, **known})
    task = tasks.get(tx, wakeup.task_id) if wakeup.task_id else None
    if task is not None and TASK.allows(task.status, TaskStatus.BLOCKED):
        blocked = {"owner": "user", "action": "quarantine", "kind": why, "wakeup_id": wakeup.id}
        tasks.move(tx, task, TaskStatus.BLOCKED, actor=SYSTEM, blocked=blocked, data=known)


def unreadable(tx: Tx, ids: Ids, wakeup: Wakeup, detail: Json) -> None:
    """What cannot be read is read no better a second time; its task can be run anew (W-13)."""
    outcome = WakeupOutcome.MALFORMED
    wakeups.settle(tx, wakeup, WakeupStatus.FAILED, outcome=outcome, data=detail)
    answers = ("retry",) if wakeup.task_id else ("mark_fixed",)
    _ask(tx, ids, wakeup, Severity.ATTENTION, outcome, answers, detail)


def _ask(
    tx: Tx,
    ids: Ids,
    wakeup: Wakeup,
    severity: Severity,
    outcome: WakeupOutcome,
    answers: Sequence[str],
    known: Json,
) -> None:
    """About the task where there is one, else about the agent; no run of it was born."""
    about = Subject("task", wakeup.task_id) if wakeup.task_id else Subject("agent", wakeup.agent_id)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.AGENT_ERROR,
        severity,
        key=f"agent.error:{wakeup.id}",
        subject=about,
        workspace_id=wakeup.workspace_id,
        data={
            "agent_id": wakeup.agent_id,
            "run_id": None,
            "wakeup_id": wakeup.id,
            "outcome": outcome,
            "error_kind": None,
            **known,
            "options": [{"id": code, "kind": code, "name": code} for code in answers],
        },
    )

"""Sets a wakeup aside that failed its owner three times in a row, and asks a person (F-10)."""

from datetime import datetime

from roundtable_desktop.engine import troubles
from roundtable_desktop.engine.escalation import ANSWERS
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Json, Wakeup
from roundtable_desktop.model.states import (
    TASK,
    Severity,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import setbacks, tasks, wakeups
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
    asked: Json = {"run_id": None, "outcome": outcome, "error_kind": why, **known}
    troubles.ask(tx, ids, wakeup, Severity.CRITICAL, ANSWERS, asked)
    task = tasks.get(tx, wakeup.task_id) if wakeup.task_id else None
    if task is not None and TASK.allows(task.status, TaskStatus.BLOCKED):
        blocked = {"owner": "user", "action": "quarantine", "kind": why, "wakeup_id": wakeup.id}
        tasks.move(tx, task, TaskStatus.BLOCKED, actor=SYSTEM, blocked=blocked, data=known)


def unreadable(tx: Tx, ids: Ids, wakeup: Wakeup, detail: Json) -> None:
    """What cannot be read is read no better a second time; its task can be run anew (W-13)."""
    outcome = WakeupOutcome.MALFORMED
    wakeups.settle(tx, wakeup, WakeupStatus.FAILED, outcome=outcome, data=detail)
    answers = ("retry",) if wakeup.task_id else ("mark_fixed",)
    asked: Json = {"run_id": None, "error_kind": None, **detail, "outcome": outcome}
    troubles.ask(tx, ids, wakeup, Severity.ATTENTION, answers, asked)

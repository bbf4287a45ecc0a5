"""Tasks as a board shows them: of some statuses, filtered and counted, and since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.times import instant
from roundtable_desktop.store.db import View
from roundtable_desktop.store.tables import Tasks

# What each change of a task's status is called is said in store/tasks.
_LAST_MOVE = f"""
SELECT at FROM events WHERE subject_type = 'task' AND subject_id = ? AND kind IN (
    '{Kind.TASK_MOVED}', '{Kind.TASK_COMPLETED}', '{Kind.TASK_FAILED}',
    '{Kind.TASK_BLOCKED}', '{Kind.TASK_CANCELLED}', '{Kind.TASK_INTERRUPTED}'
) ORDER BY id DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which tasks. agent_id: "" for those that are nobody's. text: a part of the title, or a
    number (`12`, `T-12`). hidden: those that routines made, too (K-19)."""

    workspace_id: str | None = None
    agent_id: str | None = None
    text: str = ""
    hidden: bool = False
    mission_id: str | None = None


def of(view: View, statuses: Sequence[TaskStatus], wanted: Wanted, limit: int) -> list[Task]:
    """What changed last comes first."""
    found = Tasks.select().where(_here(statuses, wanted))
    order = (Tasks.updated_at.desc(), Tasks.id.desc())
    return view.all(Task, found.order_by(*order).limit(limit))


def count(view: View, statuses: Sequence[TaskStatus], wanted: Wanted) -> int:
    found = Tasks.select(pw.fn.COUNT(Tasks.id)).where(_here(statuses, wanted))
    return int(view.value(found) or 0)


def since(view: View, task: Task) -> datetime:
    """When it came to its status."""
    rows = view.sql(_LAST_MOVE, (task.id,))
    return instant(rows[0]["at"]) if rows else task.created_at


def _here(statuses: Sequence[TaskStatus], wanted: Wanted) -> Any:
    here = Tasks.status.in_(list(statuses))
    if wanted.workspace_id is not None:
        here &= Tasks.workspace_id == wanted.workspace_id
    if wanted.mission_id is not None:
        here &= Tasks.mission_id == wanted.mission_id
    if wanted.agent_id is not None:
        of_agent = Tasks.assignee_agent_id == wanted.agent_id
        here &= of_agent if wanted.agent_id else Tasks.assignee_agent_id.is_null()
    if wanted.text:
        number = wanted.text.upper().removeprefix("T-")
        named = Tasks.title.contains(wanted.text)
        here &= named | (Tasks.number == int(number)) if _is_number(number) else named
    if not wanted.hidden:
        here &= Tasks.routine_id.is_null()
    return here


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10

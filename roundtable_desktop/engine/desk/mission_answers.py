"""What a person answers to a mission that stands still: it is opened again, and with it what is
blocked is tried again, left out or given up (A-37)."""

from collections.abc import Sequence

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.desk import Asked, Desk, board, missions_control
from roundtable_desktop.engine.ending import CANCEL, RETRY, SKIP, to_retry, to_skip
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.records import InboxItem, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, TaskStatus
from roundtable_desktop.store import comments, missions, tasks
from roundtable_desktop.store.db import Tx


def answer(
    tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str, note: str = ""
) -> list[str]:
    """The runs that are to be called off after it. note: told to those that try it again."""
    mission = missions.get(tx, item.subject_id)
    if mission is None:
        raise Absent("unknown_mission")
    blocked = _blocked(tx, item)
    anew = to_retry(tx, blocked) if action == RETRY else []
    missions_control.reopen_now(tx, desk, by, mission.id)
    for task in anew:
        _again(tx, desk, by, task, note)
    ended: list[str] = []
    for task in _given_up(tx, action, blocked):
        ended += board.move_now(tx, desk, by, task, TaskStatus.CANCELLED)
    return ended


def _blocked(tx: Tx, item: InboxItem) -> list[Task]:
    """Those that its report names, as they are now, but for those that went on meanwhile."""
    report = item.data.get("report")
    named = report.get("blocked", []) if isinstance(report, dict) else []
    found = (tasks.get(tx, str(one["task_id"])) for one in named)
    return [one for one in found if one is not None and one.status not in TERMINAL_TASKS]


def _given_up(tx: Tx, action: str, blocked: Sequence[Task]) -> Sequence[Task]:
    if action == SKIP:
        return to_skip(tx, blocked)
    return blocked if action == CANCEL else ()


def _again(tx: Tx, desk: Desk, by: Asked, task: Task, note: str) -> None:
    """The planner begins it: what is said is told to it then (C-96)."""
    if note:
        comments.add(tx, task, desk.ids.new(), by.actor, note, None)
    if task.status is not TaskStatus.TODO:
        graph.move(tx, desk.ids, task, TaskStatus.TODO, actor=by.actor)
    tasks.fresh_budget(tx, task)

"""Whether a task of a mission may be begun: when its branch is there, and by its planner (C-96)."""

from datetime import timedelta

from roundtable_desktop.engine.pipeline import Case
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import Source, TaskStatus
from roundtable_desktop.model.verdicts import Answer, Cancel, Go, Hold
from roundtable_desktop.store import missions
from roundtable_desktop.store.db import Tx

HELD = "mission"
"""What holds a wakeup whose mission has no branch yet."""
LOOK_AGAIN = timedelta(seconds=10)
WAVE = "wave"
NOT_PLANNED = "not_planned"
_BEGINS = (WAVE, "attempt_retry")


def mission_plan(tx: Tx, case: Case) -> Answer:
    """The step of the pipeline."""
    task = case.task
    found = missions.get(tx, task.mission_id) if task and task.mission_id else None
    if found is None or task is None:
        return Go({"form": "none"})
    if found.opened_at is None:
        return Hold(HELD, tx.now + LOOK_AGAIN)
    if task.id != found.root_task_id and _is_unplanned(case.wakeup, task.status):
        return Cancel(NOT_PLANNED, {"task_id": task.id})
    return Go()


def _is_unplanned(wakeup: Wakeup, status: TaskStatus) -> bool:
    """What was not begun is begun by a wave, or by a person who says so; what was said meanwhile
    is told then."""
    by_person = wakeup.source is Source.USER
    return status is TaskStatus.TODO and wakeup.reason not in _BEGINS and not by_person

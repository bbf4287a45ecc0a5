"""Whether what a wakeup is about may be worked on now, by the mission that it belongs to."""

from datetime import timedelta

from roundtable_desktop.engine.pipeline import Case
from roundtable_desktop.model.missions import OVER, PLANNING, MissionState
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import Source, TaskStatus
from roundtable_desktop.model.verdicts import Answer, Cancel, Go, Hold
from roundtable_desktop.store import missions
from roundtable_desktop.store.db import Tx

HELD = "mission"
"""What holds a wakeup whose mission takes nothing up now; a resume takes it up again."""
LOOK_AGAIN = timedelta(minutes=1)
WAVE = "wave"
_BEGINS = (WAVE, "attempt_retry")


def mission(tx: Tx, case: Case) -> Answer:
    """C-96. What is over has no work left; what has no branch, or is paused, waits."""
    found = missions.get(tx, case.task.mission_id) if case.task and case.task.mission_id else None
    if found is None or case.task is None:
        return Go({"form": "none"})
    values: dict[str, object] = {"state": str(found.state)}
    if found.state in OVER or found.state is MissionState.STOPPING:
        return Cancel("mission_over", values)
    if found.opened_at is None or found.state not in PLANNING:
        return Hold(HELD, tx.now + LOOK_AGAIN, values)
    if case.task.id != found.root_task_id and _is_unplanned(case.wakeup, case.task.status):
        return Cancel("not_planned", values)
    return Go(values)


def _is_unplanned(wakeup: Wakeup, status: TaskStatus) -> bool:
    """What was not begun is begun by a wave, or by a person who says so; what was said meanwhile
    is told then."""
    by_person = wakeup.source is Source.USER
    return status is TaskStatus.TODO and wakeup.reason not in _BEGINS and not by_person

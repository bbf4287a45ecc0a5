"""Which task waits for a repair of what it proposed, and why it cannot wait any longer."""

from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Json, Task
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.store import proposals, tasks
from roundtable_desktop.store.db import View

LOST = "repair_lost"
ENDS = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.BLOCKED)
"""Of a repair that came, or will not come by itself."""


def waiting(view: View, repair: Task) -> Task | None:
    """The task whose proposal did not fit and that waits for this repair, or waited until it was
    lost."""
    if repair.purpose is not Purpose.REPAIR or repair.about_task_id is None:
        return None
    task = tasks.get(view, repair.about_task_id)
    assert task is not None, "foreign keys hold"
    waits = task.status is TaskStatus.IN_REVIEW or (task.blocked or {}).get("kind") == LOST
    return task if waits and conflicted(view, task.id) is not None else None


def conflicted(view: View, task_id: str) -> Proposal | None:
    """The newest that a run of the task left, if that did not fit; what a mission offers as a whole
    is in no copy."""
    offered = proposals.of_task(view, task_id)
    last = offered[-1] if offered and offered[-1].run_id is not None else None
    return last if last is not None and last.status is ProposalStatus.CONFLICTED else None


def came(view: View, repair: Task) -> bool:
    """Whether it is merged, and the work that it repairs with it; one that ended without a change
    brought nothing."""
    there = (ProposalStatus.MERGED, ProposalStatus.DELIVERED)
    return any(one.status in there for one in proposals.of_task(view, repair.id))


def lost(repair: Task) -> Json:
    """Why the task is blocked then (C-24)."""
    return {"owner": "user", "action": LOST, "kind": LOST, "repair": repair.number}

"""The end of a mission by itself: its state and what follows in one transaction (R-32)."""

from collections.abc import Container, Sequence
from typing import Any

from roundtable_desktop.engine import graph, merges, phases
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission, MissionOutcome, MissionState, Phase
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Json, Subject, Task
from roundtable_desktop.model.states import (
    TASK,
    TERMINAL_TASKS,
    InboxKind,
    Severity,
    TaskStatus,
)
from roundtable_desktop.store import (
    dependencies,
    inbox,
    merged_reviews,
    missions,
    standing,
    tasks,
)
from roundtable_desktop.store.db import Tx, View

REOPEN, RETRY, SKIP, CANCEL = "reopen", "retry", "skip_optional", "cancel"
LOOK_FAILED = "look_failed"
BLOCKED_WITH_IT = "mission_blocked"
"""What a person can say to a mission that is blocked: all open it again. With `retry` what is
blocked is done anew, with `skip_optional` the mission goes on without what it can do without, with
`cancel` without all that is blocked."""
_STANDS = (TaskStatus.BLOCKED, TaskStatus.INTERRUPTED)


def to_retry(view: View, blocked: Sequence[Task]) -> list[Task]:
    """What may be done anew as it is: nobody is asked about it in a question of its own."""
    of = {one.mission_id for one in blocked if one.mission_id}
    rests = {task_id for one in of for task_id in standing.ended(view, one)}
    return [
        one
        for one in blocked
        if (one.status in _STANDS or one.id in rests)
        and not graph.is_lost(one)
        and merged_reviews.of_task(view, one.id) is None
    ]


def to_skip(view: View, blocked: Sequence[Task]) -> list[Task]:
    """What the mission can do without, and nobody waits for who is not left out with it."""
    left = {one.id: one for one in blocked if one.optional}
    waiting = {one: dependencies.dependents(view, one) for one in left}
    while held := [one for one in left if any(_goes_on(each, left) for each in waiting[one])]:
        left = {one: task for one, task in left.items() if one not in held}
    return list(left.values())


def _goes_on(task: Task, left_out: Container[str]) -> bool:
    return task.status not in TERMINAL_TASKS and task.id not in left_out


def answers(view: View, report: Json) -> tuple[str, ...]:
    """Those that would do something."""
    named = report.get("blocked")
    known = [str(one["task_id"]) for one in named] if isinstance(named, list) else []
    found = [one for one in (tasks.get(view, task_id) for task_id in known) if one is not None]
    possible = {
        RETRY: bool(to_retry(view, found)),
        SKIP: bool(to_skip(view, found)),
        REOPEN: True,
        CANCEL: bool(found),
    }
    return tuple(one for one, does in possible.items() if does)


def complete(
    tx: Tx, ids: Ids, mission: Mission, outcome: MissionOutcome, reason: str, report: Json
) -> bool:
    """False when somebody was faster."""
    kind, data = Kind.MISSION_COMPLETED, {"outcome": outcome, "reason": reason}
    end: dict[str, Any] = {"outcome": outcome, "reason": reason, "report": report}
    if not missions.move(tx, mission, MissionState.COMPLETED, kind=kind, data=data, **end):
        return False
    phases.to(tx, mission.id, Phase.COMPLETED)
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    for step in _TO_DONE.get(root.status, ()):
        at = tasks.get(tx, root.id)
        assert at is not None
        graph.move(tx, ids, at, step, actor=SYSTEM, data={"mission_id": mission.id})
    merges.converged(tx, ids, mission)
    return True


_TO_DONE = {
    TaskStatus.TODO: (TaskStatus.IN_PROGRESS, TaskStatus.DONE),
    TaskStatus.IN_PROGRESS: (TaskStatus.DONE,),
    TaskStatus.IN_REVIEW: (TaskStatus.DONE,),
    TaskStatus.BLOCKED: (TaskStatus.TODO, TaskStatus.IN_PROGRESS, TaskStatus.DONE),
    TaskStatus.INTERRUPTED: (TaskStatus.TODO, TaskStatus.IN_PROGRESS, TaskStatus.DONE),
    TaskStatus.FAILED: (TaskStatus.TODO, TaskStatus.IN_PROGRESS, TaskStatus.DONE),
}
"""The root is done with its mission, whatever became of it meanwhile."""


def block(tx: Tx, ids: Ids, mission: Mission, why: Json, report: Json | None = None) -> bool:
    """It stands until somebody sees to it: told of, and asked about. why: {"code", …}."""
    reason = str(why["code"])
    report = {"reason": reason, "why": dict(why), **(report or {})}
    kind, data = Kind.MISSION_BLOCKED, {"reason": reason}
    end: dict[str, Any] = {"reason": reason, "report": report}
    if not missions.move(tx, mission, MissionState.BLOCKED, kind=kind, data=data, **end):
        return False
    phases.to(tx, mission.id, Phase.BLOCKED)
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    if TASK.allows(root.status, TaskStatus.BLOCKED):
        blocked = {"owner": "user", "action": BLOCKED_WITH_IT, "kind": reason}
        tasks.move(tx, root, TaskStatus.BLOCKED, actor=SYSTEM, blocked=blocked)
    _ask(tx, ids, mission, root, {**why, "code": f"mission_{reason}"}, report)
    return True


def give_up(tx: Tx, ids: Ids, mission: Mission, error: Json) -> bool:
    """It could not be looked at, again and again (R-10)."""
    kind, data = Kind.MISSION_FAILED, {"error": dict(error)}
    report = {"reason": LOOK_FAILED, "error": dict(error)}
    end: dict[str, Any] = {
        "reason": LOOK_FAILED,
        "outcome": MissionOutcome.FAILED,
        "report": report,
    }
    if not missions.move(tx, mission, MissionState.FAILED, kind=kind, data=data, **end):
        return False
    phases.to(tx, mission.id, Phase.BLOCKED)
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    why = {"code": f"mission_{LOOK_FAILED}", "error": error.get("text")}
    _ask(tx, ids, mission, root, why, report)
    return True


def _ask(tx: Tx, ids: Ids, mission: Mission, root: Task, why: Json, report: Json) -> None:
    """Once for each time that it stands still."""
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BLOCKED,
        Severity.ATTENTION,
        key=f"mission_blocked:{mission.id}:{mission.revision}",
        subject=Subject("mission", mission.id),
        workspace_id=mission.workspace_id,
        data={
            "says": "mission_blocked",
            "owner": "user",
            "number": root.number,
            "task_id": root.id,
            "mission_id": mission.id,
            "goal": root.title,
            "why": dict(why),
            "report": report,
            "options": inbox.options(answers(tx, report)),
        },
    )

"""Missions: their rows, their moves, and the waves that were planned for them."""

import json
from collections.abc import Sequence
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import (
    MISSION,
    OVER,
    PHASE,
    Mission,
    MissionState,
    Phase,
    Wave,
)
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject, Task
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.mission_tables import Missions, Waves, WaveTasks
from roundtable_desktop.store.rows import by_id, read
from roundtable_desktop.store.tables import Tasks

# By SQL text: each tick of the loop asks.
_ALIVE = """
SELECT * FROM missions WHERE state NOT IN ('stopped', 'completed', 'blocked', 'failed')
ORDER BY seq
"""
_BLOCKED = "SELECT * FROM missions WHERE state = 'blocked' ORDER BY seq"
_MODEL = """
SELECT json_extract(w.plan, '$.model_assignments.' || json_quote(t.task_id)) AS said
FROM wave_tasks AS t JOIN waves AS w ON w.id = t.wave_id
WHERE t.task_id = ? ORDER BY w.created_at DESC, w.number DESC LIMIT 1
"""
_AGENTS_OWN = ("agents_own", "heavy", "model_unknown")
"""Then nobody chose, and what a project or the workspace says counts (C-67)."""
_TASKS = "SELECT * FROM tasks WHERE mission_id = ? ORDER BY number"


def get(view: View, mission_id: str) -> Mission | None:
    return by_id(view, Mission, Missions, mission_id)


def newest(view: View, workspace_id: str) -> Mission | None:
    """By when it started, and of two at once the one that came later (R-23)."""
    sql = "SELECT * FROM missions WHERE workspace_id = ? ORDER BY started_at DESC, seq DESC LIMIT 1"
    rows = view.sql(sql, (workspace_id,))
    return read(Mission, Missions, rows[0]) if rows else None


def of_workspace(view: View, workspace_id: str) -> list[Mission]:
    """Newest first."""
    sql = "SELECT * FROM missions WHERE workspace_id = ? ORDER BY seq DESC"
    return [read(Mission, Missions, row) for row in view.sql(sql, (workspace_id,))]


def alive(view: View) -> list[Mission]:
    """Those that are not over, oldest first."""
    return [read(Mission, Missions, row) for row in view.sql(_ALIVE)]


def blocked(view: View) -> list[Mission]:
    """Those that stand until somebody sees to them, oldest first."""
    return [read(Mission, Missions, row) for row in view.sql(_BLOCKED)]


def tasks_of(view: View, mission_id: str) -> list[Task]:
    """Its root among them, by their numbers."""
    return [read(Task, Tasks, row) for row in view.sql(_TASKS, (mission_id,))]


def of_root(view: View, task: Task) -> Mission | None:
    """The mission whose root the task is."""
    mission = get(view, task.mission_id) if task.mission_id else None
    return mission if mission is not None and mission.root_task_id == task.id else None


def is_planned(view: View, task: Task) -> bool:
    """Whether a mission's planner alone begins it (C-96); its root is woken as any other task."""
    return task.mission_id is not None and of_root(view, task) is None


def is_open(view: View, task: Task) -> bool:
    """Whether the task's mission has its branch, if it has a mission."""
    mission = get(view, task.mission_id) if task.mission_id else None
    return mission is None or mission.opened_at is not None


def add(tx: Tx, actor: Actor, **values: Any) -> Mission:
    """In state `starting`: nothing of it starts before it is `active` and its branch is there."""
    next_seq = "SELECT coalesce(max(seq), 0) + 1 AS n FROM missions"
    born = {"created_at": tx.now, "updated_at": tx.now, "started_at": tx.now}
    tx.write(
        Missions.insert(
            seq=int(tx.sql(next_seq)[0]["n"]),
            state=MissionState.STARTING,
            phase=Phase.IDLE,
            **born,
            **values,
        )
    )
    mission = get(tx, values["id"])
    assert mission is not None
    journal.tell(
        tx,
        Kind.MISSION_CREATED,
        Subject("mission", mission.id),
        workspace_id=mission.workspace_id,
        actor=actor,
        data={"slug": mission.slug, "root_task_id": mission.root_task_id},
    )
    return mission


def move(
    tx: Tx,
    mission: Mission,
    to: MissionState,
    *,
    actor: Actor = SYSTEM,
    data: Json | None = None,
    kind: Kind = Kind.MISSION_MOVED,
    **values: Any,
) -> bool:
    """A state over ends it: `ended_at` is set then and taken away by a reopening."""
    if to in OVER:
        values.setdefault("ended_at", tx.now)
    elif mission.state in OVER:
        values.setdefault("ended_at", None)
    moved = journal.move(tx, MISSION, mission, to=to, kind=kind, actor=actor, data=data, **values)
    if moved and mission.state in OVER:  # it goes on: what was asked about its end is answered
        for item in inbox.open_about(tx, Subject("mission", mission.id)):
            inbox.resolve(tx, item, {"by": "cause"}, actor)
    return moved


def enter(tx: Tx, mission: Mission, to: Phase, data: Json | None = None, **values: Any) -> bool:
    """Each change of the phase is an event (A-09); the same phase again is none."""
    if mission.phase is to:
        return False
    kind = Kind.MISSION_PHASE
    return journal.move(tx, PHASE, mission, to=to, kind=kind, data=data, **values)


def note(tx: Tx, mission: Mission, **values: Any) -> None:
    """What the planner keeps for itself: no move, and nothing that is told."""
    tx.write(Missions.update(**values).where(Missions.id == mission.id))


# --- waves --------------------------------------------------------------------------------------


def waves(view: View, mission_id: str) -> list[Wave]:
    """Oldest first."""
    sql = "SELECT * FROM waves WHERE mission_id = ? ORDER BY number"
    return [read(Wave, Waves, row) for row in view.sql(sql, (mission_id,))]


def plan(tx: Tx, mission: Mission, id: str, plan: Json, woken: Sequence[tuple[str, str]]) -> Wave:
    """Stores a wave with what it set off: (task, wakeup) of each."""
    sql = "SELECT coalesce(max(number), 0) + 1 AS n FROM waves WHERE mission_id = ?"
    number = int(tx.sql(sql, (mission.id,))[0]["n"])
    where = mission.workspace_id
    tx.write(
        Waves.insert(
            id=id,
            workspace_id=where,
            mission_id=mission.id,
            number=number,
            plan=plan,
            created_at=tx.now,
        )
    )
    for task_id, wakeup_id in woken:
        tx.write(WaveTasks.insert(wave_id=id, task_id=task_id, wakeup_id=wakeup_id))
    subject, data = Subject("mission", mission.id), {"wave": number, "tasks": len(woken)}
    journal.tell(tx, Kind.WAVE_PLANNED, subject, workspace_id=where, data=data)
    sql = "SELECT * FROM waves WHERE id = ?"
    return read(Wave, Waves, tx.sql(sql, (id,))[0])


def end_waves(tx: Tx, wave_ids: Sequence[str]) -> None:
    tx.write(Waves.update(ended_at=tx.now).where(Waves.id.in_(list(wave_ids))))


def planned_model(view: View, task: Task) -> str | None:
    """The model that the newest wave with the task in it says; None where it leaves that to
    whatever holds for the agent (A-32)."""
    if task.mission_id is None:
        return None
    rows = view.sql(_MODEL, (task.id,))
    if not rows or rows[0]["said"] is None:
        return None
    said = json.loads(rows[0]["said"])
    model = said.get("model")
    return None if said["reason"]["code"] in _AGENTS_OWN or not model else str(model)


def dispatched(view: View, task_ids: Sequence[str]) -> dict[str, str]:
    """The newest wakeup by which a wave woke each of these tasks."""
    sql = (
        "SELECT t.task_id, t.wakeup_id FROM wave_tasks AS t JOIN waves AS w ON w.id = t.wave_id"
        " WHERE t.task_id IN (SELECT value FROM json_each(?)) ORDER BY w.created_at, w.number"
    )
    rows = view.sql(sql, (json.dumps(list(task_ids)),))
    return {str(row["task_id"]): str(row["wakeup_id"]) for row in rows}

"""A change of what is asked of a mission: what it touches waits until that is understood (A-23)."""

from collections.abc import Sequence

from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.desk import Asked, Desk, belonging, missions_control, once, tasks
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Impact, Mission, MissionState
from roundtable_desktop.model.records import Actor, Json, Subject, Task
from roundtable_desktop.store import journal, missions, runs, standing
from roundtable_desktop.store.db import Tx, View


def require(
    desk: Desk, asked: Asked, mission_id: str, text: str, task_ids: Sequence[str] = ()
) -> Mission:
    """Tasks that it touches are not dispatched until somebody says what it means for them: the
    coordinator, who is woken with the text, or a person. What runs goes on."""

    def act() -> Subject:
        mission = _going_on(tx, mission_id)
        touched = [_of(tx, mission, one).id for one in task_ids]
        data = {"text": text, "task_ids": touched}
        _tell(tx, asked.actor, mission, Kind.REQUIREMENT_CHANGED, data)
        root = tasks.get(tx, mission.root_task_id)
        tasks.add_comment(tx, desk, asked.actor, root, text)
        tx.nudge("queue")
        return Subject("mission", mission.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, missions.get)


def assessed(desk: Desk, asked: Asked, mission_id: str, impact: Impact, note: str = "") -> Mission:
    """What the changes so far mean is known, and dispatch goes on by the graph as it is now; so
    does a mission that stands still for want of that."""

    def act() -> Subject:
        found = missions.get(tx, mission_id)
        waits = found is not None and standing.paused(tx, mission_id)
        if waits and found is not None and found.state is MissionState.BLOCKED:
            missions_control.reopen_now(tx, desk, asked, mission_id)
        mission = _going_on(tx, mission_id)
        assess_now(tx, desk, asked.actor, mission, impact, note)
        return Subject("mission", mission.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, missions.get)


def assess_now(
    tx: Tx, desk: Desk, actor: Actor, mission: Mission, impact: Impact, note: str
) -> None:
    """What touches how the parts fit together is confirmed by a person: an agent that finds so asks
    one, and what waits goes on waiting."""
    if impact is Impact.ARCHITECTURE and actor.type == "agent":
        root = tasks.get(tx, mission.root_task_id)
        run_id = runs.lease_holder(tx, root.id)
        ask_approval(tx, desk.ids, root, run_id=run_id, agent_id=actor.id, text=note)
        return
    _tell(tx, actor, mission, Kind.IMPACT_COMPLETED, {"impact": str(impact), "note": note})
    tx.nudge("queue")


def _going_on(view: View, mission_id: str) -> Mission:
    mission = missions.get(view, mission_id)
    if mission is None:
        raise Absent("unknown_mission")
    belonging.check_open(mission)
    return mission


def _of(tx: Tx, mission: Mission, task_id: str) -> Task:
    task = tasks.get(tx, task_id)
    if task.mission_id != mission.id or task.id == mission.root_task_id:
        raise Absent("unknown_task", "/task_ids")
    return task


def _tell(tx: Tx, actor: Actor, mission: Mission, kind: Kind, data: Json) -> None:
    subject, where = Subject("mission", mission.id), mission.workspace_id
    journal.tell(tx, kind, subject, workspace_id=where, actor=actor, data=data)

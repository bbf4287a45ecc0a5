"""A change of what is asked of a mission: what it touches waits until that is understood (A-23)."""

from collections.abc import Sequence

from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.desk import Asked, Desk, belonging, missions_control, once, tasks
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Impact, Mission, MissionState
from roundtable_desktop.model.records import Actor, Json, Subject, Task
from roundtable_desktop.store import approvals, events, journal, missions, runs, standing
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
        assess_again(tx, desk, asked, mission_id, impact, note)
        return Subject("mission", mission_id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, missions.get)


def assess_again(
    tx: Tx, desk: Desk, asked: Asked, mission_id: str, impact: Impact, note: str
) -> None:
    """`assessed` as a part of a larger decision."""
    found = missions.get(tx, mission_id)
    if found is not None and found.state is MissionState.BLOCKED and standing.paused(tx, found.id):
        missions_control.reopen_now(tx, desk, asked, found.id)
    assess_now(tx, desk, asked.actor, _going_on(tx, mission_id), impact, note)


def approved(tx: Tx, desk: Desk, asked: Asked, approval: Approval, note: str) -> None:
    """A person's yes to what an agent found that a change means: it is their own word."""
    asks = _impact_of(tx, approval)
    task = tasks.get(tx, approval.task_id)
    if asks is not None and task.mission_id and standing.paused(tx, task.mission_id):
        assess_again(tx, desk, asked, task.mission_id, asks, note)


def _impact_of(view: View, approval: Approval) -> Impact | None:
    kind = Kind.APPROVAL_REQUESTED
    told = events.newest_of(view, Subject("approval", approval.id), kind)
    impact = told.data.get("impact") if told else None
    return Impact(str(impact)) if impact else None


def assess_now(
    tx: Tx, desk: Desk, actor: Actor, mission: Mission, impact: Impact, note: str
) -> None:
    """What touches how the parts fit together is confirmed by a person: an agent that finds so asks
    one, once, and what waits goes on waiting until they say yes."""
    if impact is Impact.ARCHITECTURE and actor.type == "agent":
        root = tasks.get(tx, mission.root_task_id)
        run_id = runs.lease_holder(tx, root.id)
        open_ones = approvals.open_of_task(tx, root.id)
        if not any(_impact_of(tx, one) for one in open_ones):
            who, what = actor.id, str(impact)
            ask_approval(tx, desk.ids, root, run_id=run_id, agent_id=who, text=note, impact=what)
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

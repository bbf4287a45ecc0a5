"""A person's word on a mission as a whole: start, pause, resume, stop, force-stop, reopen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from roundtable_desktop.engine import graph, mission_control, wakers
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    check_revision,
    done_before,
    ending,
    once,
    remember,
)
from roundtable_desktop.engine.desk.ending import Stopped, end_runs
from roundtable_desktop.engine.desk.missions import Prepared, begin_from, prepare
from roundtable_desktop.engine.intake import STOPPED
from roundtable_desktop.model.errors import Absent, Conflict, Illegal, Invalid
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import PHASE, Mission, MissionState, Phase
from roundtable_desktop.model.records import Json, Run, Subject
from roundtable_desktop.model.run_actions import (
    REOPENED,
    RUN_ACTIONS,
    RunAction,
    possible,
    spelled,
)
from roundtable_desktop.model.states import TASK, TERMINAL_TASKS, Rank, Source, TaskStatus
from roundtable_desktop.rules import admission
from roundtable_desktop.store import (
    events,
    journal,
    mission_work,
    missions,
    runs,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Tx, View

_NOBODY = Stopped((), ())


@dataclass(frozen=True, slots=True)
class Acted:
    """The mission as it is after that. ended: what a force-stop ended, and what it could not."""

    mission: Mission
    ended: Stopped = _NOBODY


def action_of(text: str) -> RunAction:
    try:
        return RunAction(text)
    except ValueError:
        known = ", ".join(RunAction)
        raise Invalid("invalid_run_action", action=text, actions=known) from None


def act(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    action: RunAction,
    *,
    run_id: str | None = None,
    goal: str | None = None,
) -> Acted:
    """On the workspace's newest mission (R-24); run_id: which one the person believes that to be.
    A repeat answers with how that mission is now."""
    with desk.store.transaction() as tx:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace")
        before = done_before(tx, asked)
        newest = missions.newest(tx, workspace_id)
    if before is not None:
        return _again(desk, asked, before, action)
    _check_newest(newest, run_id)
    if action is RunAction.START:
        return Acted(_start(desk, asked, workspace_id, newest, run_id, goal))
    if newest is None:
        raise _refused(action, None)
    return on(desk, asked, newest.id, action, newest_of=workspace_id)


def on(
    desk: Desk, asked: Asked, mission_id: str, action: RunAction, *, newest_of: str = ""
) -> Acted:
    """On this mission, whichever is the newest; newest_of: it must still be that one's newest."""
    if action is RunAction.FORCE_STOP:
        return _force_stop(desk, asked, mission_id, newest_of)
    acts: Mapping[RunAction, Callable[[Tx, Asked, Mission], None]] = {
        RunAction.START: go_on,
        RunAction.PAUSE: _pause,
        RunAction.RESUME: go_on,
        RunAction.STOP: _stop,
    }
    with desk.store.transaction() as tx:

        def do() -> Subject:
            mission = _judged(tx, asked, mission_id, action, newest_of)
            if action is RunAction.START and mission.state is not MissionState.STARTING:
                # a new one begins with a goal, in its workspace
                raise _refused(action, mission, alone=True)
            acts[action](tx, asked, mission)
            return Subject("mission", mission.id)

        done = once(tx, asked, do, missions.get)
    desk.launcher.fence()
    return Acted(done)


def reopen(desk: Desk, asked: Asked, mission_id: str) -> Mission:
    """A mission that was blocked, failed or stopped is `active` again (C-57): tasks that it left in
    the midst are to be done anew, and its coordinator is woken, also where it had ended."""
    with desk.store.transaction() as tx:
        return once(tx, asked, partial(reopen_now, tx, desk, asked, mission_id), missions.get)


def reopen_now(tx: Tx, desk: Desk, asked: Asked, mission_id: str) -> Subject:
    """`reopen` as a part of a larger decision."""
    mission = _get(tx, mission_id)
    check_revision(asked, mission.revision)
    if mission.state not in REOPENED:
        over = mission.state is MissionState.COMPLETED
        why = {"code": "run_completed" if over else "mission_going_on"}
        raise Illegal("mission_not_reopened", state=spelled(mission.state), why=why)
    _move(tx, asked, mission, MissionState.ACTIVE, "reopen", outcome=None, reason=None)
    missions.note(tx, mission, report=None, error=None, consecutive_errors=0, look_at=None)
    if PHASE.allows(mission.phase, Phase.LOADING_GRAPH):
        missions.enter(tx, mission, Phase.LOADING_GRAPH)
    _take_up_tasks(tx, desk, asked, mission)
    tx.nudge("queue")
    return Subject("mission", mission.id)


def _take_up_tasks(tx: Tx, desk: Desk, asked: Asked, mission: Mission) -> None:
    for task in missions.tasks_of(tx, mission.id):
        halfway = task.status in (TaskStatus.INTERRUPTED, TaskStatus.IN_PROGRESS)
        if halfway and runs.lease_holder(tx, task.id) is None:
            graph.move(tx, desk.ids, task, TaskStatus.TODO, actor=asked.actor)
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    nobodys = root.assignee_agent_id is None and root.status is TaskStatus.BLOCKED
    if (root.status in TERMINAL_TASKS or nobodys) and TASK.allows(root.status, TaskStatus.TODO):
        graph.move(tx, desk.ids, root, TaskStatus.TODO, actor=asked.actor)
    if root.assignee_agent_id is None:
        return
    cause = wakeups.Cause(
        workspace_id=mission.workspace_id,
        agent_id=root.assignee_agent_id,
        task_id=root.id,
        source=Source.USER,
        reason="mission_reopened",
        payload={"user_id": asked.actor.id, "context": {"task_id": root.id}},
        key=f"reopened:{mission.id}:{events.last_id(tx)}",
        rank=Rank.USER,
        actor=asked.actor,
    )
    wakers.wake(tx, desk.ids.new(), cause)


# --- what is judged -------------------------------------------------------------------------------


def _check_newest(newest: Mission | None, run_id: str | None) -> None:
    if run_id is None or (newest is not None and newest.id.endswith(run_id)):
        return
    if newest is None:
        raise Conflict("no_newest_run", "/run_id")
    raise Conflict("not_the_newest_run", "/run_id", newest=newest.id)


def _judged(
    tx: Tx, asked: Asked, mission_id: str, action: RunAction, newest_of: str = ""
) -> Mission:
    mission = _get(tx, mission_id)
    if newest_of:
        _check_newest(missions.newest(tx, newest_of), mission_id)
    check_revision(asked, mission.revision)
    if mission.state not in RUN_ACTIONS[action].prior:
        raise _refused(action, mission, alone=not newest_of)
    return mission


def _refused(action: RunAction, mission: Mission | None, *, alone: bool = False) -> Illegal:
    """alone: this mission is meant, and no new one in its place."""
    state = mission.state if mission else None
    can = ", ".join(one for one in possible(state) if not (alone and one is RunAction.START))
    why: Json = {"code": "run_actions_possible", "actions": can}
    if not can:
        over = {
            MissionState.STARTING: "run_is_starting",
            MissionState.STOPPING: "run_actions_none",
            MissionState.COMPLETED: "run_completed",
        }
        code = over.get(state or MissionState.STOPPED, "mission_reopens")
        why = {"code": code, "mission": mission.slug if mission else None}
    revision = mission.revision if mission else None
    known = {"action": str(action), "state": spelled(state), "revision": revision, "why": why}
    return Illegal("illegal_run_transition", **known)


def _get(view: View, mission_id: str) -> Mission:
    mission = missions.get(view, mission_id)
    if mission is None:
        raise Absent("unknown_mission")
    return mission


def _move(
    tx: Tx, asked: Asked, mission: Mission, to: MissionState, action: str, **values: Any
) -> None:
    """With who, why and by which request (R-30); the row must be the one that was judged (W-26)."""
    data = _audit(asked, action)
    if not missions.move(tx, mission, to, actor=asked.actor, data=data, **values):
        raise Conflict("changed_meanwhile", revision=mission.revision)


def _audit(asked: Asked, action: str) -> Json:
    """The client's key is kept as it came: it is no secret, and only compared."""
    given = {"action": action, "request_id": asked.request_id, "key": asked.key}
    return {name: value for name, value in given.items() if value}


# --- what is done ---------------------------------------------------------------------------------


def _start(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    newest: Mission | None,
    run_id: str | None,
    goal: str | None,
) -> Mission:
    """A new mission where there is none or the newest is stopped, which stays as it is (R-27). Its
    goal, where none is named, is that one's."""
    if newest is not None and newest.state is MissionState.STARTING:
        return on(desk, asked, newest.id, RunAction.START, newest_of=workspace_id).mission
    aim = goal or (newest.goal if newest else None)
    _check_start(asked, newest)
    if aim is None:
        raise Invalid("goal_needed", "/goal")
    given = prepare(desk, workspace_id, aim)
    with desk.store.transaction() as tx:
        do = partial(_begin, tx, desk, asked, given, run_id)
        return once(tx, asked, do, missions.get)


def _begin(tx: Tx, desk: Desk, asked: Asked, given: Prepared, run_id: str | None) -> Subject:
    newest = missions.newest(tx, given.workspace.id)
    _check_newest(newest, run_id)
    _check_start(asked, newest)
    return Subject("mission", begin_from(tx, desk, asked.actor, given).id)


def _check_start(asked: Asked, newest: Mission | None) -> None:
    if newest is not None:
        check_revision(asked, newest.revision)
    if newest is not None and newest.state is not MissionState.STOPPED:
        raise _refused(RunAction.START, newest)


def go_on(tx: Tx, asked: Asked, mission: Mission) -> None:
    """It is `active`, and what waited for that waits with the others again."""
    action = "start" if mission.state is MissionState.STARTING else "resume"
    _move(tx, asked, mission, MissionState.ACTIVE, action, consecutive_errors=0)
    mission_work.take_up(tx, mission.id, admission.MISSION_PAUSED)
    tx.nudge("queue")


def _pause(tx: Tx, asked: Asked, mission: Mission) -> None:
    _move(tx, asked, mission, MissionState.PAUSED_INTAKE, "pause")


def _stop(tx: Tx, asked: Asked, mission: Mission) -> None:
    """Drains: what runs ends by itself, nothing new is started (C-56)."""
    if not mission_work.live(tx, mission.id):
        mission_control.settle(tx, mission, asked.actor, _audit(asked, "stop"))
    elif mission.state is not MissionState.DRAINING:
        _move(tx, asked, mission, MissionState.DRAINING, "stop")
    mission_control.cancel_waiting(tx, mission, asked.actor)
    tx.nudge("queue")


def _force_stop(desk: Desk, asked: Asked, mission_id: str, newest_of: str = "") -> Acted:
    """`stopping` is committed first, with the mark on each run: from there on nothing of it starts,
    and the next owner goes on with it if this one dies. The runs' wakeups come to nothing; their
    work stays in its copies."""
    with desk.store.transaction() as tx:
        before = done_before(tx, asked)
        if before is None:
            mission = _judged(tx, asked, mission_id, RunAction.FORCE_STOP, newest_of)
            _move(tx, asked, mission, MissionState.STOPPING, "force-stop")
            mission_control.cancel_waiting(tx, mission, asked.actor)
            _mark(tx, mission_id)
            remember(tx, asked, Subject("mission", mission.id))
    if before is not None:
        return _again(desk, asked, before, RunAction.FORCE_STOP)
    return _end_all_of(desk, asked, mission_id)


def _mark(tx: Tx, mission_id: str) -> list[Run]:
    """Its live runs, each of them told to end unless it has."""
    live = mission_work.live(tx, mission_id)
    for run in live:
        if not (run.ended or {}).get("end"):
            runs.keep_ended(tx, run, {STOPPED: True})
    return live


def _end_all_of(desk: Desk, asked: Asked, mission_id: str) -> Acted:
    with desk.store.transaction() as tx:
        live = _mark(tx, mission_id)
        known = {run.id: runs.processes(tx, run.id) for run in live}
    desk.launcher.fence()
    stopped = end_runs(desk, known)
    with desk.store.transaction() as tx:
        mission = _get(tx, mission_id)
        subject, where = Subject("mission", mission.id), mission.workspace_id
        data = {**ending.told(stopped), **_audit(asked, "force-stop")}
        journal.tell(
            tx, Kind.MISSION_KILLED, subject, workspace_id=where, actor=asked.actor, data=data
        )
        if mission.state is MissionState.STOPPING:  # the loop may have been faster
            mission_control.settle(tx, mission, asked.actor, _audit(asked, "force-stop"))
        tx.nudge("queue")
        return Acted(_get(tx, mission.id), stopped)


def _again(desk: Desk, asked: Asked, before: Subject, action: RunAction) -> Acted:
    """The same request once more. A force-stop that was broken off goes on."""
    with desk.store.transaction() as tx:
        mission = _get(tx, before.id)
        told = _told(tx, mission, asked) if action is RunAction.FORCE_STOP else None
    broken_off = told is None and mission.state is MissionState.STOPPING
    if action is RunAction.FORCE_STOP and broken_off:
        return _end_all_of(desk, asked, mission.id)
    return Acted(mission, told or _NOBODY)


def _told(view: View, mission: Mission, asked: Asked) -> Stopped | None:
    """What that very request ended."""
    for event in events.of(view, Subject("mission", mission.id)):
        if event.kind == Kind.MISSION_KILLED and event.data.get("key") == asked.key:
            return ending.read(event.data)
    return None

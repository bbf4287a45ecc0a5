"""`roundtable run`: takes up one mission and stays with it until that is over, or somebody goes."""

import logging
from datetime import timedelta

from roundtable_desktop.engine.desk import Asked, Desk, once
from roundtable_desktop.engine.desk.missions import Prepared, begin_from, prepare
from roundtable_desktop.engine.desk.missions_control import go_on, reopen_now
from roundtable_desktop.model.errors import Absent, Illegal, Invalid, Refused
from roundtable_desktop.model.missions import OVER, Mission, MissionState, Pace, Sitting
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.run_actions import spelled
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import mission_work, missions, sittings, workspaces
from roundtable_desktop.store.db import Tx

log = logging.getLogger(__name__)

OVER_EXIT = "over"
USUAL = Pace()


def pace_of(interval_ms: int, backoff_ms: int, max_errors: int) -> Pace:
    """What is not above zero is the usual one (R-07)."""
    return Pace(
        interval=timedelta(milliseconds=interval_ms) if interval_ms > 0 else USUAL.interval,
        backoff=timedelta(milliseconds=backoff_ms) if backoff_ms > 0 else USUAL.backoff,
        max_errors=max_errors if max_errors > 0 else USUAL.max_errors,
        gives_up=True,
    )


def begin(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    pace: Pace,
    *,
    headless: bool = False,
    run_id: str | None = None,
    goal: str | None = None,
    resume: bool = False,
) -> Sitting:
    """Makes a mission for that goal, or takes up the one that is named, else the newest (R-04).
    resume: one that is over is opened again, and one that is paused goes on."""
    if goal is not None and (run_id or resume):
        raise Invalid("goal_of_another", "/goal")
    with desk.store.transaction() as tx:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace")
    given = prepare(desk, workspace_id, goal) if goal is not None else None
    with desk.store.transaction() as tx:

        def act() -> Subject:
            mission = _mission(tx, desk, asked, workspace_id, given, run_id, resume)
            sitting = sittings.begin(tx, mission, desk.ids.new(), pace, headless=headless)
            tx.nudge("queue")
            return Subject("sitting", sitting.id)

        sitting = once(tx, asked, act, sittings.get)
    _photograph(desk, sitting, "initial")
    return sitting


def beat(desk: Desk, sitting_id: str) -> None:
    """One more cycle: whoever stays is there, and the owner is to look now, though nothing told it
    to."""
    with desk.store.transaction() as tx:
        sittings.hear(tx, _get(tx, sitting_id))
        tx.nudge("queue")


def end(desk: Desk, asked: Asked, sitting_id: str, exit: str, cycles: int) -> Sitting:
    """Whoever stayed goes. That settles nothing: the state stays as it is, and why they went is
    kept with the mission (C-57, R-11)."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            sitting = _get(tx, sitting_id)
            went = sittings.end(tx, sitting, exit, cycles) or sitting.exit == sittings.LOST
            if went and exit != OVER_EXIT:
                mission = _mission_of(tx, sitting)
                missions.note(tx, mission, last_exit={"reason": exit, "at": rfc3339(tx.now)})
            return Subject("sitting", sitting.id)

        sitting = once(tx, asked, act, sittings.get)
    _photograph(desk, sitting, "final")
    return sitting


def _mission(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    given: Prepared | None,
    run_id: str | None,
    resume: bool,
) -> Mission:
    if given is not None:
        return begin_from(tx, desk, asked.actor, given)
    mission = _named(tx, workspace_id, run_id) if run_id else missions.newest(tx, workspace_id)
    if mission is None:
        raise Invalid("goal_needed", "/goal")
    if resume:
        _resume(tx, desk, asked, mission)
    elif mission.state in OVER:
        done = mission.state is MissionState.COMPLETED
        why = {"code": "run_completed" if done else "run_over"}
        raise Illegal("run_is_over", state=spelled(mission.state), why=why)
    taken = missions.get(tx, mission.id)
    assert taken is not None
    return taken


def _named(tx: Tx, workspace_id: str, run_id: str) -> Mission:
    """By its id, or an end of it that no other has."""
    known = [one for one in missions.of_workspace(tx, workspace_id) if one.id.endswith(run_id)]
    if len(known) != 1:
        raise Absent("unknown_mission", "/run_id")
    return known[0]


def _resume(tx: Tx, desk: Desk, asked: Asked, mission: Mission) -> None:
    if mission.state in OVER:
        reopen_now(tx, desk, asked, mission.id)
    elif mission.state in (MissionState.PAUSED_INTAKE, MissionState.DEGRADED):
        go_on(tx, asked, mission)


def _photograph(desk: Desk, sitting: Sitting, kind: str) -> None:
    """Apart from what was decided: that it cannot be kept is a warning that undoes nothing
    (W-11)."""
    try:
        with desk.store.transaction() as tx:
            mission = _mission_of(tx, sitting)
            live = len(mission_work.live(tx, mission.id))
            counts = sittings.counts_of(tx, mission.id, live)
            sittings.keep_snapshot(tx, sitting, mission, kind, counts)
    except Refused as refused:
        log.warning("no snapshot of mission=%s kind=%s why=%s", sitting.mission_id, kind, refused)


def _mission_of(tx: Tx, sitting: Sitting) -> Mission:
    mission = missions.get(tx, sitting.mission_id)
    assert mission is not None, "foreign keys hold"
    return mission


def _get(tx: Tx, sitting_id: str) -> Sitting:
    sitting = sittings.get(tx, sitting_id)
    if sitting is None:
        raise Absent("unknown_sitting")
    return sitting

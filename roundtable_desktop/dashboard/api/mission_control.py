"""The API's routes about a workspace's newest mission as a whole, in seed 000's words."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.control import Ended
from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, asked
from roundtable_desktop.dashboard.reading import Answered, Once, Words, example
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, missions_control
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_mission_control import RunStatus, redacted
from roundtable_desktop.engine.desk.missions_control import Acted
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.run_actions import spelled
from roundtable_desktop.model.times import rfc3339

Goal = Annotated[str, Field(min_length=1, max_length=16_384)]


class RunAct(Words):
    """run_id: the mission that you believe to be the newest; 409 when it is not. goal: of a new
    mission; without one, a `start` takes that of the stopped one."""

    model_config = example(goal="Make the search faster.")

    run_id: Ref | None = None
    goal: Goal | None = None


class RunState(Shown):
    """Of the newest mission of the workspace (R-23); run_id and mission_id are the same.

    state: stopped | starting | active | paused-intake | draining | stopping | degraded | completed
    | blocked | failed; `stopped` too where there is no mission yet. `completed` says that no task
    and no proposal is left open, and nothing about tests.
    active_agent_count: its runs whose process lives; claimed_agent_count: its wakeups that were
    taken up; silent_agent_count: runs that live and have said nothing for a while. The others are
    counts of the workspace, as `/workspaces/{id}` has them. degraded: something could not be found
    out; it is null then, and never 0.
    """

    run_id: str | None
    mission_id: str | None
    state: str
    goal: str | None
    started_at: Moment | None
    updated_at: Moment | None
    ended_at: Moment | None
    active_agent_count: int | None
    claimed_agent_count: int | None
    silent_agent_count: int | None
    active_deliberations: int | None
    open_proposals: int | None
    pending_approvals: int | None
    blockers: int | None
    degraded: bool
    revision: int | None


class RunActed(Answered):
    """target: where a stop leads that waits for the last run. killed, survivors: of a force-stop:
    the processes that it ended, and those that it could not end."""

    run_id: str
    mission_id: str
    state: str
    target: str | None
    revision: int
    killed: list[Ended] = Field(default=[])
    survivors: list[Ended] = Field(default=[])


def shown(found: RunStatus, goal: str | None) -> RunState:
    mission, counts = found.mission, found.counts
    return RunState(
        run_id=mission.id if mission else None,
        mission_id=mission.id if mission else None,
        state=spelled(mission.state if mission else None),
        goal=goal,
        started_at=_moment(mission.started_at if mission else None),
        updated_at=_moment(mission.updated_at if mission else None),
        ended_at=_moment(mission.ended_at if mission else None),
        active_agent_count=found.live,
        claimed_agent_count=found.claimed,
        silent_agent_count=found.silent,
        active_deliberations=counts.active_deliberations if counts else None,
        open_proposals=counts.open_proposals if counts else None,
        pending_approvals=counts.pending_approvals if counts else None,
        blockers=counts.blockers if counts else None,
        degraded=found.degraded,
        revision=mission.revision if mission else None,
    )


def _moment(at: datetime | None) -> str | None:
    return rfc3339(at) if at else None


def acted(done: Acted) -> RunActed:
    drains = done.mission.state in (MissionState.DRAINING, MissionState.STOPPING)
    told = RunActed(
        run_id=done.mission.id,
        mission_id=done.mission.id,
        state=spelled(done.mission.state),
        target=spelled(MissionState.STOPPED) if drains else None,
        revision=done.mission.revision,
        killed=[Ended.of(one) for one in done.ended.killed],
        survivors=[Ended.of(one) for one in done.ended.survivors],
    )
    told._http_status = 202 if drains else 200
    return told


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/workspaces/<ref>/runs/status")
    def show_run_status(ref: str) -> RunState:
        """How the newest mission of the workspace stands."""
        workspace = look.workspace(ref)
        found = look.mission_control.status(workspace)
        return shown(found, _goal(desk, workspace, found))

    @api.route("POST", "/api/v1/workspaces/<ref>/runs/<action>", also=(202,))
    def act_on_run(
        caller: Caller,
        ref: str,
        action: str,
        body: RunAct,
        once: Once,
        expected_revision: int | None,
    ) -> RunActed:
        """start, pause, resume, stop or force-stop. A stop answers 202 while runs are at work, and
        the mission is stopped when the last has ended; a force-stop answers when all is ended."""
        workspace = look.workspace(ref)
        wanted = missions_control.action_of(action)
        by = asked(caller, once, expected_revision)
        return acted(
            missions_control.act(desk, by, workspace.id, wanted, run_id=body.run_id, goal=body.goal)
        )


def _goal(desk: Desk, workspace: Workspace, found: RunStatus) -> str | None:
    return redacted(desk, workspace, found.mission.goal) if found.mission else None

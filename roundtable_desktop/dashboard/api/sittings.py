"""The API's routes of `roundtable run`: to take up a mission, to stay with it, and to go."""

from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.mission_control import Goal
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Ref, Shown, asked, said
from roundtable_desktop.dashboard.api.status import TaskStanding, standing
from roundtable_desktop.dashboard.reading import Once, Words, example
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, sittings
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_mission_control import Attended, redacted
from roundtable_desktop.model.missions import OVER, PLANNING
from roundtable_desktop.model.run_actions import spelled

Milliseconds = Annotated[int, Field(ge=-86_400_000, le=86_400_000)]


class NewSitting(Words):
    """goal: of a new mission; run_id: the mission that is taken up, else the newest. resume: one
    that is over is opened again, and a paused one goes on. interval_ms, backoff_ms, max_errors:
    how often it is looked at, and what follows when that fails; not above zero: the usual."""

    model_config = example(goal="Make the search faster.", headless=True)

    goal: Goal | None = None
    run_id: Ref | None = None
    resume: bool = False
    headless: bool = False
    interval_ms: Milliseconds = 0
    backoff_ms: Milliseconds = 0
    max_errors: Annotated[int, Field(ge=-1000, le=1000)] = 0


class Going(Words):
    """exit: why you go. cycles: how often you looked, well or not."""

    model_config = example(exit="cancelled", cycles=3)

    exit: Literal["over", "iteration_limit", "cancelled"]
    cycles: Annotated[int, Field(ge=0, le=2**31)] = 0


class AtWork(Shown):
    run_id: str
    agent: str
    task: int | None
    status: str
    started_at: Moment | None


class Snapshot(Shown):
    """kind: initial | final. counts: tasks by status, live runs, waves."""

    kind: str
    state: str
    phase: str
    counts: Object
    at: Moment


class Sitting(Shown):
    """A mission as whoever stays with it sees it. over: nothing of it is planned any more.
    headless: without a view, as a script stays. pace: in effect while you stay. exit: why you went;
    null while you stay. counts: its tasks by status, all but its root. tasks: the newest 50 that
    are not over, each with what it waits for. snapshots: how it stood whenever somebody came or
    went, oldest first."""

    id: str
    run_id: str
    mission_id: str
    workspace_id: str
    state: str
    phase: str
    outcome: str | None
    reason: str | None
    over: bool
    sentence: str
    goal: str
    headless: bool
    pace: Object
    exit: str | None
    cycles: int
    waves: int
    counts: dict[str, int]
    tasks: list[TaskStanding]
    runs: list[AtWork]
    snapshots: list[Snapshot]


PACE = ("interval_ms", "backoff_ms", "max_errors")


def shown(desk: Desk, look: Look, found: Attended) -> Sitting:
    mission, sitting = found.mission, found.sitting
    workspace = look.workspace(mission.workspace_id)
    own = {one.id for one in found.tasks}
    stand = look.standing(workspace, mission.id)
    counts: dict[str, int] = {}
    for task in found.tasks:
        counts[str(task.status)] = counts.get(str(task.status), 0) + 1
    return Sitting.of(
        sitting,
        run_id=mission.id,
        state=spelled(mission.state),
        phase=str(mission.phase),
        outcome=mission.outcome,
        reason=mission.reason,
        over=mission.state in OVER,
        sentence=said(_standing(found), {}),
        goal=redacted(desk, workspace, mission.goal),
        pace={name: sitting.pace[name] for name in PACE},
        waves=found.waves,
        counts=counts,
        tasks=[standing(one) for one in stand if one.task.id in own],
        runs=[
            AtWork.of(
                one.run,
                run_id=one.run.id,
                agent=one.agent.name,
                task=one.task.number if one.task else None,
            )
            for one in found.at_work
        ],
        snapshots=[Snapshot.of(one) for one in look.mission_control.snapshots(mission.id)],
    )


def _standing(found: Attended) -> str:
    mission = found.mission
    idle = mission.state in PLANNING and not found.tasks and not found.at_work
    return "run_is_awaiting" if idle else f"run_is_{mission.outcome or mission.state}"


def declare(api: Api, desk: Desk, look: Look) -> None:
    def show(ref: str) -> Sitting:
        return shown(desk, look, look.mission_control.attended(ref))

    def id_of(ref: str) -> str:
        return look.mission_control.attended(ref).sitting.id

    @api.route("POST", "/api/v1/workspaces/<ref>/sittings", status=201, errors=(409,))
    def begin_sitting(caller: Caller, ref: str, body: NewSitting, once: Once | None) -> Sitting:
        """Makes a mission, or takes one up, and stays with it: as `roundtable run` does."""
        made = sittings.begin(
            desk,
            asked(caller, once),
            look.workspace(ref).id,
            sittings.pace_of(body.interval_ms, body.backoff_ms, body.max_errors),
            headless=body.headless,
            run_id=body.run_id,
            goal=body.goal,
            resume=body.resume,
        )
        return show(made.id)

    @api.route("GET", "/api/v1/sittings/<ref>")
    def show_sitting(ref: str) -> Sitting:
        """The mission now: its phase, its tasks, who is at work, and what waits for what."""
        return show(ref)

    @api.route("POST", "/api/v1/sittings/<ref>/beat")
    def beat_sitting(ref: str, once: Once | None) -> Sitting:
        """Has the owner look at what is due, now, and shows what there is."""
        sittings.beat(desk, id_of(ref))
        return show(ref)

    @api.route("POST", "/api/v1/sittings/<ref>/end", errors=(409,))
    def end_sitting(caller: Caller, ref: str, body: Going, once: Once | None) -> Sitting:
        """You go; that settles nothing, and agents at work go on."""
        sittings.end(desk, asked(caller, once), id_of(ref), body.exit, body.cycles)
        return show(ref)

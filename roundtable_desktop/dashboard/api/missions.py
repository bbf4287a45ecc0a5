"""The API's routes about missions."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from roundtable_desktop.dashboard.api.missions_shown import (
    MissionDetail,
    MissionEnded,
    MissionRow,
    WaveRow,
    detail,
    ended_row,
    row,
    waves_shown,
)
from roundtable_desktop.dashboard.api.other_names import our_state
from roundtable_desktop.dashboard.api.shapes import Ref, Text, Words16, asked
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, cut, example, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked, Desk, missions, missions_control, requirements
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.missions_control import Acted
from roundtable_desktop.model import missions as records
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.phrases import _

State = Literal[
    "starting",
    "active",
    "paused_intake",
    "draining",
    "stopping",
    "degraded",
    "stopped",
    "completed",
    "blocked",
    "failed",
]
StateAsked = Annotated[
    State, BeforeValidator(our_state, json_schema_input_type=State | Literal["paused-intake"])
]


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError(_("This says nothing: write what is to be reached."))
    return text


Goal = Annotated[Text, AfterValidator(_says_something)]


class NewMission(Words):
    """goal: what is to be reached, in words; its first line is what it is called.

    base_branch: where it starts, and what it is delivered to; the workspace's when left out.
    coordinator_agent_id: who makes tasks of the goal; left out: the workspace's first coordinator,
    and where there is none, a person. delivery: of what the mission comes to; likewise.
    """

    model_config = example(
        workspace_id="01k7m3zq8v0000000000000000",
        goal="Make the search fast\n\nIt takes 3 s for 10,000 notes; it should take 0.2 s.",
        delivery="approval",
    )

    workspace_id: Ref
    goal: Goal
    base_branch: Annotated[str, Field(min_length=1, max_length=250)] | None = None
    coordinator_agent_id: Ref | None = None
    delivery: Literal["approval", "auto"] | None = None


class NewRequirement(Words):
    """text: what is asked otherwise from now on; its coordinator is woken with it. task_ids: those
    that it touches: they are not started until somebody says what it means for them."""

    model_config = example(text="It must find misspelt names too.")

    text: Annotated[Words16, Field(min_length=1), AfterValidator(_says_something)]
    task_ids: Annotated[list[Ref], Field(max_length=200)] = Field(default_factory=list)


class Assessment(Words):
    """impact: `implementation` is only about how parts are made; `architecture` also about how they
    fit together."""

    impact: Literal["implementation", "architecture"]
    note: Annotated[str, Field(max_length=2000)] = ""


class MissionsAsked(Paging):
    workspace_id: Ref | None = None
    state: StateAsked | None = None


class WavesAsked(Paging):
    limit: int = Field(default=20, ge=1, le=200)


def add(desk: Desk, look: Look, by: Asked, body: NewMission) -> records.Mission:
    workspace = look.workspace(body.workspace_id)
    agent = body.coordinator_agent_id
    return missions.create(
        desk,
        by,
        workspace.id,
        goal=body.goal,
        base_branch=body.base_branch,
        coordinator_agent_id=look.agent(agent).id if agent else None,
        delivery=DeliveryMode(body.delivery) if body.delivery else None,
    )


def require(desk: Desk, look: Look, by: Asked, ref: str, body: NewRequirement) -> records.Mission:
    mission = look.missions.mission(ref)
    touched = [look.task(one).id for one in body.task_ids]
    return requirements.require(desk, by, mission.id, body.text.strip(), touched)


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)
    _declare_actions(api, desk, look)


def _declare_reads(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/missions")
    def list_missions(query: MissionsAsked) -> Listed[MissionRow]:
        """Goals that are worked on, and those that were, newest first."""
        return listed(Listed[MissionRow], query, look.missions.page, row)

    @api.route("GET", "/api/v1/missions/<ref>")
    def show_mission(ref: str) -> MissionDetail:
        """One of them, with its tasks, its last waves and what it waits for."""
        return detail(look, look.missions.mission(ref))

    @api.route("GET", "/api/v1/missions/<ref>/waves")
    def list_waves(ref: str, query: WavesAsked) -> Listed[WaveRow]:
        """All its waves as they were planned, newest first, each with its reasons."""
        mission = look.missions.mission(ref)
        found = look.missions.waves(mission, query.after, query.limit + 1)
        kept, cursor = cut(found, query.limit)
        return Listed[WaveRow](items=waves_shown(look, mission, kept), next_cursor=cursor)


def _declare_commands(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/missions", status=201, errors=(404, 409))
    def create_mission(caller: Caller, body: NewMission, once: Once | None) -> MissionRow:
        """A goal to be worked on. Its coordinator is woken to make tasks of it; all of them work
        towards a branch of its own, which is delivered at the end."""
        made = add(desk, look, asked(caller, once), body)
        return row(look.missions.told(made))

    @api.route("POST", "/api/v1/missions/<ref>/requirements", status=201, errors=(404, 409))
    def change_requirements(
        caller: Caller, ref: str, body: NewRequirement, once: Once | None
    ) -> MissionDetail:
        """Something is asked otherwise from now on. What runs goes on."""
        return detail(look, require(desk, look, asked(caller, once), ref, body))

    @api.route("POST", "/api/v1/missions/<ref>/impact", errors=(404, 409))
    def assess_requirements(
        caller: Caller, ref: str, body: Assessment, once: Once | None
    ) -> MissionDetail:
        """What the changes so far mean is known: what waited for that goes on."""
        mission, impact = look.missions.mission(ref), records.Impact(body.impact)
        by = asked(caller, once)
        return detail(look, requirements.assessed(desk, by, mission.id, impact, body.note.strip()))


def _declare_actions(api: Api, desk: Desk, look: Look) -> None:
    def on(ref: str, by: Asked, action: RunAction) -> Acted:
        return missions_control.on(desk, by, look.missions.mission(ref).id, action)

    def shown(mission: records.Mission) -> MissionRow:
        return row(look.missions.told(mission))

    @api.route("POST", "/api/v1/missions/<ref>/pause", errors=(404, 409, 412))
    def pause_mission(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> MissionRow:
        """Nothing new of it starts until it is resumed; what runs goes on."""
        by = asked(caller, once, expected_revision)
        return shown(on(ref, by, RunAction.PAUSE).mission)

    @api.route("POST", "/api/v1/missions/<ref>/resume", errors=(404, 409, 412))
    def resume_mission(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> MissionRow:
        """One that was paused, or has faults, goes on."""
        by = asked(caller, once, expected_revision)
        return shown(on(ref, by, RunAction.RESUME).mission)

    @api.route("POST", "/api/v1/missions/<ref>/stop", errors=(404, 409, 412))
    def stop_mission(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> MissionRow:
        """What runs ends by itself: it is `draining` until then, and `stopped` after."""
        by = asked(caller, once, expected_revision)
        return shown(on(ref, by, RunAction.STOP).mission)

    @api.route("POST", "/api/v1/missions/<ref>/force-stop", errors=(404, 409, 412))
    def force_stop_mission(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> MissionEnded:
        """Ends all its runs now, and answers when that is verified."""
        acted = on(ref, asked(caller, once, expected_revision), RunAction.FORCE_STOP)
        return ended_row(look.missions.told(acted.mission), acted.ended)

    @api.route("POST", "/api/v1/missions/<ref>/reopen", errors=(404, 409, 412))
    def reopen_mission(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> MissionRow:
        """One that was stopped, blocked or given up is active again, and its coordinator woken."""
        by = asked(caller, once, expected_revision)
        return shown(missions_control.reopen(desk, by, look.missions.mission(ref).id))


assert set(MissionState) == set(get_args(State))

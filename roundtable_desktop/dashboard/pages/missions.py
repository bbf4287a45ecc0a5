"""The pages of missions: all of them, and one with its graph in waves and what it waits for."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args

from flask import Flask, g, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api import missions as api
from roundtable_desktop.dashboard.api.inbox_rows import row as inbox_row
from roundtable_desktop.dashboard.api.missions_shown import convergence_of, sentence_of
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.forms import fault_of_form, filled, read_choice, read_form
from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.dashboard.mission_graph import graph_of
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.board import Chosen
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.pages.proposals import shown as proposal_shown
from roundtable_desktop.dashboard.plan_words import Telling
from roundtable_desktop.dashboard.reading import Asked, Words, cut
from roundtable_desktop.engine.desk import Desk, missions_control, requirements
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_missions import Detail, Told
from roundtable_desktop.model.missions import OVER, Impact, Mission, Wave, called
from roundtable_desktop.model.run_actions import REOPENED, RunAction, possible
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.phrases import _

HERE = "/missions"
REOPEN = "reopen"
PROPOSALS = 5
"""Of the mission as a whole, the newest ones."""
TOUCHED = "touches-"
"""Before the id of a task, the name of its box in the form that changes what is asked."""
Number = Annotated[int, Field(ge=1, le=1_000_000)]
Short = Annotated[str, Field(max_length=2000)]


class MissionsShown(Filtered):
    state: api.State | None = None
    workspace: Ref | None = None


class MissionShown(Asked):
    """wave: the number of the one whose reasons are shown; the newest otherwise."""

    wave: Number | None = None


class NewAsked(Asked):
    workspace: Chosen = ""


class Written(Words):
    """A mission as it is typed; the API's own fields judge it."""

    workspace: Ref
    goal: Annotated[str, Field(max_length=65_536)] = ""
    base_branch: Short = ""
    coordinator: Short = ""
    delivery: Short = ""


class Required(Words):
    text: Annotated[str, Field(max_length=65_536)] = ""


class Act(Words):
    """sure: a force-stop ends processes, so it is asked for twice."""

    action: Literal["pause", "resume", "stop", "force-stop", "reopen"]
    sure: bool = False


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get(HERE)
        def list_missions() -> str:
            return _list(look, say, page_query(MissionsShown))

        @app.get("/missions/<ref>")
        def show_mission(ref: str) -> str:
            query, mission = page_query(MissionShown), look.missions.mission(ref)
            return page_of(look, say, mission, wave=query.wave)

        _add_new(app, desk, look)
        _add_actions(app, desk, look, say)

    return add


def _add_actions(app: Flask, desk: Desk, look: Look, say: Say) -> None:
    @app.post("/missions/<ref>/requirements")
    def change_requirements(ref: str) -> Any:
        (form, touched), asked = read_choice(Required, TOUCHED), from_form()
        mission = look.missions.mission(ref)
        body = {"text": form.text, "task_ids": touched}
        return tried(
            lambda: api.require(desk, look, asked, ref, filled(api.NewRequirement, body)),
            f"/missions/{mission.id}",
            lambda why: page_of(look, say, mission, why, given={"text": form.text}),
            told=lambda _made: "requirement_changed",
        )

    @app.post("/missions/<ref>/impact")
    def assess_requirements(ref: str) -> Any:
        form, asked, mission = read_form(api.Assessment), from_form(), look.missions.mission(ref)
        impact = Impact(form.impact)
        return tried(
            lambda: requirements.assessed(desk, asked, mission.id, impact, form.note.strip()),
            f"/missions/{mission.id}",
            lambda why: page_of(look, say, mission, why),
            told=lambda _made: "requirement_assessed",
        )

    @app.post("/missions/<ref>/act")
    def act_on_mission(ref: str) -> Any:
        chosen, asked, mission = read_form(Act), from_form(), look.missions.mission(ref)
        action = chosen.action

        def act() -> Any:
            if action == REOPEN:
                return missions_control.reopen(desk, asked, mission.id)
            wanted = RunAction(action)
            if wanted is RunAction.FORCE_STOP and not chosen.sure:
                raise fault_of_form("sure", _("say that you mean it"))
            return missions_control.on(desk, asked, mission.id, wanted)

        return tried(
            act,
            f"/missions/{mission.id}",
            lambda why: page_of(look, say, look.missions.mission(mission.id), why),
        )


def _add_new(app: Flask, desk: Desk, look: Look) -> None:
    page = partial(_new, look)

    @app.get("/missions/new")
    def show_new_mission() -> str:
        return page(page_query(NewAsked).workspace)

    @app.post("/missions/new")
    def add_mission() -> Any:
        written, asked = read_form(Written), from_form()
        given = written.model_dump()
        body = {
            "workspace_id": written.workspace,
            "goal": written.goal,
            "base_branch": written.base_branch,
            "coordinator_agent_id": written.coordinator,
            "delivery": written.delivery,
        }
        return tried(
            lambda: api.add(desk, look, asked, filled(api.NewMission, body)),
            lambda made: f"/missions/{made.id}",
            lambda why: page(written.workspace, why, given),
            page=f"/missions/new?workspace={written.workspace}",
            told=lambda _made: "mission_set",
        )


def _new(look: Look, chosen: str, refused: str = "", given: Mapping[str, str] | None = None) -> str:
    """chosen: the workspace; the first there is, if nothing is said."""
    workspaces = look.workspaces(None, 200)
    first = workspaces[0].id if workspaces else ""
    workspace = look.workspace(chosen or first) if chosen or first else None
    agents = look.agents(None, 200, workspace_id=workspace.id) if workspace else []
    able = [one for one in agents if one.status is not AgentStatus.RETIRED]
    return render_template(
        "mission_new.html",
        workspaces=workspaces,
        workspace=workspace,
        agents=sorted(able, key=lambda one: (one.role != "coordinator", one.name)),
        coordinator=next((one for one in able[::-1] if one.role == "coordinator"), None),
        given=given or {},
        refused=refused,
    )


def _list(look: Look, say: Say, query: MissionsShown) -> str:
    found = look.missions.page(
        query.after, query.limit + 1, state=query.state, workspace_id=query.workspace
    )
    kept, cursor = cut(found, query.limit)
    chosen = query.chosen()
    return render_template(
        "missions.html",
        missions=[shown(one, say) for one in kept],
        chosen=chosen,
        choices={
            "state": [Choice(one, label(one)) for one in get_args(api.State)],
            "workspace": filtering.offered(look).workspaces,
        },
        first=query.cursor is None,
        newest=filtering.address(HERE, chosen),
        older=filtering.address(HERE, chosen, cursor=cursor) if cursor else None,
    )


def shown(told: Told, say: Say) -> dict[str, object]:
    """A mission in a list."""
    return {
        "standing": told,
        "mission": told.mission,
        "title": called(told.mission.goal),
        "sentence": sentence_of(told.mission, say),
    }


def page_of(
    look: Look,
    say: Say,
    mission: Mission,
    refused: str = "",
    *,
    wave: int | None = None,
    given: Mapping[str, str] | None = None,
) -> str:
    """given: what was typed into a form that was refused."""
    if refused:
        g.here = f"/missions/{mission.id}"
    seen = look.missions.detail(mission)
    offered = look.proposals(None, PROPOSALS, task_id=mission.root_task_id)
    words = Telling(say, seen.numbers, seen.names)
    chosen = look.missions.wave(mission, wave) if wave else seen.newest
    return render_template(
        "mission.html",
        **shown(seen.told, say),
        seen=seen,
        asks=[inbox_row(one) for one in seen.asks],
        convergence=convergence_of(seen, say),
        report=report_words(seen, words),
        proposals=[proposal_shown(one, say) for one in offered],
        graph=graph_of(seen, words),
        can=doable(mission),
        planned=planned(chosen, words) if chosen else None,
        numbers=seen.numbers,
        refused=refused,
        given=given or {},
    )


def report_words(seen: Detail, words: Telling) -> dict[str, Any] | None:
    """What is told of its end, or of its block."""
    mission = seen.told.mission
    given: Any = mission.report
    if not given or mission.state not in OVER:
        return None
    named = ("done", "failed", "skipped", "cancelled")
    return {
        "tasks": [
            (label(name), [f"T-{number}" for number in given[name]])
            for name in named
            if given.get(name)
        ],
        "gates_not_run": len(given.get("gates_not_run") or ()),
        "reviews_not_run": len(given.get("reviews_not_run") or ()),
        "blocked": [
            (one["task_id"], one["number"], one["title"], words.why(one.get("why")))
            for one in given.get("blocked") or ()
        ],
        "faults": words.faults(given),
    }


def doable(mission: Mission) -> set[str]:
    """What a person can do with it now; a start begins another one, with a form of its own."""
    now = {str(one) for one in possible(mission.state)} - {str(RunAction.START)}
    return now | ({REOPEN} if mission.state in REOPENED else set())


def planned(wave: Wave, words: Telling) -> dict[str, object]:
    """A wave with its reasons in sentences."""
    plan: Any = wave.plan
    models = plan.get("model_assignments") or {}
    reasons: Any = plan.get("tasks") or {}
    return {
        "wave": wave,
        "sentence": words.step(plan),
        "faults": words.faults(plan),
        "rows": [
            (task, words.task(task), words.why(one), words.model(models.get(task)))
            for task, one in reasons.items()
        ],
    }

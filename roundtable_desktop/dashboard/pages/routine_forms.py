"""The pages that make and change a routine, show what a schedule means, and take a routine away."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from flask import Flask, g, render_template
from pydantic import Field, ValidationError

from roundtable_desktop.dashboard.api.routines import (
    RoutineChange,
    RoutineWanted,
    changes_of,
    new_of,
)
from roundtable_desktop.dashboard.api.shapes import Ref, asked
from roundtable_desktop.dashboard.forms import form_once, read_any, read_form
from roundtable_desktop.dashboard.pages import webhooks
from roundtable_desktop.dashboard.pages.frame import back_to, from_form, page_query, tried
from roundtable_desktop.dashboard.problems import refusal_of
from roundtable_desktop.dashboard.reading import NO_REVISION, Asked, Words, faults_of
from roundtable_desktop.dashboard.routine_form import (
    NEW,
    Filled,
    Row,
    at_fields,
    at_variable,
    body_of,
    from_given,
    from_routine,
)
from roundtable_desktop.dashboard.signin import current
from roundtable_desktop.engine.desk import Desk, drafts, routines
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_routines import Recurring
from roundtable_desktop.engine.desk.routines import Made, NewRoutine
from roundtable_desktop.model.agenda import Difference
from roundtable_desktop.model.errors import Absent, Broken, Invalid, Refused
from roundtable_desktop.model.states import AgentStatus, RoutineStatus, TriggerKind
from roundtable_desktop.phrases import sentence
from roundtable_desktop.phrases.on_pages import ON_PAGES

NEXT = 5
ROOM = {"more-schedules": (1, 0), "more-variables": (0, 3)}
"""Empty rows for whoever asks for more of them: (of schedules, of variables)."""


class Previewed(Asked):
    """A schedule that somebody types. agent: whose workspace's zone counts where none is named."""

    cron: Annotated[str, Field(max_length=1000)] = ""
    zone: Annotated[str, Field(max_length=200)] = ""
    agent: Ref | None = None


class Removed(Words):
    how: Literal["archive", "remove"]


@dataclass(frozen=True, slots=True)
class Met:
    """What became of a form that was not taken: its sentence, and what is wrong at which field."""

    status: int = 200
    sentence: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)


def pages(desk: Desk, look: Look) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/routines/new")
        def new_routine() -> Any:
            page_query(Asked)
            return _page(look, Filled(NEW).with_room())

        @app.post("/routines/new")
        def make_routine() -> Any:
            return _sent(desk, look, None)

        @app.get("/routines/preview")
        def preview_schedule() -> str:
            query = page_query(Previewed)
            row = {"cron": query.cron, "zone": query.zone}
            seen = _preview(look, row, _zone(look, query.agent or ""))
            return render_template("schedule_preview.html", one=seen)

        @app.get("/routines/<ref>/edit")
        def edit_routine(ref: str) -> Any:
            page_query(Asked)
            seen = look.routines.one(ref)
            return _page(look, from_routine(seen).with_room(), seen)

        @app.post("/routines/<ref>/edit")
        def change_routine(ref: str) -> Any:
            return _sent(desk, look, look.routines.one(ref))

        _add_removing(app, desk, look)

    return add


def _page(
    look: Look,
    filled: Filled,
    seen: Recurring | None = None,
    met: Met | None = None,
    difference: Difference | None = None,
) -> tuple[str, int]:
    g.here = f"/routines/{seen.routine.id}/edit" if seen else "/routines/new"
    told, zone = met or Met(), _zone(look, filled["agent"])
    shown = render_template(
        "routine_form.html",
        seen=seen,
        filled=filled,
        faults=told.faults,
        refused=told.sentence,
        difference=difference,
        agents=_agents(look, seen),
        names={one.id: one.name for one in look.workspaces(None, 200)},
        own_zone=zone,
        previews=[_preview(look, one, zone) for one in filled.schedules],
    )
    return shown, told.status


def _sent(desk: Desk, look: Look, seen: Recurring | None) -> Any:
    """Only one of the form's buttons saves; the others show it again, with what they are for."""
    given = read_any()
    filled = from_given(given)
    body, do = body_of(filled, _manual(seen)), given.get("do", "")
    if do != "save":
        found = _compared(desk, look, seen, body) if do == "check" else None
        return _page(look, filled.with_room(*ROOM.get(do, (0, 0))), seen, difference=found)
    by = asked(current(), form_once(), _revision(filled) if seen else None)
    try:
        done = _change(desk, by, seen, body) if seen else _make(desk, by, look, body)
    except ValidationError as error:
        faults = at_fields(filled, faults_of(error, body), by_reader=True)
        return _page(look, filled, seen, Met(422, sentence("invalid_form"), faults))
    except Broken:
        raise
    except Refused as refused:
        return _page(look, filled, seen, _met(filled, refused))
    made = done.routine.id
    if done.secrets:
        return webhooks.shown_once(look, made, done.secrets)
    return back_to(f"/routines/{made}", "routine_changed" if seen else "routine_made")


def _add_removing(app: Flask, desk: Desk, look: Look) -> None:
    def page(seen: Recurring, refused: str = "") -> str:
        return render_template("routine_remove.html", seen=seen, refused=refused)

    @app.get("/routines/<ref>/remove")
    def ask_removing(ref: str) -> str:
        page_query(Asked)
        return page(look.routines.one(ref))

    @app.post("/routines/<ref>/remove")
    def remove_routine(ref: str) -> Any:
        form, by, seen = read_form(Removed), from_form(), look.routines.one(ref)
        routine_id = seen.routine.id
        if form.how == "remove":
            done, act = "/routines", lambda: routines.remove(desk, by, routine_id)
        else:
            done, act = f"/routines/{routine_id}", lambda: _archive(desk, by, routine_id)
        return tried(
            act,
            done,
            lambda why: page(seen, why),
            f"/routines/{routine_id}/remove",
            told=lambda _: f"routine_{form.how}d",
        )


def _revision(filled: Filled) -> int:
    """Of the routine as the person saw it."""
    return int(filled["revision"]) if filled["revision"].isdecimal() else NO_REVISION


def _archive(desk: Desk, by: Any, routine_id: str) -> None:
    routines.edit(desk, by, routine_id, status=RoutineStatus.ARCHIVED)


def _make(desk: Desk, by: Any, look: Look, body: Mapping[str, Any]) -> Made:
    return routines.created(desk, by, _wanted(look, body))


def _wanted(look: Look, body: Mapping[str, Any]) -> NewRoutine:
    """The agent says in which workspace. Raises ValidationError, and what the desk refuses."""
    agent_id = body["assignee_agent_id"]
    workspace_id = look.agent(agent_id).workspace_id if agent_id else ""
    return new_of(RoutineWanted.model_validate({**body, "workspace_id": workspace_id}))


def _compared(
    desk: Desk, look: Look, seen: Recurring | None, body: Mapping[str, Any]
) -> Difference | None:
    """What saving it would change; nothing where it would be refused, which saving it says."""
    by = asked(current())
    try:
        if seen is None:
            draft = drafts.of_new(desk, by, _wanted(look, body))
        else:
            changes = changes_of(RoutineChange.model_validate(body))
            draft = drafts.of_change(desk, by, seen.routine.id, **changes)
    except Broken:
        raise
    except (ValidationError, Refused):
        return None
    return look.agenda.difference(draft)


def _change(desk: Desk, by: Any, seen: Recurring, body: Mapping[str, Any]) -> Made:
    changes = changes_of(RoutineChange.model_validate(body))
    status, triggers = changes.pop("status", None), changes.pop("triggers", None)
    return routines.edited(desk, by, seen.routine.id, status, triggers, changes)


def _met(filled: Filled, refused: Refused) -> Met:
    refusal = refusal_of(refused)
    code = "form_sent_already" if refused.code == "key_reused" else refusal.code
    faults = at_fields(filled, refusal.faults)
    if refused.pointer == "/variables" and "name" in refused.values:
        name = at_variable(filled, refused.code, refused.values["name"])
        faults = {name: faults["variables"]}
    return Met(refusal.status, sentence(code, refusal.values, ON_PAGES), faults)


def _manual(seen: Recurring | None) -> Any:
    triggers = seen.triggers if seen else ()
    return next((one for one in triggers if one.kind is TriggerKind.MANUAL), None)


def _agents(look: Look, seen: Recurring | None) -> list[Any]:
    """Who can be woken; a routine stays in its workspace."""
    here = {"workspace_id": seen.routine.workspace_id} if seen else {}
    found = look.agents(None, 200, **here)
    return [one for one in found if one.status is not AgentStatus.RETIRED]


def _zone(look: Look, agent_id: str) -> str:
    """Of the agent's workspace; of the only one, where nobody is chosen yet."""
    try:
        return look.workspace(look.agent(agent_id).workspace_id).timezone
    except Absent:
        places = {one.timezone for one in look.workspaces(None, 200)}
        return places.pop() if len(places) == 1 else ""


def _preview(look: Look, row: Row, own_zone: str) -> dict[str, Any]:
    """words, zone, fires and remarks of a schedule; fault where it has none; else nothing."""
    cron, zone = row.get("cron", "").strip(), row.get("zone", "").strip()
    if not cron:
        return {}
    try:
        seen = look.routines.ahead(cron, zone, own_zone or "UTC", NEXT)
    except Invalid as invalid:
        return {"fault": sentence(invalid.code, invalid.values)}
    return {
        "words": seen.words,
        "zone": seen.zone.key,
        "fires": [(at, at.astimezone(seen.zone)) for at in seen.fires],
        "remarks": [sentence(one.code, one.values) for one in seen.remarks],
    }

"""The pages of routines: what recurs, when it comes next, and each time that it did."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from flask import Flask, render_template
from pydantic import Field, create_model

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.routines import RoutinesAsked
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages import webhooks
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Asked, Words, cut
from roundtable_desktop.engine.desk import Desk, routines
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_routines import Recurring
from roundtable_desktop.model.routines import Firing
from roundtable_desktop.model.states import FiringStatus, RoutineStatus
from roundtable_desktop.phrases import sentence

FIRINGS = 50
NEXT = 5


class Move(Words):
    """back: where the person was, if not at the routine."""

    status: Literal["active", "paused"]
    back: Literal["", "/routines"] = ""


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def page(seen: Recurring, refused: str = "", given: Mapping[str, str] | None = None) -> str:
        around = _around(look, seen, say)
        return render_template("routine.html", refused=refused, given=given or {}, **around)

    def add(app: Flask) -> None:
        @app.get("/routines")
        def list_routines() -> str:
            query = page_query(RoutinesAsked)
            found = look.routines.all(query.after, query.limit + 1, query.workspace_id, over=False)
            kept, cursor = cut(found, query.limit, lambda seen: seen.routine.id)
            first, last = query.cursor is None, cursor is None
            over = look.routines.all(None, FIRINGS, query.workspace_id, over=True) if last else []
            names = {one.id: one.name for one in look.workspaces(None, 200)}
            return render_template(
                "routines.html",
                routines=kept,
                cursor=cursor,
                first=first,
                over=over,
                names=names,
            )

        @app.get("/routines/<ref>")
        def show_routine(ref: str) -> str:
            page_query(Asked)
            return page(look.routines.one(ref))

        @app.post("/routines/<ref>/fire")
        def fire_routine(ref: str) -> Any:
            seen = look.routines.one(ref)
            filled = read_form(_form_of(seen)).model_dump()
            asked, routine = from_form(), seen.routine
            variables = {name.removeprefix("var_"): value for name, value in filled.items()}
            return tried(
                lambda: routines.fire_now(desk, asked, routine.id, variables),
                f"/routines/{routine.id}",
                lambda why: page(look.routines.one(routine.id), why, variables),
                told=lambda made: _became(made, variables),
            )

        @app.post("/routines/<ref>/move")
        def move_routine(ref: str) -> Any:
            wanted, asked = read_form(Move), from_form()
            routine = look.routines.one(ref).routine
            status = RoutineStatus(wanted.status)
            return tried(
                lambda: routines.edit(desk, asked, routine.id, status=status),
                wanted.back or f"/routines/{routine.id}",
                lambda why: page(look.routines.one(routine.id), why),
                f"/routines/{routine.id}",
            )

    return add


def _became(made: Firing, given: Mapping[str, str]) -> str:
    """A task that is at work goes on with the values that it began with."""
    unused = made.status is FiringStatus.COALESCED and made.linked_task_id and any(given.values())
    return "firing_values_unused" if unused else f"firing_{made.status}"


def _form_of(seen: Recurring) -> type[Words]:
    """A field for each of the routine's variables; one that is left empty has no value."""
    fields: dict[str, Any] = {
        f"var_{one['name']}": (str, Field(default="", max_length=16_384))
        for one in seen.routine.variables
    }
    made: type[Words] = create_model("Fired", __base__=Words, **fields)
    return made


def _around(look: Look, seen: Recurring, say: Say) -> dict[str, object]:
    found = look.routines.firings(seen.routine, FIRINGS)
    tasks = {one.linked_task_id for one in found if one.linked_task_id}
    return {
        "seen": seen,
        "routine": seen.routine,
        "template": seen.routine.template,
        "workspace": look.workspace(seen.routine.workspace_id),
        "why": explained(look.routines.explain(seen), say),
        "next_fires": look.routines.next_fires(seen, NEXT),
        "asleep": {
            key: sentence(one.code, one.values) for key, one in look.routines.sleeps(seen).items()
        },
        "firings": found,
        "hooks": webhooks.hooks(seen),
        "deliveries": webhooks.came(look, seen),
        "each": look.usage.expected({seen.routine.id: 1}).items[0],
        "changes": look.routines.changes(seen.routine),
        "tasks": {task_id: look.task(task_id) for task_id in tasks},
    }

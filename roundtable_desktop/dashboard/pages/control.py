"""The page of global control: pause, go on, and end everything after a second look."""

from collections.abc import Callable
from typing import Annotated, Any

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api.control import Control
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import back_to, from_form, page_query
from roundtable_desktop.dashboard.reading import Asked
from roundtable_desktop.engine.desk import Desk, control
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.states import LIVE_RUNS


class Controlled(Control):
    """back: where the person was."""

    back: Annotated[str, Field(max_length=2000)] = "/control"


def pages(desk: Desk, look: Look) -> Callable[[Flask], None]:
    def page(stopped: control.Stopped | None = None) -> str:
        """What runs now, with its processes: what a stop would end."""
        live = look.placed(look.runs(None, 200, status=LIVE_RUNS))
        return render_template(
            "control.html",
            live_runs=[(one, look.processes(one.run)) for one in live],
            stopped=stopped,
        )

    def add(app: Flask) -> None:
        @app.get("/control")
        def show_control() -> str:
            page_query(Asked)
            return page()

        @app.post("/control")
        def change_control() -> Any:
            wanted, asked = read_form(Controlled), from_form()
            if wanted.action == "force-stop":
                return page(control.force_stop(desk, asked))
            act = control.pause if wanted.action == "pause" else control.resume
            act(desk, asked)
            return back_to(wanted.back)

    return add

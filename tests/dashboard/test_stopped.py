"""What pages say after a stop: of everything by a person, of the scheduler by a fault."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, g, render_template

from roundtable_desktop.dashboard.api.control import Ended, State
from roundtable_desktop.dashboard.app import web_folder
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.pages import frame
from roundtable_desktop.dashboard.telling import telling
from roundtable_desktop.dashboard.templates import Templates
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health

AT = datetime(2026, 11, 5, 5, 2, tzinfo=UTC)
LEFT = Ended(pid=4711, name="stubborn", role="child")
NOBODY_LOOKS: Any = None  # signed out: no page asks for what is around it


def shown(stopped: State) -> str:
    web, figures = web_folder(), Figures("UTC")
    app = Flask("pages", static_folder=web / "static", template_folder=web / "templates")
    app.jinja_environment = Templates
    app.jinja_env.globals.update(renews=False, test_clock=str)
    frame.pages(NOBODY_LOOKS, lambda: Health.OK, figures, telling(figures))(app)
    with app.test_request_context("/control"):
        g.request_id = "r"
        glance = Glance(health=Health.OK, intake=stopped.intake, running=0, needs_you=0)
        around: Any = {"glance": glance, "here": "/control", "state": "", "live_runs": []}
        return render_template("control.html", stopped=stopped, **around)


@pytest.mark.proves("C-71")
@pytest.mark.parametrize("killed", [[], [Ended(pid=12, name="sh", role="agent")]])
def test_where_something_is_left_nothing_says_that_all_is_stopped(killed: list[Ended]) -> None:
    page = shown(State(state="stopped", intake="stopped", killed=killed, survivors=[LEFT]))
    assert "Not all of it could be ended" in page and "kill -9 4711" in page
    assert "Everything is stopped" not in page and "no process to end" not in page
    whole = shown(State(state="stopped", intake="stopped", killed=killed))
    assert "Everything is stopped" in whole and "could be ended" not in whole


@pytest.mark.proves("E-live")
def test_a_scheduler_that_stopped_is_said_on_every_page_with_the_time() -> None:
    web, figures = web_folder(), Figures("Asia/Tokyo")
    app = Flask("pages", static_folder=web / "static", template_folder=web / "templates")
    app.jinja_environment = Templates
    app.jinja_env.globals.update(renews=False, test_clock=str)
    dead = Glance(health=Health.DEAD, intake="open", running=0, needs_you=0)
    look: Any = SimpleNamespace(glance=lambda _: dead, now=lambda: AT)
    frame.pages(look, lambda: Health.DEAD, figures, telling(figures), lambda: AT)(app)
    with app.test_request_context("/search"):
        g.request_id, g.caller = "r", SimpleNamespace(csrf="secret")
        page = render_template("search.html", asked_for="", here_too=[], hits=[])
    assert "Scheduler stopped since 5 Nov 14:02" in page
    assert 'data-health="dead"' in page

"""While the scheduler stands still, pages and API can be read, and agents can be ended."""

from typing import Any

import pytest
from flask import Flask, g, render_template

from roundtable_desktop.dashboard.app import web_folder
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.pages import frame
from roundtable_desktop.dashboard.standstill import STILL_DONE
from roundtable_desktop.dashboard.telling import telling
from roundtable_desktop.dashboard.templates import Templates
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health

NEW = {"title": "Tea"}


@pytest.mark.proves("F-09")
def test_nothing_is_taken_that_nobody_would_carry_out(house: Any) -> None:
    browser = house.browser()
    house.health[0] = "dead"
    refused = house.program("POST", "/api/v1/notes", NEW)
    assert refused.status == 503 and "scheduler_stands_still" in refused.text
    assert browser.post("/notes", {}).status == 503
    assert house.notes == []
    assert house.program("GET", "/api/v1/notes").status == 200
    assert browser.ask("GET", "/").status == 200
    assert house.ask("GET", "/healthz").status == 503

    house.health[0] = "degraded"
    assert house.program("POST", "/api/v1/notes", NEW).status == 201


@pytest.mark.proves("F-09")
def test_who_is_signed_out_is_told_that_first(house: Any) -> None:
    house.health[0] = "dead"
    assert house.ask("POST", "/api/v1/notes").status == 401


@pytest.mark.proves("F-09")
def test_signing_in_and_out_and_ending_agents_need_no_scheduler(house: Any) -> None:
    """The routes of control are not this house's: that they are not there is another refusal."""
    house.health[0] = "dead"
    assert house.program("POST", "/api/v1/sign-in-links", {}).status == 201
    browser = house.browser()
    assert {browser.post(path, {}).status for path in ("/control", "/api/v1/control")} == {404}
    assert browser.post("/logout", {}).status == 303
    assert {"/control", "/api/v1/control", "/logout"} <= STILL_DONE


def page(health: Health) -> str:
    """Of control, with what is above every page."""
    web, figures = web_folder(), Figures("UTC")
    app = Flask("pages", static_folder=web / "static", template_folder=web / "templates")
    app.jinja_environment = Templates
    app.jinja_env.globals.update(renews=False, test_clock=str)
    nobody: Any = None
    frame.pages(nobody, lambda: health, figures, telling(figures))(app)
    with app.test_request_context("/control"):
        g.request_id = "r"
        glance = Glance(health=health, intake="open", running=0, needs_you=0)
        around: Any = {"glance": glance, "here": "/control", "state": "", "live_runs": []}
        return render_template("control.html", stopped=None, **around)


@pytest.mark.proves("F-09", "F-52")
def test_every_page_says_it_above_all_else_and_takes_it_back_by_itself() -> None:
    dead, well = page(Health.DEAD), page(Health.OK)
    assert "this can only be read" in dead and 'role="alert"' in dead
    assert "this can only be read" not in well
    for shown in (dead, well):
        assert '<div id="standstill" data-live="owner">' in shown

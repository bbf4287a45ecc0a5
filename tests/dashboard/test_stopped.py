"""What the page of global control says after a stop."""

import pytest
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader

from roundtable_desktop.dashboard import labels
from roundtable_desktop.dashboard.api.control import Ended, State
from roundtable_desktop.dashboard.app import web_folder
from roundtable_desktop.phrases import _

MAIN_ALONE = DictLoader({"layout.html": "{% block main %}{% endblock %}"})
LEFT = Ended(pid=4711, name="stubborn", role="child")


def shown(stopped: State) -> str:
    pages = FileSystemLoader(web_folder() / "templates")
    jinja = Environment(loader=ChoiceLoader([MAIN_ALONE, pages]), autoescape=True)
    jinja.globals.update(_=_, new_key=str)
    jinja.filters.update(label=labels.label, tone=labels.tone, short=str, size=str, moment=str)
    page = jinja.get_template("control.html")
    return page.render(stopped=stopped, glance=stopped, live_runs=[], state="", here="/control")


@pytest.mark.proves("W-30 forms")
@pytest.mark.parametrize("killed", [[], [Ended(pid=12, name="sh", role="agent")]])
def test_where_something_is_left_nothing_says_that_all_is_stopped(killed: list[Ended]) -> None:
    page = shown(State(intake="stopped", killed=killed, survivors=[LEFT]))
    assert "Not all of it could be ended" in page and "kill -9 4711" in page
    assert "Everything is stopped" not in page and "no process to end" not in page
    whole = shown(State(intake="stopped", killed=killed))
    assert "Everything is stopped" in whole and "could be ended" not in whole

"""The form that wakes an agent, now or later; it stands on the overview and on the agent's page."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal

from flask import Flask

from roundtable_desktop.dashboard.api.shapes import Ref, Words16
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import from_form, tried
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk import Desk, waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.spans import span_of

Later = Literal["0m", "30m", "1h", "3h", "8h", "1d"]


class Woken(Words):
    """text: may be empty. later: how long it waits."""

    text: Words16 = ""
    later: Later = "0m"


class Wake(Woken):
    agent: Ref


def pages(desk: Desk, look: Look, overview: Callable[[str], str]) -> Callable[[Flask], None]:
    """overview: that page, with a refusal on it."""

    def add(app: Flask) -> None:
        @app.post("/wake")
        def wake_agent() -> Any:
            wanted = read_form(Wake)
            return wake(desk, look, look.agent(wanted.agent), wanted, "/", overview)

    return add


def wake(
    desk: Desk, look: Look, agent: Agent, wanted: Woken, here: str, again: Callable[[str], str]
) -> Any:
    """As the form asks for it. here: the page that it stands on; again: that, with a refusal."""
    asked, span = from_form(), span_of(wanted.later)
    at = look.now() + span if span and span > timedelta() else None
    return tried(
        lambda: waking.wake(desk, asked, agent.id, text=wanted.text.strip() or None, at=at),
        here,
        again,
        told=lambda made: "woken_later" if at else "woken_now",
    )

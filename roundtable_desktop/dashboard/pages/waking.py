"""The form that wakes an agent, now or later; it stands on the overview."""

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
from roundtable_desktop.model.spans import span_of

Later = Literal["0m", "30m", "1h", "3h", "8h", "1d"]


class Wake(Words):
    """text: may be empty. later: how long it waits."""

    agent: Ref
    text: Words16 = ""
    later: Later = "0m"


def pages(desk: Desk, look: Look, overview: Callable[[str], str]) -> Callable[[Flask], None]:
    """overview: that page, with a refusal on it."""

    def add(app: Flask) -> None:
        @app.post("/wake")
        def wake_agent() -> Any:
            wanted, asked = read_form(Wake), from_form()
            agent, span = look.agent(wanted.agent), span_of(wanted.later)
            at = look.now() + span if span and span > timedelta() else None
            return tried(
                lambda: waking.wake(desk, asked, agent.id, text=wanted.text.strip() or None, at=at),
                "/",
                overview,
                told=lambda made: "woken_later" if at else "woken_now",
            )

    return add

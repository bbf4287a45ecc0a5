"""The one button of accounts at their limit: a person has it tried now."""

from collections.abc import Callable
from typing import Annotated, Any

from flask import Flask
from pydantic import Field

from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import back_to, from_form
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk import Desk, held
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Conflict


class TryNow(Words):
    """back: where the person was."""

    back: Annotated[str, Field(max_length=2000)] = "/"


def pages(desk: Desk, look: Look) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.post("/agents/<ref>/try-now")
        def try_agent_now(ref: str) -> Any:
            wanted, asked, agent = read_form(TryNow), from_form(), look.agent(ref)
            try:
                held.try_now(desk, asked, agent.id)
            except Conflict as refused:  # it ended meanwhile: what the person wanted is so
                if refused.code != "account_not_held":
                    raise
            return back_to(wanted.back, "account_tries_now")

    return add

"""The page of control: pause, stop, leave, go on; end everything after a second look; and the same
for one agent."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api.control import Control, act, checkpointed
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.engine.desk import Desk, pausing
from roundtable_desktop.engine.desk.ending import Stopped
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.spans import span_of
from roundtable_desktop.model.states import LIVE_RUNS, AgentStatus

Span = Literal["", "10m", "30m", "1h", "3h", "8h", "1d"]


class Controlled(Words):
    """span: how long a pause lasts, or until a leave breaks off what runs; empty: no end, or the
    usual one. back: where the person was."""

    action: Literal["pause", "resume", "stop", "force-stop", "leave"]
    span: Span = ""
    back: Annotated[str, Field(max_length=2000)] = "/control"


class OneAgent(Words):
    """back: where the person was."""

    action: Literal["pause", "resume", "stop", "stop-now"]
    back: Annotated[str, Field(max_length=2000)] = "/control"


TOLD = {
    "pause": "agent_paused",
    "stop": "agent_stopped",
    "stop-now": "agent_stopped",
    "resume": "agent_resumed",
}


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def page(stopped: Stopped | None = None, refused: str = "") -> str:
        """What runs now, with its processes: what a stop would end."""
        live = look.placed(look.runs(None, 200, status=LIVE_RUNS))
        agents = look.agents(None, 200)
        return render_template(
            "control.html",
            live_runs=[(one, look.processes(one.run)) for one in live],
            checkpoints=[checkpointed(one, say) for one in look.leaving.checkpoints()],
            agents=[one for one in agents if one.status is not AgentStatus.RETIRED],
            working=look.working(agents),
            stopped=stopped,
            refused=refused,
        )

    def add(app: Flask) -> None:
        @app.get("/control")
        def show_control() -> str:
            page_query(Asked)
            return page()

        @app.post("/control")
        def change_control() -> Any:
            form, asked = read_form(Controlled), from_form()
            span = span_of(form.span)
            wanted = Control(action=form.action, until=look.now() + span if span else None)
            if form.action == "force-stop":
                return page(act(desk, asked, wanted))
            again = lambda why: page(refused=why)  # noqa: E731
            return tried(lambda: act(desk, asked, wanted), form.back, again, "/control")

        @app.post("/agents/<ref>/control")
        def control_agent(ref: str) -> Any:
            form, asked, agent = read_form(OneAgent), from_form(), look.agent(ref)
            acts: dict[str, Callable[[], object]] = {
                "pause": lambda: pausing.pause(desk, asked, agent.id),
                "resume": lambda: pausing.resume(desk, asked, agent.id),
                "stop": lambda: pausing.stop(desk, asked, agent.id),
                "stop-now": lambda: pausing.stop(desk, asked, agent.id, now=True),
            }
            return tried(
                acts[form.action],
                form.back,
                lambda why: page(refused=why),
                "/control",
                told=lambda _: TOLD[form.action],
            )

    return add

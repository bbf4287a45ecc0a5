"""The API's routes of global control; stop and leave come later."""

from typing import Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Shown, asked
from roundtable_desktop.dashboard.reading import Once, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, control
from roundtable_desktop.engine.desk.look import Look


class Control(Words):
    action: Literal["pause", "force-stop", "resume"]


class Ended(Shown):
    pid: int
    name: str | None
    role: str


class State(Shown):
    """intake: open | paused | stopped. killed, survivors: of the force-stop that this answers."""

    intake: str
    killed: list[Ended] = Field(default=[])
    survivors: list[Ended] = Field(default=[])


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/control")
    def show_control() -> State:
        """Whether waiting wakeups are taken up."""
        return State(intake=look.intake())

    @api.route("POST", "/api/v1/control")
    def change_control(caller: Caller, body: Control, once: Once | None) -> State:
        """force-stop answers when every process of every agent is gone, or named as left."""
        if body.action != "force-stop":
            act = control.pause if body.action == "pause" else control.resume
            act(desk, asked(caller, once))
            return State(intake=look.intake())
        stopped = control.force_stop(desk, asked(caller, once))
        return State(
            intake=look.intake(),
            killed=[Ended.of(one) for one in stopped.killed],
            survivors=[Ended.of(one) for one in stopped.survivors],
        )

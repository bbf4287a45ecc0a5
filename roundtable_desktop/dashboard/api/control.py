"""The API's routes of global control."""

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field, model_validator

from roundtable_desktop.dashboard.api.shapes import Instant, Moment, Say, Shown, asked, said
from roundtable_desktop.dashboard.api.status import sentence_of
from roundtable_desktop.dashboard.reading import Once, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked, Desk, control
from roundtable_desktop.engine.desk.ending import Stopped
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.checkpoints import Checkpoint
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health
from roundtable_desktop.phrases import _


class Control(Words):
    """until: when a pause ends by itself, or when a leave breaks off what still runs."""

    action: Literal["pause", "resume", "stop", "force-stop", "leave"]
    until: Instant | None = None

    @model_validator(mode="after")
    def _has_a_time(self) -> "Control":
        if self.until is not None and self.action not in ("pause", "leave"):
            raise ValueError(_("Only pause and leave end at a time."))
        return self


class Ended(Shown):
    pid: int
    name: str | None
    role: str


class Checkpointed(Shown):
    """Of a run that is at work while you leave. hearing: deaf (it cannot be asked) | waits | told |
    asked | given; sentence: that in words."""

    run_id: str
    agent: str
    task: int | None
    hearing: str
    sentence: str


class State(Shown):
    """intake: open | paused | stopped | leaving. state: that and what still runs, seen together:
    active | paused | draining | stopped | leaving | left (it is safe to close the lid).

    since, by: who changed the intake last, and when. until: when a pause ends by itself, or a leave
    breaks off what still runs. running: runs without an end; claimed: wakeups at work; live: runs
    with a living process; silent: those of them that have said nothing for a while.
    killed, survivors: of the force-stop that this answers. checkpoints: who was asked where it is
    before you leave. deliveries, left_over: what keeps it from being safe once nothing runs: work
    on its way to a branch, and pids that runs left behind. sentence: all of it in words.
    """

    state: str
    sentence: str = ""
    intake: str
    since: Moment | None = None
    by: str | None = None
    until: Moment | None = None
    running: int = 0
    claimed: int = 0
    live: int = 0
    silent: int = 0
    deliveries: int = 0
    left_over: list[int] = Field(default=[])
    checkpoints: list[Checkpointed] = Field(default=[])
    killed: list[Ended] = Field(default=[])
    survivors: list[Ended] = Field(default=[])


def shown(glance: Glance, asked: Sequence[Checkpoint], stopped: Stopped | None = None) -> State:
    return State.of(
        glance,
        sentence=sentence_of(glance),
        since=glance.intake_since,
        by=glance.intake_by,
        claimed=glance.at_work.claimed,
        live=glance.at_work.live,
        silent=glance.at_work.silent,
        deliveries=glance.rest.deliveries,
        left_over=list(glance.rest.pids),
        checkpoints=[checkpointed(one) for one in asked],
        killed=[Ended.of(one) for one in stopped.killed] if stopped else [],
        survivors=[Ended.of(one) for one in stopped.survivors] if stopped else [],
    )


def checkpointed(one: Checkpoint, say: Say = said) -> Checkpointed:
    name = one.agent if one.task is None else f"{one.agent} (T-{one.task})"
    sentence = say(f"checkpoint_{one.hearing}", {"agent": name})
    return Checkpointed.of(one, hearing=str(one.hearing), sentence=sentence)


def act(desk: Desk, who: Asked, wanted: Control) -> Stopped | None:
    """What a force-stop ended; None of the others."""
    match wanted.action:
        case "pause":
            control.pause(desk, who, wanted.until)
        case "resume":
            control.resume(desk, who)
        case "stop":
            control.stop(desk, who)
        case "leave":
            control.leave(desk, who, wanted.until)
        case "force-stop":
            return control.force_stop(desk, who)
    return None


def declare(api: Api, desk: Desk, look: Look, health: Callable[[], Health]) -> None:
    @api.route("GET", "/api/v1/control")
    def show_control() -> State:
        """Whether waiting wakeups are taken up, and what is at work."""
        return shown(look.glance(health()), look.leaving.checkpoints())

    @api.route("POST", "/api/v1/control", errors=(409,))
    def change_control(caller: Caller, body: Control, once: Once | None) -> State:
        """force-stop answers when every process of every agent is gone, or named as left; stop and
        leave answer at once, and `state` says when the last run has ended."""
        stopped = act(desk, asked(caller, once), body)
        return shown(look.glance(health()), look.leaving.checkpoints(), stopped)

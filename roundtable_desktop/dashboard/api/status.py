"""The API's one look at everything: what is going on, and what waits for the person."""

from collections.abc import Callable

from roundtable_desktop.dashboard.api.held import Held, held
from roundtable_desktop.dashboard.api.shapes import Moment, Say, Shown, said
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk import look_waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_graph import Standing
from roundtable_desktop.engine.desk.look_waking import ToCome
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.states import Health
from roundtable_desktop.model.times import rfc3339


class TaskStanding(Shown):
    id: str
    number: int
    title: str
    status: str
    agent: str | None
    sentence: str
    waiting_for: list[str]


class Later(Shown):
    """A wake that was asked for a later time, by a person or by the agent itself."""

    wakeup_id: str
    agent: str
    at: Moment
    text: str


class HeldBack(Shown):
    """A wake without a task that waits, and for what."""

    wakeup_id: str
    agent: str
    sentence: str


class WorkspaceStanding(Shown):
    id: str
    name: str
    path: str
    tasks: list[TaskStanding]
    later: list[Later]
    held_back: list[HeldBack]


class Status(Shown):
    """scheduler: ok | degraded | dead. state, until, claimed, live, silent: as `/control` has them.
    last_event: the id of the newest one, to go on from.

    needs_you: what waits for you: the open items of the inbox, and the proposals to look at that
    none of them asks about. items, proposals: each of the two, those of hidden tasks too. blocked:
    tasks that cannot go on without somebody. held: accounts at the limit of their provider.
    test_clock: where it stands; null where time goes by.
    """

    version: str
    scheduler: str
    intake: str
    state: str
    until: Moment | None
    claimed: int
    live: int
    silent: int
    sentence: str
    last_event: int
    needs_you: int
    items: int
    proposals: int
    blocked: int
    held: list[Held]
    test_clock: Moment | None
    workspaces: list[WorkspaceStanding]


def standing(one: Standing, say: Say = said) -> TaskStanding:
    why = one.explanation.nearest
    agent = one.agent.name if one.agent else None
    sentence = say(why.code, dict(why.values))
    waiting_for = [f"T-{number}" for number in one.waiting_for]
    return TaskStanding.of(one.task, agent=agent, sentence=sentence, waiting_for=waiting_for)


def later(one: ToCome) -> Later:
    told = " ".join(one.asked_for)
    return Later(wakeup_id=one.wakeup.id, agent=one.agent.name, at=rfc3339(one.at), text=told)


def held_back(one: look_waking.HeldBack, say: Say = said) -> HeldBack:
    sentence = say(one.explanation.code, dict(one.explanation.values))
    return HeldBack(wakeup_id=one.wakeup.id, agent=one.agent.name, sentence=sentence)


def sentence_of(glance: Glance, say: Say = said) -> str:
    """What a person is told of the whole, on every face."""
    if glance.health is Health.DEAD:
        return say("scheduler_dead", {})
    if glance.trouble is not None:
        return say(f"trouble_{glance.trouble}", {})
    if glance.intake == "open":
        return say(f"scheduler_{glance.health}", {})
    rest, until = glance.rest, glance.until and rfc3339(glance.until)
    pids = ", ".join(map(str, rest.pids))
    values = {"until": until, "runs": glance.running, "count": rest.deliveries, "pids": pids}
    values["source"] = glance.copied_from
    return say(_intake_code(glance), values)


def _intake_code(glance: Glance) -> str:
    if glance.copied_from is not None and glance.state in ("paused", "stopped"):
        return "intake_copied"
    if glance.intake == "paused" and glance.until is not None:
        return "intake_paused_until"
    if glance.rest:
        return "intake_delivering" if glance.rest.deliveries else "intake_left_over"
    return f"intake_{glance.state}"


def declare(api: Api, look: Look, health: Callable[[], Health], version: str) -> None:
    @api.route("GET", "/api/v1/status")
    def show_status() -> Status:
        """Open tasks by workspace, each with what it waits for."""
        glance, stands_at = look.glance(health()), look.stands_at()
        return Status(
            version=version,
            scheduler=glance.health,
            sentence=sentence_of(glance),
            intake=glance.intake,
            state=glance.state,
            until=rfc3339(glance.until) if glance.until else None,
            claimed=glance.at_work.claimed,
            live=glance.at_work.live,
            silent=glance.at_work.silent,
            last_event=look.last_event(),
            needs_you=glance.needs_you,
            items=glance.items,
            proposals=glance.proposals,
            blocked=glance.blocked,
            held=held(look.accounts_held()),
            test_clock=rfc3339(stands_at) if stands_at else None,
            workspaces=[
                WorkspaceStanding.of(
                    one,
                    tasks=[standing(task) for task in look.standing(one)],
                    later=[later(wake) for wake in look.waking.to_come(one)],
                    held_back=[held_back(wake) for wake in look.waking.held_back(one)],
                )
                for one in look.workspaces(None, 200)
            ],
        )

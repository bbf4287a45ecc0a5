"""The API's agenda: what is due in the days to come, and whether it will run."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Say, Shown, said
from roundtable_desktop.dashboard.reading import Asked
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import agenda as records
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases.codes import word


class AgendaAsked(Asked):
    """each: also what comes again and again on one day in the same way; else that is one item with
    its `times`, and `last`. zone: whose days those are; of each schedule its own, if left out."""

    days: Annotated[float, Field(gt=0, le=31)] = 7
    workspace_id: Ref | None = None
    each: bool = True
    zone: Annotated[str, Field(max_length=64)] = ""


class Asleep(Shown):
    """On `count` of the last `days` days Roundtable was not awake at that hour."""

    count: int
    days: int
    sentence: str


class Due(Shown):
    """kind: `fire` of a routine, `wake` at a time that somebody named, `retry`, or `held` until its
    turn. name: of the routine or the task. zone: its schedule's, else its workspace's.

    will_run: whether a run of its own comes of it by itself; starts_at: when. reason: a code: why
    it does not run, or starts later than it is due. asleep: null where too little is known, or it
    is usually awake. All of it as things stand now.
    """

    at: Moment
    kind: str
    workspace_id: str
    zone: str
    agent_id: str
    agent: str
    name: str
    will_run: bool
    starts_at: Moment | None
    reason: str | None
    sentence: str
    routine_id: str | None
    trigger_id: str | None
    wakeup_id: str | None
    task_id: str | None
    asleep: Asleep | None
    times: int
    last: Moment | None


class Agenda(Shown):
    """By their time. whole: false when there was more than fits into one answer; then `until` is
    how far it came."""

    since: Moment
    until: Moment
    items: list[Due]
    whole: bool


def sentence_of(one: records.Coming, say: Say = said) -> str:
    code = "agenda_does_not"
    if one.will_run:
        code = "agenda_later" if one.reason else "agenda_runs"
    values = {
        "agent": one.agent,
        "reason": word(one.reason),
        "starts": one.starts_at and rfc3339(one.starts_at),
        "last": one.last and rfc3339(one.last),
    }
    return say(f"{code}_often" if one.times > 1 else code, values)


def asleep_sentence(one: records.Coming, found: records.Asleep) -> str:
    code = "agenda_asleep" if one.made_up_for else "agenda_asleep_missed"
    return said(code, {"count": found.count, "days": found.days})


def due(one: records.Coming) -> Due:
    found = one.asleep
    asleep = found and Asleep.of(found, sentence=asleep_sentence(one, found))
    return Due.of(one, sentence=sentence_of(one), asleep=asleep)


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/agenda", errors=(404,))
    def show_agenda(query: AgendaAsked) -> Agenda:
        """What is due from now on: fires of routines, also of paused ones, wakes for later and
        retries, each with what would become of it."""
        where = look.workspace(query.workspace_id) if query.workspace_id else None
        span = timedelta(days=query.days)
        seen = look.agenda.ahead(span, where, each=query.each, zone=query.zone)
        return Agenda.of(seen, items=[due(one) for one in seen.items])

"""Routines as the API shows them, with their triggers, firings and next fires."""

from collections.abc import Mapping
from types import MappingProxyType

from roundtable_desktop.dashboard.addresses import address
from roundtable_desktop.dashboard.api.events import EventRow
from roundtable_desktop.dashboard.api.routine_words import TemplateWanted
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Shown, Stored
from roundtable_desktop.engine.desk.look_routines import LookRoutines, Recurring, Sleeps
from roundtable_desktop.model import routines as records
from roundtable_desktop.phrases import became, sentence

NO_SECRETS: Mapping[str, str] = MappingProxyType({})


class Trigger(Shown):
    """words: what its schedule means, in English. The last ones are a webhook's. previous_until:
    until when the secret of before counts too. secret: one that was made just now, this once."""

    id: str
    kind: str
    cron_expression: str | None
    timezone: str | None
    words: str | None
    next_run_at: Moment | None
    last_fired_at: Moment | None
    enabled: bool
    public_id: str | None
    url: str | None
    signing_mode: str | None
    previous_until: Moment | None
    secret_missing: bool
    secret: str | None


class Firing(Shown):
    """One time that it was set off. status `received`, `task_created`: it is not over."""

    id: str
    routine_id: str
    trigger_id: str
    source: str
    status: str
    reason: str | None
    sentence: str
    trigger_payload: Object
    missed: Stored | None
    scheduled_at: Moment
    wakeup_id: str | None
    run_id: str | None
    linked_task_id: str | None
    coalesced_into_run_id: str | None
    dispatch_fingerprint: str
    started_at: Moment
    completed_at: Moment | None


class Fire(Shown):
    """One of the next fires; local: on the wall of its trigger's zone."""

    at: Moment
    local: str
    words: str
    timezone: str
    trigger_id: str


class Missed(Shown):
    """Instants that were due and came to nothing: nobody looked."""

    count: int
    first: Moment
    last: Moment


class RoutineRow(Shown):
    """missed: since it last fired; null where nothing was."""

    id: str
    workspace_id: str
    name: str
    description: str
    assignee_agent_id: str
    status: str
    concurrency_policy: str
    catch_up_policy: str
    catch_up_max: int
    task_template: TemplateWanted | None
    variables: list[Object]
    priority: int
    probe: str
    triggers: list[Trigger]
    next_run_at: Moment | None
    last_fired_at: Moment | None
    last_started_at: Moment | None
    last_succeeded_at: Moment | None
    last_status: str | None
    missed: Missed | None
    created_at: Moment
    updated_at: Moment
    revision: int


class UsuallyAsleep(Shown):
    """Of a schedule that comes at an hour at which Roundtable was asleep on `count` of the last
    `days` days. better: a time of that day, in its zone, at which it rarely was."""

    trigger_id: str
    count: int
    days: int
    better: str | None
    sentence: str


class Routine(RoutineRow):
    """next_fires: the next five of all its schedules. usually_asleep: of those schedules, as far
    as enough days were seen. changes: what was done with it, its pauses too, oldest first."""

    recent_runs: list[Firing]
    next_fires: list[Fire]
    usually_asleep: list[UsuallyAsleep]
    changes: list[EventRow]


def row(
    seen: Recurring,
    shape: type[RoutineRow] = RoutineRow,
    secrets: Mapping[str, str] = NO_SECRETS,
    **more: object,
) -> RoutineRow:
    template = seen.routine.template
    return shape.of(
        seen.routine,
        task_template=template
        and TemplateWanted(title=template.title, description=template.description),
        variables=[dict(one) for one in seen.routine.variables],
        triggers=[trigger(one, seen, secrets) for one in seen.triggers],
        next_run_at=seen.next_run_at,
        last_fired_at=seen.last_fired_at,
        last_status=seen.last and str(seen.last.status),
        missed=seen.missed and Missed.of(seen.missed),
        **more,
    )


def trigger(one: records.Trigger, seen: Recurring, secrets: Mapping[str, str]) -> Trigger:
    return Trigger.of(
        one,
        words=seen.words.get(one.id),
        url=one.public_id and address(one.public_id),
        secret=secrets.get(one.id),
    )


def firing(one: records.Firing) -> Firing:
    return Firing.of(one, sentence=became(one.status, one.reason))


def detail(look: LookRoutines, ref: str, secrets: Mapping[str, str] = NO_SECRETS) -> Routine:
    """secrets: of its webhooks, those that were made just now."""
    seen = look.one(ref)
    shown = row(
        seen,
        Routine,
        secrets,
        recent_runs=[firing(one) for one in look.firings(seen.routine, 50)],
        next_fires=[Fire.of(one) for one in look.next_fires(seen, 5)],
        usually_asleep=[_asleep(key, one) for key, one in look.sleeps(seen).items()],
        changes=[EventRow.of(one) for one in look.changes(seen.routine)],
    )
    assert isinstance(shown, Routine)
    return shown


def _asleep(trigger_id: str, one: Sleeps) -> UsuallyAsleep:
    said = sentence(one.code, one.values)
    return UsuallyAsleep.of(one.found, trigger_id=trigger_id, better=one.better, sentence=said)

"""What becomes of all that is due in the days to come, by the rules that decide then (N-04)."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.agenda import Coming, ComingKind
from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.records import Agent, Wakeup
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import CatchUpPolicy, RoutineStatus
from roundtable_desktop.model.verdicts import Answer, Cancel, Finish, Go, Hold
from roundtable_desktop.rules import accounts, admission, idle, zones
from roundtable_desktop.rules.cron import parse
from roundtable_desktop.rules.firing import Course, course
from roundtable_desktop.rules.idle import Periodic
from roundtable_desktop.rules.variables import declared_of, resolve

MOST = 5_000
"""Items of one look; a longer list would be read by nobody."""

BUDGET = "budget"
"""Why an agent is paused that comes back by itself when its budget begins anew."""
BLOCKED = "budget_blocked"

UNKNOWN_SPAN = timedelta(minutes=5)
"""Of a run of an agent that nobody has seen at work."""


@dataclass(frozen=True, slots=True)
class Recurs:
    """A routine with its schedules that are switched on. wake: of a light one, whether it is worth
    a run. at_work: an earlier firing still waits or runs."""

    routine: Routine
    agent: Agent
    triggers: Sequence[Trigger]
    at_work: bool = False
    wake: Periodic | None = None


@dataclass(frozen=True, slots=True)
class Waits:
    """A wakeup that waits for a time. wanted: the answer of staleness as things are now."""

    wakeup: Wakeup
    agent: Agent
    kind: ComingKind
    name: str
    zone: str
    wanted: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What decides, as it stands now: what changes until then changes what becomes of it.

    opens_at: when a pause of everything ends by itself; None where it is open, or has no end.
    holds, spans, busy: by agent: what of its provider keeps it from starting, how long a run of it
    usually takes, and when the runs that live now would end by that. spent: by agent, whose budget
    is used up; with it when it begins anew, if that is known.
    """

    now: datetime
    until: datetime
    recurring: Sequence[Recurs] = ()
    waiting: Sequence[Waits] = ()
    intake_open: bool = True
    opens_at: datetime | None = None
    holds: Mapping[str, Sequence[ProviderHold]] = field(default_factory=dict)
    spans: Mapping[str, timedelta] = field(default_factory=dict)
    busy: Mapping[str, Sequence[datetime]] = field(default_factory=dict)
    spent: Mapping[str, datetime | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Due:
    at: datetime
    priority: int
    recurs: Recurs | None = None
    trigger: Trigger | None = None
    waits: Waits | None = None


def walk(known: Known) -> Iterator[Coming]:
    """All that is due, by its time; as it is asked for, so that who wants the first few pays for
    those."""
    streams = [
        _fires(one, trigger, known)
        for one in known.recurring
        for trigger in one.triggers
        if one.routine.status is not RoutineStatus.ARCHIVED
    ]
    others = iter([_Due(_at(one), -1, waits=one) for one in known.waiting])
    course_of = _Course(known)
    for due in heapq.merge(others, *streams, key=lambda one: (one.at, one.priority)):
        if due.at > known.until:
            return
        yield course_of.fire(due) if due.recurs else course_of.wake(due)


def _at(one: Waits) -> datetime:
    assert one.wakeup.scheduled_retry_at is not None, "it waits for a time"
    return one.wakeup.scheduled_retry_at


def _fires(one: Recurs, trigger: Trigger, known: Known) -> Iterator[_Due]:
    """The stored instant comes first: it may be due already. A paused routine has none: its
    schedule tells when it would have fired."""
    priority, after = one.routine.priority, known.now
    if trigger.next_run_at is not None:
        yield _Due(max(trigger.next_run_at, known.now), priority, one, trigger)
        after = max(known.now, trigger.next_run_at)
    schedule = parse(trigger.cron_expression or "")
    for at in schedule.fires(after, zones.zone(trigger.timezone or "")):
        yield _Due(at, priority, one, trigger)


class _Course:
    """Goes through what is due in its order, and keeps who is at work until when."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._busy = {agent: list(ends) for agent, ends in known.busy.items()}
        for ends in self._busy.values():
            heapq.heapify(ends)
        self._over: dict[str, datetime] = {}
        self._began: dict[str, datetime] = {}
        self._acted: dict[str, dict[str, datetime]] = {}  # by workspace, each agent's last start

    def fire(self, due: _Due) -> Coming:
        recurs, trigger = due.recurs, due.trigger
        assert recurs is not None and trigger is not None
        routine, agent = recurs.routine, recurs.agent
        starts, reason = self._of_fire(due.at, recurs, trigger)
        return Coming(
            at=due.at,
            kind=ComingKind.FIRE,
            workspace_id=routine.workspace_id,
            zone=zones.zone(trigger.timezone or "").key,
            agent_id=agent.id,
            agent=agent.name,
            name=routine.name,
            will_run=starts is not None,
            starts_at=starts,
            reason=reason,
            routine_id=routine.id,
            trigger_id=trigger.id,
            made_up_for=routine.catch_up_policy is not CatchUpPolicy.SKIP_MISSED,
        )

    def wake(self, due: _Due) -> Coming:
        assert due.waits is not None
        waits, agent = due.waits, due.waits.agent
        at = max(due.at, self._known.now)
        starts, reason = self._begun(at, agent, [waits.wanted])
        return Coming(
            at=at,
            kind=waits.kind,
            workspace_id=waits.wakeup.workspace_id,
            zone=waits.zone,
            agent_id=agent.id,
            agent=agent.name,
            name=waits.name,
            will_run=starts is not None,
            starts_at=starts,
            reason=reason,
            wakeup_id=waits.wakeup.id,
            task_id=waits.wakeup.task_id,
        )

    def _of_fire(
        self, at: datetime, recurs: Recurs, trigger: Trigger
    ) -> tuple[datetime | None, str | None]:
        routine = recurs.routine
        if routine.status is not RoutineStatus.ACTIVE:
            return None, f"routine_{routine.status}"
        if (
            unfit := _unfit(routine, at.astimezone(zones.zone(trigger.timezone or "")))
        ) is not None:
            return None, unfit
        way = course(routine.concurrency_policy, at_work=self._at_work(recurs, at))
        if way is not Course.START:
            return None, "still_at_work" if way is Course.SKIP else "merged"
        worth = self._worth(recurs)
        starts, reason = self._begun(at, recurs.agent, worth)
        if starts is not None:
            self._began[routine.id] = starts
            self._over[routine.id] = starts + self._span(recurs.agent)
            self._acted.setdefault(routine.workspace_id, {})[recurs.agent.id] = starts
        return starts, reason

    def _begun(
        self, at: datetime, agent: Agent, own: Sequence[Answer]
    ) -> tuple[datetime | None, str | None]:
        """When a run of the agent starts, and why then; it is at work from then on."""
        starts, reason = at, None
        if agent.id in self._known.spent:
            renewed = self._known.spent[agent.id]
            if renewed is None:
                return None, BLOCKED
            starts, reason = (renewed, BLOCKED) if renewed > at else (at, None)
        answers = own if agent.paused_reason == BUDGET else (admission.agent_status(agent), *own)
        for answer in answers:
            if (refused := _refused(answer)) is not None:
                return None, refused
        if not self._known.intake_open:
            opens = self._known.opens_at
            if opens is None:
                return None, "intake"
            starts, reason = (opens, "intake") if opens > starts else (starts, reason)
        held = accounts.free(self._known.holds.get(agent.id, ()), starts)
        if isinstance(held, Hold):
            starts, reason = max(starts, held.until), held.held_by
        free = self._free_at(agent, starts)
        if free > starts:
            starts, reason = free, reason or "capacity"
        self._work(agent, starts)
        return starts, reason

    def _at_work(self, recurs: Recurs, at: datetime) -> bool:
        over = self._over.get(recurs.routine.id)
        if over is None and recurs.at_work:
            ends = self._known.busy.get(recurs.agent.id) or ()
            over = max(ends, default=self._known.now + self._span(recurs.agent))
        return over is not None and over > at

    def _worth(self, recurs: Recurs) -> list[Answer]:
        """Of a light one: whether there is anything to do, and whether anything happened; a run
        that comes of something else until then is something."""
        if recurs.wake is None:
            return []
        wake, began = recurs.wake, self._began.get(recurs.routine.id)
        since = began or self._known.now
        acted = self._acted.get(recurs.routine.workspace_id, {})
        others = any(who != recurs.agent.id and at >= since for who, at in acted.items())
        if others or began is not None:
            wake = replace(wake, happened=others)
        return [idle.idle(wake), idle.probe(wake)]

    def _span(self, agent: Agent) -> timedelta:
        return self._known.spans.get(agent.id, UNKNOWN_SPAN)

    def _free_at(self, agent: Agent, at: datetime) -> datetime:
        ends = self._busy.setdefault(agent.id, [])
        return at if len(ends) < agent.max_concurrent_sessions else max(at, ends[0])

    def _work(self, agent: Agent, starts: datetime) -> None:
        """Each of its sessions has the end of its last run."""
        ends, end = self._busy.setdefault(agent.id, []), starts + self._span(agent)
        if len(ends) < agent.max_concurrent_sessions:
            heapq.heappush(ends, end)
        else:
            heapq.heapreplace(ends, end)


def may_run(recurs: Recurs) -> bool:
    """Whether any fire of it would come to a run while nothing changes."""
    worth = [] if recurs.wake is None else [idle.idle(recurs.wake), idle.probe(recurs.wake)]
    return all(_refused(one) is None for one in (admission.agent_status(recurs.agent), *worth))


def _refused(answer: Answer) -> str | None:
    match answer:
        case Finish(outcome):
            return str(outcome)
        case Cancel(reason):
            return reason
        case Hold(held_by):
            return held_by
        case _:
            assert isinstance(answer, Go)
            return None


def _unfit(routine: Routine, local: datetime) -> str | None:
    """Why nothing comes of a fire: what it needs of its variables."""
    if not routine.variables:
        return None
    found = resolve(declared_of(routine.variables), {}, local)
    if found.missing:
        return "variables_missing"
    return "variables_not_taken" if found.faults else None


OFTEN = 3
"""Times that are told each; what comes more often on a day in the same way is told as one."""


def folded(items: Sequence[Coming], zone: ZoneInfo | None) -> list[Coming]:
    """What comes again and again on one day in the same way as one, where the first of it is.
    zone: whose days; of each schedule its own, if none is named."""
    ways = [_way(one, zone or zones.zone(one.zone)) for one in items]
    alike: dict[tuple[object, ...], list[Coming]] = {}
    for way, one in zip(ways, items, strict=True):
        alike.setdefault(way, []).append(one)
    told: list[Coming] = []
    for way, one in zip(ways, items, strict=True):
        group = alike[way]
        if len(group) <= OFTEN or one.kind is not ComingKind.FIRE:
            told.append(one)
        elif one is group[0]:
            told.append(replace(one, times=len(group), last=group[-1].at))
    return told


def _way(one: Coming, zone: ZoneInfo) -> tuple[object, ...]:
    day = one.at.astimezone(zone).date()
    asleep = one.asleep is not None
    return (day, one.routine_id, one.wakeup_id, one.will_run, one.reason, asleep)

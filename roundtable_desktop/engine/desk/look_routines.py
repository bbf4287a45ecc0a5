"""What the faces may see of routines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import islice

from roundtable_desktop.engine import awake, explain_routines
from roundtable_desktop.engine.awake import Sleeps as Sleeps
from roundtable_desktop.engine.schedules import schedule_of
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Agent, Event, Subject
from roundtable_desktop.model.routines import Firing, Routine, Trigger
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.rules.catchup import Missed, summed
from roundtable_desktop.rules.cron import parse
from roundtable_desktop.rules.preview import Preview, Remark, preview
from roundtable_desktop.store import agents, events, firings, lists, routines
from roundtable_desktop.store.db import Reader, View

CHANGES = 50
MISSED = 50
"""Rows that are looked at to tell what was missed; each may stand for many instants."""


@dataclass(frozen=True, slots=True)
class Recurring:
    """A routine with its triggers, its newest firing and who is woken. words: by trigger.
    missed: the instants that were due since it last fired, and came to nothing."""

    routine: Routine
    agent: Agent
    triggers: Sequence[Trigger]
    last: Firing | None
    words: Mapping[str, str]
    missed: Missed | None = None

    @property
    def next_run_at(self) -> datetime | None:
        return min((one.next_run_at for one in self.triggers if one.next_run_at), default=None)

    @property
    def by_hand(self) -> bool:
        """Whether a person may run it now; a switched-off manual trigger says no."""
        return all(one.enabled for one in self.triggers if one.kind is TriggerKind.MANUAL)

    @property
    def by_webhook(self) -> bool:
        """Whether a webhook of it takes calls."""
        hooks = [one for one in self.triggers if one.kind is TriggerKind.WEBHOOK]
        return any(one.enabled and not one.secret_missing for one in hooks)

    @property
    def last_fired_at(self) -> datetime | None:
        return max((one.last_fired_at for one in self.triggers if one.last_fired_at), default=None)


@dataclass(frozen=True, slots=True)
class NextFire:
    """local: RFC 3339 in the zone of its trigger. words: for people."""

    at: datetime
    local: str
    words: str
    timezone: str
    trigger_id: str


class LookRoutines:
    """`ref` is an id or any unique end of it, at least 6 characters long."""

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def all(
        self,
        after: str | None,
        limit: int,
        workspace_id: str | None = None,
        over: bool | None = None,
    ) -> list[Recurring]:
        """Newest first. over: only those that are archived, or only the others."""
        with self._reader.snapshot() as view:
            found = routines.page(
                view, after=after, limit=limit, workspace_id=workspace_id, over=over
            )
            return _around(view, found, self._clock.now())

    def one(self, ref: str) -> Recurring:
        with self._reader.snapshot() as view:
            found = routines.present(view, ref) or lists.by_suffix(view, lists.ROUTINES, ref)
            if found is None or found.deleted_at is not None:
                raise Absent("unknown_routine")
            return _around(view, [found], self._clock.now())[0]

    def firings(self, routine: Routine, limit: int) -> list[Firing]:
        """Newest first."""
        with self._reader.snapshot() as view:
            return firings.of_routine(view, routine.id, limit)

    def changes(self, routine: Routine) -> list[Event]:
        """What was done with it, oldest first; each time that it fired is a firing."""
        with self._reader.snapshot() as view:
            subject = Subject("routine", routine.id)
            return events.of(view, subject, CHANGES, but=[Kind.ROUTINE_FIRED])

    def next_fires(self, seen: Recurring, count: int) -> list[NextFire]:
        """Of all its schedules together; none while it does not fire by time."""
        now = self._clock.now()
        each = [
            [_shown(at, seen, one) for at in _instants(seen.routine, one, now, count)]
            for one in seen.triggers
            if one.next_run_at is not None
        ]
        return list(islice(merge(*each, key=lambda fire: fire.at), count))

    def ahead(self, cron: str, zone: str, own_zone: str, count: int) -> Preview:
        """What a schedule means that nobody has saved: from now on. Raises Invalid (N-20)."""
        now = self._clock.now()
        seen = preview(cron, zone, own_zone, now, count)
        with self._reader.snapshot() as view:
            found = awake.sleeps(view, now, parse(cron), seen.zone)
        if found is None:
            return seen
        return replace(seen, remarks=(*seen.remarks, Remark(found.code, found.values)))

    def sleeps(self, seen: Recurring) -> dict[str, Sleeps]:
        """By the schedules that come when this program is usually asleep."""
        now, routine = self._clock.now(), seen.routine
        on = [one for one in seen.triggers if one.next_run_at is not None]
        schedules = {one.id: schedule_of(routine, one) for one in on}
        with self._reader.snapshot() as view:
            each = {
                key: awake.sleeps(view, now, one.cron, one.zone) for key, one in schedules.items()
            }
        return {key: found for key, found in each.items() if found is not None}

    def explain(self, seen: Recurring) -> Explanation:
        with self._reader.snapshot() as view:
            return explain_routines.of_routine(view, seen.routine, self._clock.now())


def _around(view: View, found: Sequence[Routine], now: datetime) -> list[Recurring]:
    triggers = routines.triggers_of(view, [one.id for one in found])
    return [
        _recurring(view, one, [_as_of(trigger, now) for trigger in triggers[one.id]])
        for one in found
    ]


def _as_of(trigger: Trigger, now: datetime) -> Trigger:
    """A secret of before that counts no more is not told of."""
    over = trigger.previous_until is not None and trigger.previous_until <= now
    return replace(trigger, previous_until=None) if over else trigger


def _recurring(view: View, routine: Routine, triggers: Sequence[Trigger]) -> Recurring:
    agent = agents.get(view, routine.assignee_agent_id)
    assert agent is not None, "foreign keys hold"
    words = {
        one.id: parse(one.cron_expression or "").words()
        for one in triggers
        if one.kind is TriggerKind.SCHEDULE
    }
    last = firings.last(view, routine.id)
    missed = firings.missed_lately(view, routine.id, MISSED) if firings.was_missed(last) else ()
    return Recurring(routine, agent, triggers, last, words, summed(missed))


def _instants(routine: Routine, trigger: Trigger, now: datetime, count: int) -> list[datetime]:
    """The stored one comes first: it may be due already, and fires then."""
    schedule = schedule_of(routine, trigger)
    assert trigger.next_run_at is not None
    following = schedule.cron.first(count - 1, max(now, trigger.next_run_at), schedule.zone)
    return [trigger.next_run_at, *following]


def _shown(at: datetime, seen: Recurring, trigger: Trigger) -> NextFire:
    zone = schedule_of(seen.routine, trigger).zone
    local = at.astimezone(zone)
    words = f"{local:%a %Y-%m-%d %H:%M} {zone.key}"
    return NextFire(at, local.isoformat(timespec="seconds"), words, zone.key, trigger.id)

"""What the faces may see of the days to come: what is due, what becomes of it, and at which hours
this program usually sleeps."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from roundtable_desktop.engine import agenda, awake
from roundtable_desktop.engine.desk.drafts import Draft
from roundtable_desktop.model.agenda import Agenda, Asleep, Coming, ComingKind, Difference
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.rules import asleep, difference, zones
from roundtable_desktop.rules.agenda import folded
from roundtable_desktop.rules.asleep import Seen
from roundtable_desktop.store.db import Reader

WEEK = timedelta(days=7)


class LookAgenda:
    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def ahead(
        self,
        span: timedelta,
        workspace: Workspace | None,
        *,
        each: bool = False,
        zone: str = "",
    ) -> Agenda:
        """From now on. each: also what comes again and again in the same way on one day. zone:
        whose days, else those of each schedule. Raises Invalid."""
        days = zones.zone(zone, pointer="/zone") if zone else None
        now = self._clock.now()
        with self._reader.snapshot() as view:
            where = workspace.id if workspace else None
            known, whole = agenda.ahead(view, now, now + span, where)
            seen = awake.seen(view, now)
        found = agenda.told(known, whole=whole)
        items = with_sleep(found.items, seen)
        return replace(found, items=items if each else folded(items, days))

    def difference(self, draft: Draft, span: timedelta = WEEK) -> Difference:
        """What its workspace's agents would do from now on, without and with it."""
        now, routine = self._clock.now(), draft.routine
        until = now + span
        with self._reader.snapshot() as view:
            before, after, stored = agenda.compared(view, now, until, routine, draft.triggers)
        whose = [stored.assignee_agent_id] if stored is not None else []
        who = list(dict.fromkeys([*whose, routine.assignee_agent_id]))
        was = difference.side(before, routine.id, who) if stored is not None else None
        return Difference(now, until, was, difference.side(after, routine.id, who))

    def soon(self) -> Coming | None:
        """The first run to come, of what is due next; None where none of that will run."""
        with self._reader.snapshot() as view:
            return agenda.soon(view, self._clock.now())


def with_sleep(items: Sequence[Coming], seen: Seen) -> list[Coming]:
    """Each with how often this program was asleep at its hour, where that is usual."""
    if seen.first is None:
        return list(items)
    known: dict[tuple[str, object], Asleep | None] = {}
    told = []
    for one in items:
        zone = zones.zone(one.zone)
        key = (one.zone, zones.wall(one.at, zone).timetz())
        if key not in known:
            found = asleep.at_hour(seen, one.at, zone)
            known[key] = found if asleep.usually(found) else None
        fires = one.kind is ComingKind.FIRE
        told.append(replace(one, asleep=known[key]) if fires and known[key] else one)
    return told

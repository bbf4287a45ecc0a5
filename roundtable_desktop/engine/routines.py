"""Fires what is due: each instant of a schedule once, however late, and then the next one."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from roundtable_desktop.engine import copied, routine_faults
from roundtable_desktop.engine.firing import AT_ONCE, Shot, all_missed, fire
from roundtable_desktop.engine.schedules import next_of, schedule_of
from roundtable_desktop.model.ports import Dice, Ids
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import ConcurrencyPolicy, FiringSource, RoutineStatus
from roundtable_desktop.rules.catchup import Plan, catch_up
from roundtable_desktop.store import routines
from roundtable_desktop.store.db import Store, Tx, View

log = logging.getLogger(__name__)

AT_A_TIME = 10
"""Triggers of one transaction: commits are most of the cost, and others want the lock too."""

A_COMMIT = 30
"""Firings of one transaction, but for those of its last trigger: an outage brings each many."""

A_TICK = 200
"""Firings of one tick; then what they woke is taken up, and the rest comes with the next one."""

LATE = timedelta(seconds=60)
"""What was due longer ago was missed: somebody was away, asleep or off (C-15)."""

STUMBLED = timedelta(seconds=60)
ASKED_AFTER = 3
"""Times in a row that a trigger raises before a person is asked."""
TOGETHER = 2
"""Runs that start at once after such a gap."""
SPREAD_FROM, SPREAD_TO = 10.0, 60.0


class Spread:
    """Staggers what a gap left behind: two at once, the next two after a while (C-15)."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._at: datetime | None = None
        self._used = 0

    def next(self, now: datetime) -> timedelta:
        if self._at is None or self._at < now:
            self._at, self._used = now, 0
        elif self._used == TOGETHER:
            pause = SPREAD_FROM + self._dice() * (SPREAD_TO - SPREAD_FROM)
            self._at, self._used = self._at + timedelta(seconds=pause), 0
        self._used += 1
        return self._at - now


@dataclass(frozen=True, slots=True)
class _Due:
    trigger: Trigger
    routine: Routine


class Routines:
    """Called by the loop before the claim."""

    def __init__(self, store: Store, ids: Ids, dice: Dice) -> None:
        self._store, self._ids = store, ids
        self._spread = Spread(dice)
        self._put_off: dict[str, datetime] = {}
        self._stumbled: dict[str, int] = {}

    def next_due(self, view: View) -> datetime | None:
        """When a trigger is to fire next, or to be tried again; in the past, what is left over."""
        dues = (routines.next_due(view, list(self._put_off)), *self._put_off.values())
        return min((due for due in dues if due is not None), default=None)

    def fire_due(self) -> None:
        """At most a tick's share. A trigger that raises waits alone; the others fire."""
        done = 0
        while done < A_TICK:
            due: Sequence[str] = ()
            taken, fired = AT_A_TIME, 0
            try:
                with self._store.transaction() as tx:
                    self._put_off = {one: at for one, at in self._put_off.items() if at > tx.now}
                    due = routines.due(tx, tx.now, AT_A_TIME, list(self._put_off))
                    taken, fired = self._fire(tx, due)
            except Exception:
                if not due:
                    raise  # no trigger is to blame; whoever ticks counts it
                log.exception("triggers stumbled")
                self._one_by_one(due)
            if taken == len(due) < AT_A_TIME:
                return
            done += max(taken, fired)

    def _fire(self, tx: Tx, due: Sequence[str]) -> tuple[int, int]:
        """(how many of the triggers had room in this transaction, their firings)."""
        fired = 0
        for number, trigger_id in enumerate(due):
            if fired >= A_COMMIT:
                return number, fired
            fired += self._fire_one(tx, trigger_id)
        return len(due), fired

    def _one_by_one(self, due: Sequence[str]) -> None:
        """Its instant stays as it is stored: what was due is not lost by waiting (W-36)."""
        for trigger_id in due:
            try:
                with self._store.transaction() as tx:
                    self._fire_one(tx, trigger_id)
            except Exception as error:
                log.exception("trigger put off trigger=%s", trigger_id)
                self._stumbled[trigger_id] = self._stumbled.get(trigger_id, 0) + 1
                with self._store.transaction() as tx:
                    self._put_off[trigger_id] = tx.now + STUMBLED
                    self._tell(tx, trigger_id, type(error).__name__)
            else:
                self._stumbled.pop(trigger_id, None)

    def _tell(self, tx: Tx, trigger_id: str, error: str) -> None:
        """The first time it is told; when it happens for the third time in a row a person is
        asked."""
        trigger = routines.trigger(tx, trigger_id)
        routine = routines.get(tx, trigger.routine_id) if trigger is not None else None
        if routine is None:
            return
        known = {"trigger_id": trigger_id, "error": error}
        times = self._stumbled[trigger_id]
        if times == 1:
            routines.tell_stumbled(tx, routine, known)
        if times >= ASKED_AFTER:
            routine_faults.ask(tx, self._ids, routine, routine_faults.STUMBLES, known)

    def _fire_one(self, tx: Tx, trigger_id: str) -> int:
        """The number of its firings. They and the next instant are one commit: a crash loses
        neither (W-36)."""
        trigger = routines.trigger(tx, trigger_id)
        if trigger is None or trigger.next_run_at is None or trigger.next_run_at > tx.now:
            return 0
        routine = routines.get(tx, trigger.routine_id)
        assert routine is not None, "foreign keys hold"
        if routine.status is not RoutineStatus.ACTIVE or not trigger.enabled:
            routines.advance(tx, trigger, None, fired=False)
            return 0
        if copied.waits(tx):  # this instant is the other home's
            routines.advance(tx, trigger, next_of(routine, trigger, tx.now), fired=False)
            return 0
        plan = catch_up(schedule_of(routine, trigger), trigger.next_run_at, tx.now)
        if routines.advance(tx, trigger, plan.next_run_at, fired=bool(plan.fires)):
            self._shoot(tx, _Due(trigger, routine), plan)
            routine_faults.fires_well(tx, routine, routine_faults.STUMBLES)
        return len(plan.fires)

    def _shoot(self, tx: Tx, due: _Due, plan: Plan) -> None:
        """Oldest first; what is told of missed ones is told by the first."""
        if not plan.fires and plan.left_out is not None:
            last = plan.left_out.last
            all_missed(tx, self._ids, self._shot(due, last, plan, first=True))
        own = due.routine.concurrency_policy is ConcurrencyPolicy.ALWAYS_ENQUEUE
        for number, at in enumerate(plan.fires):
            starts = own or number == 0  # else it joins the first, or is skipped for it
            late = starts and tx.now - at > LATE
            spread = self._spread.next(tx.now) if late else AT_ONCE
            fire(tx, self._ids, self._shot(due, at, plan, first=number == 0, spread=spread))

    def _shot(
        self, due: _Due, at: datetime, plan: Plan, *, first: bool, spread: timedelta = AT_ONCE
    ) -> Shot:
        return Shot(
            routine=due.routine,
            trigger=due.trigger,
            source=FiringSource.CRON,
            at=at,
            provided={},
            missed=plan.told if first else None,
            left_out=plan.left_out if first else None,
            spread=spread,
        )

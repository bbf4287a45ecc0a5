"""A routine's triggers with the instant at which each fires next."""

from dataclasses import asdict, replace
from datetime import datetime

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import RoutineStatus, TriggerKind
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.catchup import Schedule
from roundtable_desktop.rules.cron import parse
from roundtable_desktop.store import routines
from roundtable_desktop.store.db import Tx


def schedule_of(routine: Routine, trigger: Trigger) -> Schedule:
    """A stored trigger has a zone of its own, so that the machine's is none of its business."""
    return Schedule(
        parse(trigger.cron_expression or ""),
        zones.zone(trigger.timezone or ""),
        routine.catch_up_policy,
        routine.concurrency_policy,
        routine.catch_up_max,
    )


def next_of(routine: Routine, trigger: Trigger, now: datetime) -> datetime | None:
    """From now on: what lay before is not missed (C-41, B-030, B-031)."""
    if routine.status is not RoutineStatus.ACTIVE or not trigger.enabled:
        return None
    if trigger.cron_expression is None:
        return None
    schedule = schedule_of(routine, trigger)
    return schedule.cron.next(now, schedule.zone)


def add_trigger(
    tx: Tx,
    ids: Ids,
    routine: Routine,
    kind: TriggerKind,
    *,
    expression: str | None = None,
    zone: str | None = None,
    enabled: bool = True,
) -> Trigger:
    made = Trigger(
        id=ids.new(),
        routine_id=routine.id,
        kind=kind,
        cron_expression=expression,
        timezone=zone,
        next_run_at=None,
        last_fired_at=None,
        enabled=enabled,
    )
    return set_next(tx, routine, made)


def reckon_anew(tx: Tx, now: datetime) -> None:
    """Every schedule from another now on: a test clock was put there, before any work."""
    for trigger in routines.waiting(tx):
        routine = routines.get(tx, trigger.routine_id)
        assert routine is not None, "foreign keys hold"
        set_next(tx, routine, trigger, now)


def set_next(tx: Tx, routine: Routine, trigger: Trigger, now: datetime | None = None) -> Trigger:
    """Written as it is now, with its next instant reckoned from now."""
    made = replace(trigger, next_run_at=next_of(routine, trigger, now or tx.now))
    routines.put_trigger(tx, asdict(made))
    return made

"""One firing of a routine: its policy is judged, and a wakeup or a task comes of it (K-24)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from roundtable_desktop.engine import routine_faults, wakers
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Actor
from roundtable_desktop.model.routines import Firing, Routine, Template, Trigger
from roundtable_desktop.model.states import FiringSource, FiringStatus, Rank, Source, WakeupStatus
from roundtable_desktop.model.times import micros, rfc3339
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.catchup import Missed
from roundtable_desktop.rules.firing import Course, course, fingerprint, hash_of, title_line
from roundtable_desktop.rules.variables import Resolved, TooLong, declared_of, fill, resolve
from roundtable_desktop.store import firings, runs, settings, tasks, wakeups, workspaces
from roundtable_desktop.store.db import Tx

MINUTE = 60_000_000
AT_ONCE = timedelta(0)
WHY = {
    FiringSource.CRON: "scheduled",
    FiringSource.WEBHOOK: "fired_by_webhook",
    FiringSource.MANUAL: "fired_by_hand",
}
"""The reason of the wakeup that comes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """at: the scheduled instant, of any other one now. missed: what it is told of (C-40).
    left_out: the due instants that have no row of their own; this one's has their number.
    spread: how much later its run may start (C-15)."""

    routine: Routine
    trigger: Trigger
    source: FiringSource
    at: datetime
    provided: Mapping[str, object]
    actor: Actor = SYSTEM
    missed: Missed | None = None
    left_out: Missed | None = None
    spread: timedelta = AT_ONCE


def values_of(shot: Shot, otherwise: str) -> Resolved:
    """otherwise: the zone of a trigger that has none of its own."""
    zone = zones.zone(shot.trigger.timezone or "", otherwise)
    declared = declared_of(shot.routine.variables)
    return resolve(declared, shot.provided, shot.at.astimezone(zone))


def fire(tx: Tx, ids: Ids, shot: Shot) -> Firing:
    """Once for an instant of a trigger, whoever comes twice (C-07)."""
    known = firings.at_instant(tx, shot.trigger.id, shot.at)
    if known is not None:
        return known
    routine, firing_id = shot.routine, ids.new()
    workspace = workspaces.get(tx, routine.workspace_id)
    assert workspace is not None, "foreign keys hold"
    found = values_of(shot, workspace.timezone)
    values = {**found.values}
    told = _told(shot)
    template = routine.template
    texts = _filled(routine, template, found)
    row = {
        "id": firing_id,
        "workspace_id": routine.workspace_id,
        "routine_id": routine.id,
        "trigger_id": shot.trigger.id,
        "source": shot.source,
        "trigger_payload": values,
        "missed": told or None,
        "scheduled_at": shot.at,
        "dispatch_fingerprint": fingerprint(routine.assignee_agent_id, *texts),
    }
    policy = routine.concurrency_policy
    reason = _unfit(found, texts)
    _judged(tx, ids, shot, found, reason)
    if reason is not None:
        became: Mapping[str, object] = {"status": FiringStatus.FAILED, "reason": reason}
    elif (way := course(policy, at_work=firings.at_work(tx, routine.id))) is Course.SKIP:
        became = {"status": FiringStatus.SKIPPED, "reason": "still_at_work"}
    elif template is None:
        became = _light(tx, ids, shot, firing_id, values)
    elif way is Course.MERGE and (task_id := firings.task_at_work(tx, routine.id)) is not None:
        became = {
            "status": FiringStatus.COALESCED,
            "reason": "still_at_work",
            "linked_task_id": task_id,
            "coalesced_into_run_id": runs.lease_holder(tx, task_id),
        }
    else:
        title, description = texts
        became = _heavy(tx, ids, shot, title_line(title, routine.name), description)
    return firings.add(tx, shot.actor, **row, **became)


def _filled(routine: Routine, template: Template | None, found: Resolved) -> tuple[str, ...]:
    """None of them where one outgrows its limit."""
    declared = declared_of(routine.variables)
    texts = (routine.description,) if template is None else (template.title, template.description)
    try:
        return tuple(fill(text, found.values, declared) for text in texts)
    except TooLong:
        return ()


def _unfit(found: Resolved, texts: tuple[str, ...]) -> str | None:
    """Why nothing comes of it."""
    if found.missing:
        return routine_faults.MISSING
    if found.faults:
        return routine_faults.NOT_TAKEN
    return None if texts else routine_faults.TOO_LONG


def _judged(tx: Tx, ids: Ids, shot: Shot, found: Resolved, why: str | None) -> None:
    """By time nobody is there to be told, and a webhook's sender is no person; who fires it by hand
    is told at once."""
    if shot.source is FiringSource.MANUAL:
        return
    if why is None:
        return routine_faults.fires_well(tx, shot.routine, *routine_faults.UNFIT)
    names = ", ".join([*found.missing, *(fault.name for fault in found.faults)])
    routine_faults.ask(tx, ids, shot.routine, why, {"names": names})


def _light(
    tx: Tx, ids: Ids, shot: Shot, firing_id: str, values: Mapping[str, object]
) -> Mapping[str, object]:
    """A wake without a task; where one of this routine waits or runs, it is merged with that."""
    routine, scheduled = shot.routine, shot.source is FiringSource.CRON
    manual = shot.source is FiringSource.MANUAL
    instant = str(micros(shot.at) // MINUTE) if scheduled else firing_id
    cause = wakeups.Cause(
        workspace_id=routine.workspace_id,
        agent_id=routine.assignee_agent_id,
        source=Source.ROUTINE,
        reason=WHY[shot.source],
        payload=payload_of(shot, firing_id, values),
        key=f"routine:{routine.id}:{shot.trigger.id}:{instant}",
        rank=Rank.USER if manual else Rank.ROUTINE,
        actor=shot.actor,
    )
    made = wakeups.get(tx, wakers.wake(tx, ids.new(), cause, spread=shot.spread))
    assert made is not None
    if made.status is not WakeupStatus.COALESCED:
        return {"status": FiringStatus.RECEIVED, "wakeup_id": made.id}
    return {
        "status": FiringStatus.COALESCED,
        "reason": "still_at_work",
        "wakeup_id": made.id,
        "coalesced_into_run_id": made.run_id,
    }


def payload_of(shot: Shot, firing_id: str, values: Mapping[str, object]) -> dict[str, object]:
    payload: dict[str, object] = {
        "routine_id": shot.routine.id,
        "firing_id": firing_id,
        "variables": dict(values),
    }
    return payload | _missed_ticks(shot)


def _missed_ticks(shot: Shot) -> dict[str, object]:
    """What the agent is told of it, however it is woken (C-40)."""
    if (missed := shot.missed) is None:
        return {}
    first, last = micros(missed.first), micros(missed.last)
    return {"missed_ticks": {"count": missed.count, "first": first, "last": last}}


def _heavy(tx: Tx, ids: Ids, shot: Shot, title: str, description: str) -> Mapping[str, object]:
    """A fresh task, and then nothing else than the assignment of any other (K-19)."""
    routine = shot.routine
    workspace = workspaces.get(tx, routine.workspace_id)
    assert workspace is not None, "foreign keys hold"
    task = tasks.add(
        tx,
        shot.actor,
        id=ids.new(),
        workspace_id=workspace.id,
        number=workspaces.next_task_number(tx, workspace.id),
        title=title,
        description=description,
        base_branch=workspace.base_branch,
        delivery=workspace.delivery,
        routine_id=routine.id,
        workspace_strategy=settings.strategy_of(tx, workspace.id),
    )
    assigned = tasks.assign(tx, task, routine.assignee_agent_id, shot.actor)
    assignment = wakers.assignment(assigned, routine.assignee_agent_id, shot.actor)
    cause = replace(assignment, payload={**assignment.payload, **_missed_ticks(shot)})
    wakeup_id = wakers.wake(tx, ids.new(), cause, spread=shot.spread)
    return {
        "status": FiringStatus.TASK_CREATED,
        "linked_task_id": task.id,
        "wakeup_id": wakeup_id,
        "unfilled": _unfilled(shot, title, description),
    }


def _unfilled(shot: Shot, title: str, description: str) -> dict[str, object] | None:
    """What a stranger sent is told to the agent apart from what the developer wrote (S-56)."""
    template = shot.routine.template
    if shot.source is not FiringSource.WEBHOOK or template is None:
        return None
    made = [hash_of(title), hash_of(description)]
    return {"title": template.title, "description": template.description, "made": made}


def _told(shot: Shot) -> dict[str, object]:
    told = _span(shot.missed) if shot.missed else {}
    if shot.left_out:
        told["left_out"] = _span(shot.left_out)
    return told


def _span(missed: Missed) -> dict[str, object]:
    return {
        "count": missed.count,
        "first": rfc3339(missed.first),
        "last": rfc3339(missed.last),
    }


def all_missed(tx: Tx, ids: Ids, shot: Shot) -> Firing:
    """Nothing of what was due fires any more: one row says so (C-39)."""
    known = firings.at_instant(tx, shot.trigger.id, shot.at)
    return known or firings.add(
        tx,
        SYSTEM,
        id=ids.new(),
        workspace_id=shot.routine.workspace_id,
        routine_id=shot.routine.id,
        trigger_id=shot.trigger.id,
        source=shot.source,
        status=FiringStatus.SKIPPED,
        reason=firings.MISSED,
        missed=_told(shot),
        scheduled_at=shot.at,
        dispatch_fingerprint=fingerprint(shot.routine.assignee_agent_id),
    )

"""Routines and their triggers; which of them are due, and when the next one is."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Run, Subject
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import (
    ROUTINE,
    ConcurrencyPolicy,
    RoutineStatus,
    RunOutcome,
    RunStatus,
)
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.routine_tables import Routines, Triggers
from roundtable_desktop.store.rows import by_id

SUCCEEDED = (RunOutcome.DONE, RunOutcome.NO_CHANGES)
"""How a run of a routine ends well."""

_DUE = """
SELECT t.id FROM office_routine_triggers AS t JOIN office_routines AS r ON r.id = t.routine_id
WHERE t.next_run_at IS NOT NULL AND t.next_run_at <= :now
AND t.id NOT IN (SELECT value FROM json_each(:but))
ORDER BY r.priority, t.next_run_at, t.id LIMIT :most
"""

_NEXT = """
SELECT min(next_run_at) AS due FROM office_routine_triggers
WHERE next_run_at IS NOT NULL AND id NOT IN (SELECT value FROM json_each(:but))
"""

_BY_HAND = """
SELECT r.id FROM office_routines AS r
WHERE r.deleted_at IS NULL AND r.status = 'active' AND NOT EXISTS (
    SELECT 1 FROM office_routine_triggers AS t
    WHERE t.routine_id = r.id AND t.kind = 'manual' AND NOT t.enabled
) ORDER BY (
    SELECT max(t.last_fired_at) FROM office_routine_triggers AS t WHERE t.routine_id = r.id
) DESC, r.id DESC LIMIT :most
"""

_OF_RUN = "coalesce((SELECT routine_id FROM tasks WHERE id = :task_id), :routine_id)"
_STARTED = f"UPDATE office_routines SET last_started_at = :now WHERE id = {_OF_RUN}"
_SUCCEEDED = f"UPDATE office_routines SET last_succeeded_at = :now WHERE id = {_OF_RUN}"


def get(view: View, routine_id: str) -> Routine | None:
    """Also one that was removed: its firings and wakeups still name it."""
    return by_id(view, Routine, Routines, routine_id)


def present(view: View, routine_id: str) -> Routine | None:
    here = (Routines.id == routine_id) & Routines.deleted_at.is_null()
    return view.one(Routine, Routines.select().where(here))


def of_agent(view: View, agent_id: str) -> list[Routine]:
    here = (Routines.assignee_agent_id == agent_id) & Routines.deleted_at.is_null()
    return view.all(Routine, Routines.select().where(here).order_by(Routines.id))


def named(view: View, workspace_id: str, name: str) -> Routine | None:
    """The one that may be called so there; an archived or removed one leaves its name free."""
    here = (
        (Routines.workspace_id == workspace_id)
        & (Routines.name == name)
        & (Routines.status != RoutineStatus.ARCHIVED)
        & Routines.deleted_at.is_null()
    )
    return view.one(Routine, Routines.select().where(here).limit(1))


def page(
    view: View,
    *,
    after: str | None,
    limit: int,
    workspace_id: str | None = None,
    over: bool | None = None,
) -> list[Routine]:
    """Newest first; those that were removed are not there any more. over: whether archived."""
    query = Routines.select().where(Routines.deleted_at.is_null())
    if over is not None:
        archived = Routines.status == RoutineStatus.ARCHIVED
        query = query.where(archived if over else ~archived)
    if workspace_id is not None:
        query = query.where(Routines.workspace_id == workspace_id)
    if after is not None:
        query = query.where(Routines.id < after)
    return view.all(Routine, query.order_by(Routines.id.desc()).limit(limit))


def ids_of(view: View, workspace_id: str) -> list[str]:
    """Of all, removed ones too."""
    text = "SELECT id FROM office_routines WHERE workspace_id = ? ORDER BY id"
    return [str(row["id"]) for row in view.sql(text, (workspace_id,))]


def triggers_of(view: View, routine_ids: Sequence[str]) -> dict[str, list[Trigger]]:
    """By routine, oldest first."""
    found: dict[str, list[Trigger]] = {one: [] for one in routine_ids}
    query = Triggers.select().where(Triggers.routine_id.in_(list(routine_ids)))
    for trigger in view.all(Trigger, query.order_by(Triggers.id)):
        found[trigger.routine_id].append(trigger)
    return found


def trigger(view: View, trigger_id: str) -> Trigger | None:
    return by_id(view, Trigger, Triggers, trigger_id)


def add(tx: Tx, actor: Actor, **values: Any) -> Routine:
    values = {"status": RoutineStatus.ACTIVE, **values}
    tx.write(Routines.insert(created_at=tx.now, updated_at=tx.now, **values))
    routine = get(tx, values["id"])
    assert routine is not None
    _tell(tx, routine, Kind.ROUTINE_ADDED, actor, {"name": routine.name})
    return routine


def change(tx: Tx, routine: Routine, actor: Actor, told: Sequence[str], **values: Any) -> Routine:
    """told: the names of what was changed."""
    tx.write(
        Routines.update(revision=Routines.revision + 1, updated_at=tx.now, **values).where(
            Routines.id == routine.id
        )
    )
    changed = get(tx, routine.id)
    assert changed is not None
    data = {"name": changed.name, "changed": sorted(told)}
    _tell(tx, changed, Kind.ROUTINE_CHANGED, actor, data)
    return changed


def move(tx: Tx, routine: Routine, to: RoutineStatus, actor: Actor) -> bool:
    data = {"name": routine.name}
    return journal.move(
        tx, ROUTINE, routine, to=to, kind=Kind.ROUTINE_MOVED, actor=actor, data=data
    )


def remove(tx: Tx, routine: Routine, actor: Actor) -> None:
    """It is gone for everybody; the row stays, for what it did is never pruned (K-66)."""
    if ROUTINE.allows(routine.status, RoutineStatus.ARCHIVED):
        move(tx, routine, RoutineStatus.ARCHIVED, actor)
    tx.write(
        Routines.update(revision=Routines.revision + 1, updated_at=tx.now, deleted_at=tx.now).where(
            Routines.id == routine.id
        )
    )
    _tell(tx, routine, Kind.ROUTINE_REMOVED, actor, {"name": routine.name})


def put_trigger(tx: Tx, trigger: Mapping[str, Any]) -> None:
    """Writes it as it is now, whether it was there or not."""
    tx.write(Triggers.replace(**trigger))
    tx.nudge("queue")


def drop_triggers(tx: Tx, trigger_ids: Sequence[str]) -> None:
    tx.write(Triggers.delete().where(Triggers.id.in_(list(trigger_ids))))


def due(view: View, now: datetime, most: int, but: Sequence[str] = ()) -> list[str]:
    """Triggers whose instant has come. `next_run_at` is only there where something may fire."""
    words = {"now": micros(now), "most": most, "but": json.dumps(list(but))}
    return [str(row["id"]) for row in view.sql(_DUE, words)]


def waiting(view: View) -> list[Trigger]:
    """Triggers that have a next instant."""
    return view.all(Trigger, Triggers.select().where(Triggers.next_run_at.is_null(False)))


def next_due(view: View, but: Sequence[str] = ()) -> datetime | None:
    due = view.sql(_NEXT, {"but": json.dumps(list(but))})[0]["due"]
    return None if due is None else instant(due)


def by_hand(view: View, most: int) -> list[Routine]:
    """Those that a person may run now; those that fired last come first."""
    found = [get(view, row["id"]) for row in view.sql(_BY_HAND, {"most": most})]
    return [one for one in found if one is not None]


def advance(tx: Tx, trigger: Trigger, to: datetime | None, *, fired: bool) -> bool:
    """In the transaction of its firings. False when somebody was faster (K-20)."""
    assert trigger.next_run_at is not None
    here: pw.Expression = (Triggers.id == trigger.id) & (
        Triggers.next_run_at == trigger.next_run_at
    )
    values: dict[str, Any] = {"next_run_at": to}
    if fired:
        values["last_fired_at"] = tx.now
    return tx.write(Triggers.update(**values).where(here)) == 1


def touch_fired(tx: Tx, trigger_id: str) -> None:
    tx.write(Triggers.update(last_fired_at=tx.now).where(Triggers.id == trigger_id))


def never_merges(view: View, payload: Mapping[str, object]) -> bool:
    """Whether each wake of this routine is a run of its own (C-16)."""
    policy = view.value(
        Routines.select(Routines.concurrency_policy).where(
            Routines.id == str(payload.get("routine_id"))
        )
    )
    return bool(policy == ConcurrencyPolicy.ALWAYS_ENQUEUE)


def started(tx: Tx, run: Run) -> None:
    """The runner said hello: something really runs (N-02)."""
    tx.write_sql(_STARTED, _of_run(tx, run))


def ended(tx: Tx, run: Run, status: RunStatus, outcome: RunOutcome) -> None:
    if status is RunStatus.FINISHED and outcome in SUCCEEDED:
        tx.write_sql(_SUCCEEDED, _of_run(tx, run))


def _of_run(tx: Tx, run: Run) -> Json:
    routine_id = run.payload.get("routine_id")
    return {"now": micros(tx.now), "task_id": run.task_id, "routine_id": routine_id}


def tell_stumbled(tx: Tx, routine: Routine, known: Json) -> None:
    """Firing it raised; it is put off."""
    _tell(tx, routine, Kind.ROUTINE_STUMBLED, SYSTEM, known)


def _tell(tx: Tx, routine: Routine, kind: Kind, actor: Actor, data: Json) -> None:
    journal.tell(
        tx,
        kind,
        Subject("routine", routine.id),
        workspace_id=routine.workspace_id,
        actor=actor,
        data=data,
    )

"""Turns: asked for, given one at a time, taken, and over; each move with its event (R-17)."""

from datetime import datetime
from typing import Any

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Run, Subject
from roundtable_desktop.model.turns import TURN, Turn, TurnStatus
from roundtable_desktop.store import events, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Leases
from roundtable_desktop.store.turn_tables import Turns

LEASE = "turn"

# As the index says it; by SQL text, since each tick of the loop asks.
_OPEN = "SELECT * FROM turns WHERE status IN ('requested', 'scheduled', 'started')"
_EVERY = f"{_OPEN} ORDER BY request_event"
_HERE = f"{_OPEN} AND scope = ? ORDER BY request_event"


def get(view: View, turn_id: str) -> Turn | None:
    return view.one(Turn, Turns.select().where(Turns.id == turn_id))


def every_open(view: View) -> list[Turn]:
    """The first that was asked for comes first."""
    return [read(Turn, Turns, row) for row in view.sql(_EVERY)]


def open_in(view: View, scope: str) -> list[Turn]:
    """In a mission, or in a workspace outside of missions: first come, first."""
    return [read(Turn, Turns, row) for row in view.sql(_HERE, (scope,))]


def asked_since(view: View, agent_id: str, since: datetime) -> int:
    """How many the agent has asked for since then."""
    here = (Turns.agent_id == agent_id) & (Turns.created_at > since)
    found: int = view.value(Turns.select(pw.fn.COUNT(Turns.id)).where(here))
    return found


def request(tx: Tx, run: Run, **values: Any) -> Turn:
    """values: id, scope, mission_id, reason."""
    where, who = run.workspace_id, Actor("agent", run.agent_id)
    data = {"agent_id": run.agent_id, "task_id": run.task_id, "run_id": run.id}
    subject = Subject("turn", values["id"])
    journal.tell(tx, Kind.TURN_REQUESTED, subject, workspace_id=where, actor=who, data=data)
    tx.write(
        Turns.insert(
            workspace_id=where,
            agent_id=run.agent_id,
            task_id=run.task_id,
            asked_in=run.id,
            request_event=events.last_id(tx),
            status=TurnStatus.REQUESTED,
            created_at=tx.now,
            **values,
        )
    )
    return _now(tx, values["id"])


def schedule(tx: Tx, turn: Turn) -> Turn:
    to, kind = TurnStatus.SCHEDULED, Kind.TURN_SCHEDULED
    _move(tx, turn, to, kind, scheduled_at=tx.now, tries=turn.tries + 1, wakeup_id=None)
    return _now(tx, turn.id)


def woken_by(tx: Tx, turn: Turn, wakeup_id: str) -> None:
    """Who was given it is woken; the time in which it is to be taken begins anew."""
    here = (Turns.id == turn.id) & (Turns.status == TurnStatus.SCHEDULED)
    tx.write(Turns.update(wakeup_id=wakeup_id, scheduled_at=tx.now).where(here))


def start(tx: Tx, turn: Turn, run: Run) -> Turn:
    """A lease with the run that takes it: it ends with that run, never by age."""
    who = Actor("agent", run.agent_id)
    to, kind = TurnStatus.STARTED, Kind.TURN_STARTED
    _move(tx, turn, to, kind, who, run_id=run.id, started_at=tx.now)
    tx.write(Leases.insert(kind=LEASE, key=turn.scope, run_id=run.id, created_at=tx.now))
    return _now(tx, turn.id)


def complete(tx: Tx, turn: Turn, outcome: str, actor: Actor = SYSTEM) -> None:
    to, kind = TurnStatus.COMPLETED, Kind.TURN_COMPLETED
    _move(tx, turn, to, kind, actor, {"outcome": outcome}, outcome=outcome, ended_at=tx.now)
    _give_back(tx, turn)


def ask_again(tx: Tx, turn: Turn, reason: str, *, missed: bool = False) -> None:
    """It gives way: asked for anew, behind all that wait."""
    to, kind = TurnStatus.REQUESTED, Kind.TURN_REQUESTED
    fresh: dict[str, Any] = {
        "run_id": None,
        "started_at": None,
        "scheduled_at": None,
        "overdue_at": None,
    }
    misses = turn.misses + missed
    if _move(tx, turn, to, kind, data={"reason": reason}, misses=misses, **fresh):
        newest = {"request_event": events.last_id(tx)}
        tx.write(Turns.update(**newest).where(Turns.id == turn.id))
    _give_back(tx, turn)


def lapse(tx: Tx, turn: Turn, reason: str) -> None:
    to, kind = TurnStatus.LAPSED, Kind.TURN_LAPSED
    _move(tx, turn, to, kind, data={"reason": reason}, outcome=reason, ended_at=tx.now)
    _give_back(tx, turn)


def tell_overdue(tx: Tx, turn: Turn) -> None:
    tx.write(Turns.update(overdue_at=tx.now).where(Turns.id == turn.id))
    data = {"agent_id": turn.agent_id, "task_id": turn.task_id, "run_id": turn.run_id}
    subject, where = Subject("turn", turn.id), turn.workspace_id
    journal.tell(tx, Kind.TURN_OVERDUE, subject, workspace_id=where, data=data)


def _move(
    tx: Tx,
    turn: Turn,
    to: TurnStatus,
    kind: Kind,
    actor: Actor = SYSTEM,
    data: Json | None = None,
    **values: Any,
) -> bool:
    told = {"agent_id": turn.agent_id, "task_id": turn.task_id, **(data or {})}
    return journal.move(tx, TURN, turn, to=to, kind=kind, actor=actor, data=told, **values)


def _give_back(tx: Tx, turn: Turn) -> None:
    here = (Leases.kind == LEASE) & (Leases.key == turn.scope) & (Leases.run_id == turn.run_id)
    if turn.run_id is not None:
        tx.write(Leases.delete().where(here))


def _now(view: View, turn_id: str) -> Turn:
    found = get(view, turn_id)
    assert found is not None
    return found

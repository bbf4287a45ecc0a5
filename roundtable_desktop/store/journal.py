"""The one door for a change of state, and the events that tell of it (laws 1 and 9)."""

from typing import Any

from roundtable_desktop.model.checks import CHECK
from roundtable_desktop.model.errors import Illegal
from roundtable_desktop.model.gates import GATE, VERDICT
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.merged_reviews import MERGED_REVIEW
from roundtable_desktop.model.merges import OFFER
from roundtable_desktop.model.missions import MISSION, PHASE
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject
from roundtable_desktop.model.states import (
    AGENT,
    APPROVAL,
    DELIVERY,
    FIRING,
    INBOX,
    PROPOSAL,
    ROUTINE,
    RUN,
    TASK,
    WAKEUP,
    Machine,
)
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.turns import TURN
from roundtable_desktop.store import tables
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.fields import Table, as_json
from roundtable_desktop.store.gate_tables import Gates, Verdicts
from roundtable_desktop.store.merge_tables import Checks, MissionOffers
from roundtable_desktop.store.mission_tables import Missions
from roundtable_desktop.store.review_tables import MissionReviews
from roundtable_desktop.store.routine_tables import Firings, Routines
from roundtable_desktop.store.turn_tables import Turns

_TABLES: dict[str, type[Table]] = {
    WAKEUP.name: tables.Wakeups,
    RUN.name: tables.Runs,
    TASK.name: tables.Tasks,
    AGENT.name: tables.Agents,
    PROPOSAL.name: tables.Proposals,
    DELIVERY.name: tables.Deliveries,
    APPROVAL.name: tables.Approvals,
    INBOX.name: tables.InboxItems,
    ROUTINE.name: Routines,
    FIRING.name: Firings,
    GATE.name: Gates,
    VERDICT.name: Verdicts,
    MISSION.name: Missions,
    OFFER.name: MissionOffers,
    CHECK.name: Checks,
    PHASE.name: Missions,
    MERGED_REVIEW.name: MissionReviews,
    TURN.name: Turns,
}


# SQL text: every decision writes one, and peewee's builder would be half of its cost.
_TELL = """
INSERT INTO events
    (at, kind, actor_type, actor_id, workspace_id, subject_type, subject_id, data)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""


def tell(
    tx: Tx,
    kind: Kind,
    subject: Subject,
    *,
    workspace_id: str | None,
    actor: Actor = SYSTEM,
    data: Json | None = None,
) -> None:
    """Appends one event; it commits with the change that it tells of."""
    told = as_json(dict(data)) if data else "{}"
    who = (actor.type, actor.id, workspace_id)
    tx.write_sql(_TELL, (micros(tx.now), kind, *who, subject.type, subject.id, told))
    tx.nudge("events")


def _update(
    tx: Tx, table: type[Table], id: str, column: str, source: str, values: dict[str, Any]
) -> int:
    """As SQL text: every decision is such a move, and peewee's builder would be half its cost."""
    fields = table._meta.fields
    more = ""
    if "revision" in fields:
        more, values = ", revision = revision + 1", {**values, "updated_at": tx.now}
    columns = ", ".join(f"{fields[name].column_name} = ?" for name in values)
    given = [fields[name].db_value(value) for name, value in values.items()]
    text = f"UPDATE {table._meta.table_name} SET {columns}{more} WHERE id = ? AND {column} = ?"
    return tx.write_sql(text, (*given, id, source))


def move(
    tx: Tx,
    machine: Machine,
    row: Any,
    *,
    to: str,
    kind: Kind,
    actor: Actor = SYSTEM,
    data: Json | None = None,
    expect: str | None = None,
    **values: Any,
) -> bool:
    """Moves `row` (a record with id, workspace_id and the machine's column) from `expect`, what
    that was when it was read.

    Raises Illegal for a move that the machine does not have. False, and nothing written, when
    somebody was faster.
    """
    column = machine.column
    source = getattr(row, column) if expect is None else expect
    if not machine.allows(source, to):
        raise Illegal("illegal_move", machine=machine.name, expect=str(source), to=str(to))
    table, given = _TABLES[machine.name], {column: to, **values}
    if _update(tx, table, row.id, column, str(source), given) != 1:
        return False
    tell(
        tx,
        kind,
        Subject(machine.name, row.id),
        workspace_id=row.workspace_id,
        actor=actor,
        data={"from": str(source), "to": str(to), **(data or {})},
    )
    return True

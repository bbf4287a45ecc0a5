"""Webhooks: whose address that is, and what was delivered there, so that each counts once."""

from datetime import timedelta
from typing import Any

from roundtable_desktop.model.routines import Trigger
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.webhooks import Delivery
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.routine_tables import Routines, Triggers
from roundtable_desktop.store.webhook_tables import WebhookDeliveries as Deliveries

LIFE = timedelta(days=30)
"""For which a delivery is remembered (C-68)."""
PAYLOADS = 20
"""Of each trigger; an older delivery keeps its row and loses its body."""

_FORGET_PAYLOADS = """
UPDATE webhook_deliveries SET payload = NULL
WHERE trigger_id = :trigger_id AND payload IS NOT NULL AND id NOT IN (
    SELECT id FROM webhook_deliveries
    WHERE trigger_id = :trigger_id AND payload IS NOT NULL ORDER BY id DESC LIMIT :most
)
"""
_DROP_OLD = """
DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE at <= :since AND last_at <= :since
    ORDER BY at LIMIT :most
)
"""


def at_address(view: View, public_id: str) -> Trigger | None:
    """Of a routine that is there: one that was removed leaves its address to nobody."""
    here = Triggers.public_id.is_null(False) & (Triggers.public_id == public_id)
    return view.one(Trigger, Triggers.select().where(here & Triggers.routine_id.in_(_present())))


def every(view: View) -> list[Trigger]:
    """All triggers that are webhooks of a routine that is there."""
    here = Triggers.public_id.is_null(False) & Triggers.routine_id.in_(_present())
    return view.all(Trigger, Triggers.select().where(here).order_by(Triggers.id))


def _present() -> Any:
    return Routines.select(Routines.id).where(Routines.deleted_at.is_null())


def known(
    view: View, trigger_id: str, delivery_id: str | None, signed_hash: str | None
) -> Delivery | None:
    """The one that fired before: of that name, or of what was signed (S-48)."""
    here = _alike(trigger_id, delivery_id, signed_hash)
    if here is None:
        return None
    query = Deliveries.select().where(here & Deliveries.firing_id.is_null(False))
    return view.one(Delivery, query.order_by(Deliveries.id).limit(1))


def came_again(tx: Tx, delivery: Delivery) -> None:
    more = {"repeats": Deliveries.repeats + 1, "last_at": tx.now}
    tx.write(Deliveries.update(more).where(Deliveries.id == delivery.id))


def remember(tx: Tx, **values: Any) -> None:
    """In the transaction of what came of it. One like it that fired nothing gives its place: that
    sender tries again."""
    here = _alike(values["trigger_id"], values["delivery_id"], values["signed_hash"])
    if here is not None:
        tx.write(Deliveries.delete().where(here & Deliveries.firing_id.is_null()))
    tx.write(Deliveries.insert(at=tx.now, last_at=tx.now, **values))
    if values["payload"] is not None:
        words = {"trigger_id": values["trigger_id"], "most": PAYLOADS}
        tx.write_sql(_FORGET_PAYLOADS, words)


def of_routine(
    view: View, routine_id: str, *, after: str | None = None, limit: int
) -> list[Delivery]:
    """Newest first."""
    query = Deliveries.select().where(Deliveries.routine_id == routine_id)
    if after is not None:
        query = query.where(Deliveries.id < after)
    return view.all(Delivery, query.order_by(Deliveries.id.desc()).limit(limit))


def drop_old(tx: Tx, most: int) -> int:
    """Takes those away that count no more; how many."""
    return tx.write_sql(_DROP_OLD, {"since": micros(tx.now - LIFE), "most": most})


def say_missing(tx: Tx, trigger: Trigger, missing: bool) -> None:
    """Whether the secret that it needs is not there."""
    here = Triggers.id == trigger.id
    tx.write(Triggers.update(secret_missing=missing).where(here))


def _alike(trigger_id: str, delivery_id: str | None, signed_hash: str | None) -> Any:
    same = None
    if delivery_id is not None:
        same = Deliveries.delivery_id == delivery_id
    if signed_hash is not None:
        signed = Deliveries.signed_hash == signed_hash
        same = signed if same is None else same | signed
    return None if same is None else (Deliveries.trigger_id == trigger_id) & same

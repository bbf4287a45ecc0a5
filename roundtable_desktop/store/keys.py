"""Idempotency keys: a request that was done is not done again (W-30)."""

from datetime import timedelta

from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Actor, Subject
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.tables import IdempotencyKeys

LIFE = timedelta(hours=24)


def done_before(tx: Tx, actor: Actor, key: str, fingerprint: str) -> Subject | None:
    """What the same request made within 24 h; raises Conflict when the key meant another one."""
    tx.write(IdempotencyKeys.delete().where(IdempotencyKeys.created_at <= tx.now - LIFE))
    rows = tx.sql(
        "SELECT fingerprint, subject_type, subject_id FROM idempotency_keys "
        "WHERE actor = ? AND key = ?",
        (f"{actor.type}:{actor.id}", key),
    )
    if not rows:
        return None
    if rows[0]["fingerprint"] != fingerprint:
        raise Conflict("key_reused")
    return Subject(rows[0]["subject_type"], rows[0]["subject_id"])


def remember(tx: Tx, actor: Actor, key: str, fingerprint: str, made: Subject) -> None:
    """In the transaction of the act itself: both or neither."""
    tx.write(
        IdempotencyKeys.insert(
            actor=f"{actor.type}:{actor.id}",
            key=key,
            fingerprint=fingerprint,
            subject_type=made.type,
            subject_id=made.id,
            created_at=tx.now,
        )
    )

"""Idempotency keys: what was done is not done again while its key counts (W-30, K-10)."""

from datetime import timedelta

from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Actor, Subject
from roundtable_desktop.model.times import micros
from roundtable_desktop.store.db import Tx
from roundtable_desktop.store.tables import IdempotencyKeys

LIFE = timedelta(hours=24)

# A wakeup that is not over keeps its key: its event must not make another one beside it.
_DROP_OF_WAKEUPS = """
UPDATE agent_wakeup_requests SET idempotency_key = NULL WHERE id IN (
    SELECT id FROM agent_wakeup_requests
    WHERE idempotency_key IS NOT NULL AND finished_at IS NOT NULL
    AND substr(idempotency_key, 1, 7) <> 'resume:'
    AND finished_at <= :since AND requested_at <= :since
    ORDER BY finished_at LIMIT :most
)
"""
_DROP_OLD = """
DELETE FROM idempotency_keys WHERE rowid IN (
    SELECT rowid FROM idempotency_keys WHERE created_at <= :since LIMIT :most
)
"""


def done_before(tx: Tx, actor: Actor, key: str, fingerprint: str) -> Subject | None:
    """What the same request made within 24 h; raises Conflict when the key meant another one."""
    rows = tx.sql(
        "SELECT fingerprint, subject_type, subject_id FROM idempotency_keys "
        "WHERE actor = ? AND key = ? AND created_at > ?",
        (f"{actor.type}:{actor.id}", key, micros(tx.now - LIFE)),
    )
    if not rows:
        return None
    if rows[0]["fingerprint"] != fingerprint:
        raise Conflict("key_reused")
    return Subject(rows[0]["subject_type"], rows[0]["subject_id"])


def drop_of_wakeups(tx: Tx, most: int) -> int:
    """Takes keys that count no more from wakeups that are over (C-06); how many."""
    return tx.write_sql(_DROP_OF_WAKEUPS, {"since": micros(tx.now - LIFE), "most": most})


def drop_old(tx: Tx, most: int) -> int:
    """Those of requests, likewise."""
    return tx.write_sql(_DROP_OLD, {"since": micros(tx.now - LIFE), "most": most})


def remember(tx: Tx, actor: Actor, key: str, fingerprint: str, made: Subject) -> None:
    """In the transaction of the act itself: both or neither. It takes the place of one that
    counts no more and is not taken away yet."""
    tx.write(
        IdempotencyKeys.replace(
            actor=f"{actor.type}:{actor.id}",
            key=key,
            fingerprint=fingerprint,
            subject_type=made.type,
            subject_id=made.id,
            created_at=tx.now,
        )
    )

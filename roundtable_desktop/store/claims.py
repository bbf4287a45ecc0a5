"""Who is next: the claim, and what makes those that wait ready for it."""

from datetime import datetime, timedelta

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject, Wakeup
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import holds, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Wakeups

LONG = timedelta(minutes=15)
"""After so long a wait the highest class, so that nobody is passed by for ever."""

# An agent's first waiting wakeup: of all, or of those that a person asked for.
_FIRST = """
SELECT q.id FROM agent_wakeup_requests AS q
WHERE q.agent_id = {agent} AND q.status = 'queued' AND q.scheduled_retry_at IS NULL {more}
ORDER BY q.rank, q.requested_at, q.id LIMIT 1
"""
_PERSONS = "AND q.source = 'user'"

# Agents first: for each agent that may launch, or whose wakeups are settled without launching
# (C-49), its first waiting wakeup; of those the first. A claimed wakeup has at most one live
# run, so counting claimed rows counts the agent's sessions. What a person asked for does not wait
# for the cooldown (C-53); an account that is held lets its trial through, or the next in turn.
_CLAIM = f"""
UPDATE agent_wakeup_requests SET status = 'claimed', claimed_at = :now, held_by = NULL
WHERE status = 'queued' AND id = (
    SELECT w.id
    FROM agents AS a JOIN agent_wakeup_requests AS w ON w.id = CASE
        WHEN a.status <> 'active' OR a.last_wakeup_finished_at IS NULL
            OR a.last_wakeup_finished_at + a.cooldown_sec * 1000000 <= :now
        THEN ({_FIRST.format(agent="a.id", more="")})
        ELSE ({_FIRST.format(agent="a.id", more=_PERSONS)})
    END
    WHERE a.status <> 'active' OR (
        (
            SELECT count(*) FROM agent_wakeup_requests AS c
            WHERE c.agent_id = a.id AND c.status = 'claimed'
        ) < a.max_concurrent_sessions
        AND (
            NOT EXISTS (SELECT 1 FROM provider_holds)  -- asked once, and mostly so
            OR NOT EXISTS (
                SELECT 1 FROM provider_holds AS h
                WHERE h.account = a.account AND h.agent_id IN ('', a.id) AND (
                    h.until_at > :now OR h.trial_until_at > :now AND EXISTS (
                        SELECT 1 FROM agent_wakeup_requests AS t
                        WHERE t.id = h.trial_id AND t.status = 'claimed'
                    )
                )
            )
        )
    )
    ORDER BY w.rank, w.requested_at, w.id LIMIT 1
)
RETURNING *, EXISTS (SELECT 1 FROM provider_holds) AS any_hold
"""

SOME = 2000
"""Rows that are promoted or lifted at once: others may write before the next ones."""

_PROMOTE = """
UPDATE agent_wakeup_requests SET scheduled_retry_at = NULL
WHERE id IN (
    SELECT id FROM agent_wakeup_requests
    WHERE status = 'queued' AND scheduled_retry_at IS NOT NULL AND scheduled_retry_at <= :now
    ORDER BY scheduled_retry_at LIMIT :some
)
"""

# By agent and class, so that the claim's index leads to the few rows that are old enough.
_LIFT = """
UPDATE agent_wakeup_requests SET rank = 0
WHERE id IN (
    SELECT q.id FROM agents AS a CROSS JOIN agent_wakeup_requests AS q
        INDEXED BY wakeups_waiting ON q.agent_id = a.id
    WHERE q.status = 'queued' AND q.scheduled_retry_at IS NULL AND q.rank IN (1, 2, 3)
    AND q.requested_at <= :since LIMIT :some
)
"""

_NEXT_DUE = """
SELECT min(due) AS due FROM (
    SELECT min(scheduled_retry_at) AS due FROM agent_wakeup_requests
    WHERE status = 'queued' AND scheduled_retry_at IS NOT NULL
    UNION ALL
    SELECT min(a.last_wakeup_finished_at + a.cooldown_sec * 1000000) FROM agents AS a
    WHERE a.status = 'active' AND a.last_wakeup_finished_at + a.cooldown_sec * 1000000 > :now
    AND EXISTS (
        SELECT 1 FROM agent_wakeup_requests AS q
        WHERE q.agent_id = a.id AND q.status = 'queued' AND q.scheduled_retry_at IS NULL
    )
    UNION ALL
    SELECT min(until_at) FROM provider_holds WHERE until_at > :now
    UNION ALL
    SELECT min(trial_until_at) FROM provider_holds WHERE trial_until_at > :now
)
"""


def claim_next(tx: Tx) -> Wakeup | None:
    """The one statement that decides who runs next; no row is a clean end (K-39, K-43).

    It is law 1's exception: it moves the row and writes the event itself.
    """
    rows = tx.sql(_CLAIM, {"now": micros(tx.now)})
    if not rows:
        return None
    wakeup = read(Wakeup, Wakeups, rows[0])
    if rows[0]["any_hold"]:
        holds.take(tx, wakeup)
    journal.tell(
        tx,
        Kind.WAKEUP_CLAIMED,
        Subject("wakeup", wakeup.id),
        workspace_id=wakeup.workspace_id,
        data={"agent_id": wakeup.agent_id},
    )
    return wakeup


def promote_due(tx: Tx) -> int:
    """Deferred wakeups whose time has come wait again with the others, and who has waited long
    comes first (C-99). How many of either; with SOME there may be more."""
    holds.clear(tx)
    lifted = tx.write_sql(_LIFT, {"since": micros(tx.now - LONG), "some": SOME})
    promoted = tx.write_sql(_PROMOTE, {"now": micros(tx.now), "some": SOME})
    return max(lifted, promoted)


def first_of(view: View, agent_id: str, *, by_person: bool = False) -> str | None:
    """The one of its waiting wakeups that would be claimed: of all, or of a person's."""
    more = _PERSONS if by_person else ""
    rows = view.sql(_FIRST.format(agent=":agent_id", more=more), {"agent_id": agent_id})
    return str(rows[0]["id"]) if rows else None


def next_due(view: View, now: datetime) -> datetime | None:
    """When the queue can next change by itself: a retry, a hold or a cooldown ends."""
    due = view.sql(_NEXT_DUE, {"now": micros(now)})[0]["due"]
    return None if due is None else instant(due)

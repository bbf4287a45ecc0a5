"""The queue: wakeups are enqueued once, claimed by one statement and settled with a reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject, Wakeup, stands_for
from roundtable_desktop.model.states import RANKS, WAKEUP, Rank, Source, WakeupOutcome, WakeupStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import firings, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, read
from roundtable_desktop.store.tables import Wakeups

NO_WINDOW = timedelta(0)

MOST_CAUSES = 50
"""After so many causes of one wakeup, of those that time alone made only the last is kept."""

_ENQUEUE = """
INSERT INTO agent_wakeup_requests
    (id, workspace_id, agent_id, task_id, source, reason, payload, scope, status, outcome,
     idempotency_key, context_snapshot, coalesced_count, rank, requested_at, scheduled_retry_at,
     held_by, coalesced_into, finished_at)
VALUES (:id, :workspace_id, :agent_id, :task_id, :source, :reason, :payload, :scope, :status,
        :outcome, :idempotency_key, :context_snapshot, :coalesced_count, :rank, :requested_at,
        :scheduled_retry_at, :held_by, :coalesced_into, :finished_at)
ON CONFLICT (idempotency_key) DO NOTHING
"""

_JOINABLE = """
SELECT id FROM agent_wakeup_requests
WHERE status = 'queued' AND agent_id = :agent_id AND scope = :scope AND source = :source
AND held_by IS NOT 'not_before'
ORDER BY id LIMIT 1
"""

# A routine's wake also joins a run that is at work, which is followed up then (C-47).
_AT_WORK = """
SELECT w.id FROM agent_wakeup_requests AS w JOIN runs AS r ON r.id = w.run_id
WHERE w.agent_id = :agent_id AND w.status = 'claimed' AND w.scope = :scope AND w.source = :source
AND r.status IN ('starting', 'running')
ORDER BY w.id LIMIT 1
"""

_SESSIONS = """
SELECT count(*) AS n FROM agent_wakeup_requests WHERE agent_id = ? AND status = 'claimed'
"""

# As an index says it: with a bound value SQLite would read every wakeup there ever was.
_CLAIMED = """
SELECT * FROM agent_wakeup_requests INDEXED BY wakeups_scope
WHERE status IN ('queued', 'claimed') AND status = 'claimed'
"""

_OF_TASK = "SELECT * FROM agent_wakeup_requests WHERE task_id = ? AND status = ?"
_NEWEST_OF_TASK = """
SELECT * FROM agent_wakeup_requests WHERE task_id = ? ORDER BY id DESC LIMIT 1
"""

# Of those that wait for a time there are few; the index of them is in the order of that time.
_TO_COME = """
SELECT * FROM agent_wakeup_requests
WHERE status = 'queued' AND scheduled_retry_at IS NOT NULL
AND held_by = 'not_before' AND workspace_id = :workspace_id
ORDER BY scheduled_retry_at, id LIMIT :most
"""

_KEPT_BACK = """
SELECT * FROM agent_wakeup_requests AS w
WHERE agent_id = :agent_id AND outcome IN ('agent_paused', 'agent_stopped') AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS r WHERE r.idempotency_key = 'resume:' || w.id || ':1'
)
ORDER BY id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why somebody is to be woken; `key` names the event, so that it counts once (C-63).

    carries: the wakes of an earlier wakeup that this one takes over, in place of its own.
    not_before: when it was asked for; such a wake is its own, whatever waits already (C-83).
    """

    workspace_id: str
    agent_id: str
    source: Source
    reason: str
    payload: Mapping[str, object]
    key: str | None
    rank: Rank = Rank.EVENT
    task_id: str | None = None
    actor: Actor = SYSTEM
    carries: Sequence[Json] = ()
    not_before: datetime | None = None

    @property
    def scope(self) -> str:
        """`task:<id>`, `gate:<id>:<round>`, `routine:<id>` or `agent`: only within one do wakes
        merge (C-47)."""
        if self.task_id is not None:
            return f"task:{self.task_id}"
        if gate := self.payload.get("gate_id"):
            return f"gate:{gate}:{self.payload.get('round')}"
        routine = self.payload.get("routine_id")
        return f"routine:{routine}" if routine else "agent"


def enqueue(
    tx: Tx,
    wakeup_id: str,
    cause: Cause,
    *,
    joins: bool = False,
    window: timedelta = NO_WINDOW,
    held_by: str = "window",
) -> str:
    """The id of the wakeup that this cause made: now, or before (K-10).

    joins: where one like it waits in its scope, it is born `coalesced` into that one (K-11).
    window: how long it waits for others to join it, or for another reason (`held_by`).
    """
    host = _joinable(tx, cause) if joins and cause.not_before is None else None
    own = {
        "wakeup_id": wakeup_id,
        "source": cause.source,
        "payload": cause.payload,
        "at": micros(tx.now),
    }
    wakes = list(cause.carries) or [own]
    held_until, held = _held(tx, cause, window if not host else NO_WINDOW, held_by)
    values = {
        "id": wakeup_id,
        "workspace_id": cause.workspace_id,
        "agent_id": cause.agent_id,
        "task_id": cause.task_id,
        "source": str(cause.source),
        "reason": cause.reason,
        "payload": json.dumps(cause.payload),
        "scope": cause.scope,
        "status": "coalesced" if host else "queued",
        "outcome": "merged" if host else None,
        "idempotency_key": cause.key,
        "context_snapshot": json.dumps({"wakes": wakes}),
        "coalesced_count": len(wakes),
        "rank": RANKS[cause.rank],
        "requested_at": micros(tx.now),
        "scheduled_retry_at": held_until and micros(held_until),
        "held_by": held,
        "coalesced_into": host,
        "finished_at": micros(tx.now) if host else None,
    }
    if tx.write_sql(_ENQUEUE, values) == 0:
        found: str = tx.value(
            Wakeups.select(Wakeups.id).where(Wakeups.idempotency_key == cause.key)
        )
        return found
    if host:
        _join(tx, wakeup_id, host, wakes, cause)
    if cause.carries and cause.source is Source.ROUTINE:
        made = get(tx, wakeup_id)
        assert made is not None
        firings.taken_over(tx, wakes, made, get(tx, host) if host else None)
    _tell_enqueued(tx, wakeup_id, cause, host)
    return wakeup_id


def _tell_enqueued(tx: Tx, wakeup_id: str, cause: Cause, host: str | None) -> None:
    data = {"agent_id": cause.agent_id, "source": cause.source, "reason": cause.reason}
    journal.tell(
        tx,
        Kind.WAKEUP_COALESCED if host else Kind.WAKEUP_QUEUED,
        Subject("wakeup", wakeup_id),
        workspace_id=cause.workspace_id,
        actor=cause.actor,
        data=data | ({"into": host} if host else {}),
    )
    tx.nudge("queue")


def _held(tx: Tx, cause: Cause, window: timedelta, by: str) -> tuple[datetime | None, str | None]:
    """Until when nobody takes it up, and by what."""
    if cause.not_before is not None and cause.not_before > tx.now:
        return cause.not_before, "not_before"
    return (tx.now + window, by) if window else (None, None)


def _joinable(tx: Tx, cause: Cause) -> str | None:
    """The wakeup that carries this cause as well: one that waits, or runs for a routine."""
    like = {"agent_id": cause.agent_id, "scope": cause.scope, "source": str(cause.source)}
    rows = tx.sql(_JOINABLE, like)
    if not rows and cause.source is Source.ROUTINE:
        rows = tx.sql(_AT_WORK, like)
    return str(rows[0]["id"]) if rows else None


def _join(tx: Tx, wakeup_id: str, host_id: str, wakes: list[Json], cause: Cause) -> None:
    """All that somebody said is kept, none overwrites another (C-86). What a person says is not to
    wait for the retry of what failed before: that is brought forward."""
    host = get(tx, host_id)
    assert host is not None, "it was found in this transaction"
    changed: dict[str, Any] = {
        "context_snapshot": {"wakes": _with(tx, host.causes(), wakes, cause)},
        "coalesced_count": host.coalesced_count + len(wakes),
        "rank": min(host.rank, RANKS[cause.rank]),
    }
    if cause.actor.type == "person" and host.held_by in ("retry", "catch_up"):
        changed |= {"scheduled_retry_at": None, "held_by": None}
    tx.write(Wakeups.update(**changed).where(Wakeups.id == host_id))
    if host.status is WakeupStatus.CLAIMED:
        tx.write(Wakeups.update(run_id=host.run_id).where(Wakeups.id == wakeup_id))


def _with(tx: Tx, causes: Sequence[Json], wakes: Sequence[Json], cause: Cause) -> list[Json]:
    """What an agent is told by one routine for the thousandth time is a number (`stands_for`)."""
    kept = list(causes)
    for wake in wakes:
        if len(kept) >= MOST_CAUSES and _by_time_alone(tx, wake, cause):
            last = [one for one in kept if "stands_for" in one]
            kept = [one for one in kept if "stands_for" not in one]
            wake = {**wake, "stands_for": sum(map(stands_for, [*last, wake]))}
        kept.append(wake)
    return kept


def _by_time_alone(tx: Tx, wake: Json, cause: Cause) -> bool:
    """Its own wake comes before the row of its firing is there."""
    if cause.source is not Source.ROUTINE:
        return False
    return firings.by_time_alone(tx, [wake]) if cause.carries else cause.actor == SYSTEM


def take_up(tx: Tx, held_by: str) -> int:
    """Those that wait for a time because of this wait with the others again. Their number."""
    here = (Wakeups.status == WakeupStatus.QUEUED) & (Wakeups.held_by == held_by)
    return tx.write(Wakeups.update(scheduled_retry_at=None, held_by=None).where(here))


def release_parked(tx: Tx, task_id: str) -> int:
    """The task is free: those that waited behind its run need not wait for their time."""
    here = (
        (Wakeups.task_id == task_id)
        & (Wakeups.status == WakeupStatus.QUEUED)
        & (Wakeups.held_by == "checkout_contended")
    )
    return tx.write(Wakeups.update(scheduled_retry_at=None, held_by=None).where(here))


def get(view: View, wakeup_id: str) -> Wakeup | None:
    return by_id(view, Wakeup, Wakeups, wakeup_id)


def any_ever(view: View) -> bool:
    return view.value(Wakeups.select(Wakeups.id)) is not None


def claimed_by(view: View, agent_id: str) -> int:
    """How many sessions the agent has now: each claimed wakeup is one (K-42)."""
    return int(view.sql(_SESSIONS, (agent_id,))[0]["n"])


def own_since(view: View, agent_id: str, since: datetime) -> int:
    """How often the agent woke itself since then."""
    sql = (
        "SELECT count(*) AS n FROM agent_wakeup_requests"
        " WHERE source = 'self' AND agent_id = ? AND requested_at > ?"
    )
    return int(view.sql(sql, (agent_id, micros(since)))[0]["n"])


def for_reason(view: View, agent_id: str, reason: str, since: datetime) -> int:
    """How often it was woken for that since then."""
    sql = (
        "SELECT count(*) AS n FROM agent_wakeup_requests"
        " WHERE agent_id = ? AND reason = ? AND requested_at > ?"
    )
    return int(view.sql(sql, (agent_id, reason, micros(since)))[0]["n"])


def claimed(view: View) -> list[Wakeup]:
    return [read(Wakeup, Wakeups, row) for row in view.sql(_CLAIMED)]


def waiting_for_task(view: View, task_id: str) -> list[Wakeup]:
    """Queued ones about this task; an assignment that changes makes them stale (K-30)."""
    return view.records(Wakeup, Wakeups, _OF_TASK, (task_id, str(WakeupStatus.QUEUED)))


def word_waits(view: View, task_id: str, agent_id: str, since: datetime | None = None) -> bool:
    """Whether somebody said something about the task, or answered its agent, and nobody has heard
    it yet; what is for a later time is not meant. since: if named, only what came after it."""
    return any(
        (one.source in _SAID and one.agent_id == agent_id)
        or (one.source is Source.USER and one.held_by != "not_before")
        for one in waiting_for_task(view, task_id)
        if since is None or _newest_cause(one) > micros(since)
    )


_SAID = (Source.COMMENT, Source.APPROVAL_RESOLVED)


def _newest_cause(wakeup: Wakeup) -> int:
    stamps = [cause.get("at") for cause in wakeup.causes()]
    return max((at for at in stamps if isinstance(at, int)), default=micros(wakeup.requested_at))


def for_later(tx: Tx, wakeup: Wakeup) -> bool:
    """Whether somebody named a time for it, and that is still to come (C-83)."""
    at = wakeup.scheduled_retry_at
    return wakeup.held_by == "not_before" and at is not None and at > tx.now


def latest_for_task(view: View, task_id: str) -> Wakeup | None:
    return next(iter(view.records(Wakeup, Wakeups, _NEWEST_OF_TASK, (task_id,))), None)


def to_come(view: View, workspace_id: str, most: int) -> list[Wakeup]:
    """Those that wait for a time that somebody named; the next first."""
    rows = view.sql(_TO_COME, {"workspace_id": workspace_id, "most": most})
    return [read(Wakeup, Wakeups, row) for row in rows]


def kept_back(view: View, agent_id: str) -> list[Wakeup]:
    """What a pause of the agent finished and no resume has brought back yet; oldest first."""
    rows = view.sql(_KEPT_BACK, {"agent_id": agent_id})
    return [read(Wakeup, Wakeups, row) for row in rows]


def settle(
    tx: Tx,
    wakeup: Wakeup,
    status: WakeupStatus,
    *,
    outcome: WakeupOutcome,
    cancel_reason: str | None = None,
    kind: Kind = Kind.WAKEUP_SETTLED,
    actor: Actor = SYSTEM,
    data: Json | None = None,
) -> bool:
    """The end of a wakeup. `data` is what its activity entry needs (K-60)."""
    told = {"agent_id": wakeup.agent_id, "outcome": outcome, **(data or {})}
    done = journal.move(
        tx,
        WAKEUP,
        wakeup,
        to=status,
        kind=kind,
        actor=actor,
        data=told,
        outcome=outcome,
        cancel_reason=cancel_reason,
        finished_at=tx.now,
    )
    if done and wakeup.source is Source.ROUTINE:
        firings.wakeup_ended(tx, wakeup, status, outcome)
    return done


def requeue(
    tx: Tx, wakeup: Wakeup, *, at: datetime | None, held_by: str | None, retry_count: int
) -> bool:
    """Claimed → queued: a retry by class, or a hold that spends none (house, Causes, retries)."""
    done = journal.move(
        tx,
        WAKEUP,
        wakeup,
        to=WakeupStatus.QUEUED,
        kind=Kind.WAKEUP_REQUEUED,
        data={"held_by": held_by, "retry_count": retry_count, "at": at and micros(at)},
        scheduled_retry_at=at,
        held_by=held_by,
        retry_count=retry_count,
    )
    tx.nudge("queue")
    return done


def keep_decisions(tx: Tx, wakeup_id: str, decisions: list[dict[str, Any]]) -> None:
    """The answers of the last walk through the gates; `explain` shows them (N-03)."""
    tx.write(Wakeups.update(decisions=decisions).where(Wakeups.id == wakeup_id))


def bind_run(tx: Tx, wakeup_id: str, run_id: str) -> None:
    """Those that were merged into it have the same one (K-11)."""
    tx.write(Wakeups.update(run_id=run_id).where(Wakeups.id == wakeup_id))
    tx.write_sql(
        "UPDATE agent_wakeup_requests SET run_id = ? "
        "WHERE coalesced_into IS NOT NULL AND coalesced_into = ? AND run_id IS NULL",
        (run_id, wakeup_id),
    )
    firings.run_born(tx, wakeup_id, run_id)

"""Several wakeups that wait for one task become the one that carries them all (C-47, C-86)."""

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import WAKEUP, Source, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import firings, journal, wakeups
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Wakeups

BLOCKERS = "blockers"
_OVER = (None, BLOCKERS, "window")
"""Waits that end when the blockers are done; all others go on."""


def held(view: View, task_id: str) -> list[Wakeup]:
    """Those that wait for the task's blockers; the oldest first."""
    waiting = [one for one in wakeups.waiting_for_task(view, task_id) if one.held_by == BLOCKERS]
    return sorted(waiting, key=lambda one: one.id)


def release(tx: Tx, task_id: str) -> bool:
    """What was held goes on, as one where it can be; False when nothing was."""
    waiting = held(tx, task_id)
    own = [one for one in waiting if one.source != Source.USER]
    if own:
        gather(tx, own[0].id)
    else:
        _free(tx, waiting)
    return bool(waiting)


def gather(tx: Tx, wakeup_id: str) -> Wakeup:
    """What else waits for the same agent and task goes into this wakeup, which waits no longer for
    blockers. The retries that were spent stay spent (B-073), and a wait for another reason, such
    as a limit, goes on. A person's own wake stays one (C-53)."""
    host = _host(tx, wakeup_id)
    assert host.task_id is not None, "it is about a task"
    same = [one for one in wakeups.waiting_for_task(tx, host.task_id) if one.id != host.id]
    others = [one for one in same if one.agent_id == host.agent_id and one.source != Source.USER]
    for other in others:
        _merge(tx, other, host)
    causes = [cause for one in [*others, host] for cause in one.causes()]
    longest = max(
        (one for one in [*others, host] if one.held_by not in _OVER and one.scheduled_retry_at),
        key=lambda one: str(one.scheduled_retry_at),
        default=None,
    )
    window = host.scheduled_retry_at if host.held_by == "window" else None
    tx.write(
        Wakeups.update(
            context_snapshot={"wakes": causes},
            coalesced_count=len(causes),
            retry_count=max(one.retry_count for one in [*others, host]),
            rank=min(one.rank for one in [*others, host]),
            scheduled_retry_at=longest.scheduled_retry_at if longest else window,
            held_by=longest.held_by if longest else (host.held_by if window else None),
        ).where(Wakeups.id == host.id)
    )
    _free(tx, [one for one in same if one not in others])
    tx.nudge("queue")
    return _host(tx, host.id)


def _host(tx: Tx, wakeup_id: str) -> Wakeup:
    wakeup = wakeups.get(tx, wakeup_id)
    assert wakeup is not None
    return _host(tx, wakeup.coalesced_into) if wakeup.coalesced_into else wakeup


def _merge(tx: Tx, other: Wakeup, host: Wakeup) -> None:
    journal.move(
        tx,
        WAKEUP,
        other,
        to=WakeupStatus.COALESCED,
        kind=Kind.WAKEUP_COALESCED,
        data={"agent_id": other.agent_id, "source": other.source, "into": host.id},
        outcome=WakeupOutcome.MERGED,
        coalesced_into=host.id,
        scheduled_retry_at=None,
        held_by=None,
        finished_at=tx.now,
    )
    firings.carried_by(tx, other.id, host.id)


def _free(tx: Tx, waiting: list[Wakeup]) -> None:
    freed = [one.id for one in waiting if one.held_by == BLOCKERS]
    if freed:
        values = {"scheduled_retry_at": None, "held_by": None}
        tx.write(Wakeups.update(**values).where(Wakeups.id.in_(freed)))
        tx.nudge("queue")

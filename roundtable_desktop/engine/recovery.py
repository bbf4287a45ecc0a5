"""What a start finds of the life before; intents are finished by looking at the world (C-58)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Launcher, SpoolState
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.store import journal, proposals, runs, wakeups
from roundtable_desktop.store.db import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """Counts, for the log and the feed (N-16)."""

    adopted: int = 0
    requeued: int = 0
    voided: int = 0
    gone: int = 0
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class Hands:
    """Where recovery sends what it finds; each returns at once."""

    follow: Callable[[str], None]
    never_born: Callable[[str], None]
    settle: Callable[[str], None]
    deliver: Callable[[str], None]


def recover(store: Store, launcher: Launcher, hands: Hands) -> Found:
    """In the order of the acts: claims without a run, runs, deliveries."""
    requeued = _queue_again(store)
    with store.transaction() as tx:
        live, intended = runs.live(tx), proposals.intended(tx)
    counts = {"adopted": 0, "voided": 0, "gone": 0}
    for run in live:
        counts[_run(store, launcher, hands, run)] += 1
    for delivery in intended:
        hands.deliver(delivery.id)
    found = Found(requeued=requeued, deliveries=len(intended), **counts)
    log.info("recovered %s", found)
    return found


def _queue_again(store: Store) -> int:
    """Claimed, but the owner died before the gates had answered: no run, so nothing ran."""
    with store.transaction() as tx:
        waiting = [
            wakeup
            for wakeup in wakeups.claimed(tx)
            if wakeup.run_id is None or not _alive(runs.get(tx, wakeup.run_id))
        ]
        for wakeup in waiting:
            wakeups.requeue(tx, wakeup, at=None, held_by=None, retry_count=wakeup.retry_count)
    return len(waiting)


def _alive(run: Run | None) -> bool:
    return run is not None and run.ended_at is None


def _run(store: Store, launcher: Launcher, hands: Hands, run: Run) -> str:
    """Its spool tells: absent → voided by the same O_EXCL that a runner uses; locked → adopted;
    free → read to its end by the follower, then settled from it or lost."""
    if (run.ended or {}).get("end"):
        hands.settle(run.id)
        return "gone"
    state = launcher.state(run.id)
    if state is SpoolState.ABSENT and launcher.void(run.id):
        hands.never_born(run.id)
        return "voided"
    hands.follow(run.id)
    if state is SpoolState.FREE:
        return "gone"
    with store.transaction() as tx:
        subject = Subject("run", run.id)
        journal.tell(tx, Kind.RUN_ADOPTED, subject, workspace_id=run.workspace_id)
    return "adopted"

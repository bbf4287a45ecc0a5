"""What a start finds of the life before; intents are finished by looking at the world (C-58)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from roundtable_desktop.engine import quarantine
from roundtable_desktop.engine.calling_off import called_off
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids, Launcher, SpoolState
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.store import journal, proposals, runs, setbacks, wakeups
from roundtable_desktop.store.db import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """Counts, for the log and the feed (N-16)."""

    adopted: int = 0
    requeued: int = 0
    voided: int = 0
    gone: int = 0
    unclear: int = 0
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class Hands:
    """Where recovery sends what it finds; each returns at once. break_off: (run_id, reason)."""

    follow: Callable[[str], None]
    never_born: Callable[[str], None]
    settle: Callable[[str], None]
    deliver: Callable[[str], None]
    break_off: Callable[[str, str], None]


def recover(store: Store, launcher: Launcher, hands: Hands, ids: Ids) -> Found:
    """In the order of the acts: claims without a run, runs, deliveries."""
    died, requeued = _queue_again(store, ids)
    with store.transaction() as tx:
        live, intended = runs.live(tx), proposals.intended(tx)
    counts = {"adopted": 0, "voided": 0, "gone": 0, "unclear": 0}
    for run in live:
        counts[_run_or_keep(store, launcher, hands, run, died)] += 1
    for delivery in intended:
        hands.deliver(delivery.id)
    found = Found(requeued=requeued, deliveries=len(intended), **counts)
    log.info("recovered %s", found)
    return found


def end_life(store: Store) -> None:
    """The next start knows that what it finds is nobody's fault. Without a word of it the next one
    counts a death, so a full disk stops no stop."""
    try:
        with store.transaction() as tx:
            setbacks.end_life(tx)
    except Exception:
        log.exception("orderly end not written")


def _queue_again(store: Store, ids: Ids) -> tuple[bool, int]:
    """Claimed, but the owner died before the gates had answered: no run, so nothing ran. Whether
    it died, and how many they are; counted once for each death (F-10)."""
    with store.transaction() as tx:
        died = setbacks.begin_life(tx)
        waiting = [
            wakeup
            for wakeup in wakeups.claimed(tx)
            if wakeup.run_id is None or not _alive(runs.get(tx, wakeup.run_id))
        ]
        for wakeup in waiting:
            if died:
                quarantine.put_back(tx, ids, wakeup, quarantine.OWNER_DIED, at=None, held_by=None)
            else:
                wakeups.requeue(tx, wakeup, at=None, held_by=None, retry_count=wakeup.retry_count)
    return died, len(waiting)


def _alive(run: Run | None) -> bool:
    return run is not None and run.ended_at is None


def _run_or_keep(store: Store, launcher: Launcher, hands: Hands, run: Run, died: bool) -> str:
    """One run that cannot be looked at keeps nobody from starting: the follower looks again."""
    try:
        return _run(store, launcher, hands, run, died)
    except Exception:
        log.exception("not recovered yet run=%s", run.id)
        hands.follow(run.id)
        return "unclear"


def _run(store: Store, launcher: Launcher, hands: Hands, run: Run, died: bool) -> str:
    """Its spool tells: absent → voided by the same O_EXCL that a runner uses; locked → adopted;
    free → read to its end by the follower, then settled from it or lost."""
    if (run.ended or {}).get("end"):
        hands.settle(run.id)
        return "gone"
    state = launcher.state(run.id)
    if state is SpoolState.ABSENT and launcher.void(run.id):
        if died and run.base_commit is not None:  # its launch was under way
            with store.transaction() as tx:
                setbacks.count(tx, run.wakeup_id)
        hands.never_born(run.id)
        return "voided"
    hands.follow(run.id)
    if state is SpoolState.FREE:
        return "gone"
    if reason := called_off(run.ended):
        hands.break_off(run.id, reason)  # its channel may not be open yet
    with store.transaction() as tx:
        subject = Subject("run", run.id)
        journal.tell(tx, Kind.RUN_ADOPTED, subject, workspace_id=run.workspace_id)
    return "adopted"

"""The recovery sweep: who was to be woken for a task and never will be, is woken (K-36)."""

import logging
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.engine import budgets, checks, unheard, wakers
from roundtable_desktop.engine.unanswered import Unanswered
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids, RowClock
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import Rank, Source
from roundtable_desktop.store import gates, journal, sweeps
from roundtable_desktop.store.db import Reader, Store, Tx, View
from roundtable_desktop.store.wakeups import Cause

log = logging.getLogger(__name__)

EVERY = timedelta(seconds=30)
"""Not at each tick of a busy queue; and an idle loop looks as often (C-03)."""

AT_ONCE = 100
"""Tasks in one transaction: others want to write meanwhile."""

FARTHEST = 1000
"""Tasks that are looked at for those that no budget keeps back."""


class Sweep:
    """Called after each drain of the queue, on the scheduler's thread."""

    def __init__(self, store: Store, reader: Reader, clock: RowClock, ids: Ids) -> None:
        self._store, self._reader, self._clock, self._ids = store, reader, clock, ids
        self._unanswered = Unanswered(store, reader, ids)
        self._next: datetime | None = None

    def look(self) -> int:
        """How many were woken. What is lost is rare, so it is only read first (R-01); the first
        sweep of a life is told in any case (C-78)."""
        self._unanswered.look()
        now, boot = self._clock.now(), self._next is None
        if self._next is not None and now < self._next:
            return 0
        with self._reader.snapshot() as view:
            lost = bool(_lost(view, now))
            stuck, left = unheard.any_left(view), gates.left_alone(view, 1)
            unchecked = checks.any_lost(view)
        if stuck:
            self._ask()
        if left:
            self._unanswered.ask()
        if unchecked:
            with self._store.transaction() as tx:
                checks.lose(tx, self._ids)
        dispatched = self._dispatch_all() if lost else 0
        if dispatched or boot:
            self._tell(dispatched)
        self._next = now + EVERY
        return dispatched

    def due(self) -> datetime | None:
        """When the next look would find something, for a clock that goes from one due instant to
        the next; by the machine's own clock it looks often enough."""
        if not self._clock.stands or self._next is None:
            return None
        with self._reader.snapshot() as view:
            found = _lost(view, self._next) or unheard.any_left(view) or checks.any_lost(view)
            return self._next if found or gates.left_alone(view, 1) else None

    def _ask(self) -> None:
        while True:
            with self._store.transaction() as tx:
                asked = unheard.ask(tx, self._ids, AT_ONCE)
            if asked < AT_ONCE:
                return

    def _dispatch_all(self) -> int:
        dispatched = 0
        while True:
            with self._store.transaction() as tx:
                found = _lost(tx, tx.now)
                for task in found:
                    self._dispatch(tx, **task)
            dispatched += len(found)
            if len(found) < AT_ONCE:
                return dispatched

    def _dispatch(
        self, tx: Tx, id: str, workspace_id: str, agent_id: str, assignment_seq: int
    ) -> None:
        cause = Cause(
            workspace_id=workspace_id,
            agent_id=agent_id,
            task_id=id,
            source=Source.TASK_ASSIGNED,
            reason="recovery_sweep",
            payload={"task_id": id},
            key=sweeps.recovery_key(tx, id, assignment_seq),
            rank=Rank.SWEEP,
        )
        wakers.wake(tx, self._ids.new(), cause)
        journal.tell(
            tx,
            Kind.RECOVERY_DISPATCH,
            Subject("task", id),
            workspace_id=workspace_id,
            data={"task_id": id, "agent": agent_id, "agent_id": agent_id},
        )

    def _tell(self, dispatched: int) -> None:
        log.info("recovery sweep dispatched=%d", dispatched)
        with self._store.transaction() as tx:
            journal.tell(
                tx,
                Kind.RECOVERY_SWEEP_COMPLETE,
                Subject("owner", "sweep"),
                workspace_id=None,
                data={"dispatched_count": dispatched},
            )


def _lost(view: View, now: datetime) -> list[dict[str, Any]]:
    """Of the oldest that nobody will be woken for, those that no budget keeps from it (K-36)."""
    found, full = [], dict[tuple[str, str | None, str], bool]()
    for row in sweeps.unstarted(view, now, FARTHEST):
        task = dict(row)
        scope = (task["workspace_id"], task.pop("project"), task["agent_id"])
        if scope not in full:
            full[scope] = budgets.exhausted(view, *scope, now)
        found += [] if full[scope] else [task]
    return found[:AT_ONCE]

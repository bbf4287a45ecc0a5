"""Takes the next wakeup, asks the gates and settles their answer."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import assert_never

from roundtable_desktop.engine import budgets, pipeline, stale
from roundtable_desktop.engine.pacing import Pace
from roundtable_desktop.engine.parting import Parting
from roundtable_desktop.engine.quarantine import put_back, unreadable
from roundtable_desktop.engine.steps import PIPELINE
from roundtable_desktop.model.errors import PASSING
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import WakeupOutcome, WakeupStatus
from roundtable_desktop.model.verdicts import (
    Answer,
    Cancel,
    Fail,
    Finish,
    Go,
    Hold,
    Launched,
    Skip,
)
from roundtable_desktop.store import agents, claims, settings, tasks, wakeups, workspaces
from roundtable_desktop.store.db import Store, Tx

STUMBLED = timedelta(seconds=60)

NOT_ITS_FAULT = (*PASSING, OSError)
"""Faults of the disk or the database: any wakeup would have met them."""


class Dispatcher:
    """`launch(run_id)` gets every run that was born; it must return at once."""

    def __init__(
        self,
        store: Store,
        ids: Ids,
        launch: Callable[[str], None],
        parting: Parting | None = None,
    ) -> None:
        self._store = store
        self._parting = parting or Parting()
        self._ids = ids
        self._launch = launch
        self._pace = Pace()
        self._unjudged: Wakeup | None = None
        self._why: str | None = None

    @property
    def next_turn(self) -> datetime | None:
        """When something may start that is held back only so that not all starts at once."""
        return self._pace.next_turn

    def step(self) -> bool:
        """One wakeup: claimed in one transaction, judged and settled in the next.

        False when there is none. A crash between the two leaves it claimed without a run, and
        recovery queues it again (C-58); after an error it is put back here, as soon as the
        database takes it.
        """
        if self._unjudged is not None:
            self._put_back(self._unjudged)
        with self._store.transaction() as tx:
            is_open = settings.of_home(tx).intake == "open"
            intake_open = is_open and not self._parting.lasts(tx.now)
            passes = self._pace.lets_pass(tx.now, intake_open=intake_open)
            wakeup = claims.claim_next(tx) if passes else None
            if passes and wakeup is None:
                self._pace.drained()
        if wakeup is None:
            return False
        self._unjudged, self._why = wakeup, None
        try:
            with self._store.transaction() as tx:
                answer = self._judge(tx, wakeup)
                if isinstance(answer, Launched):
                    self._pace.launched(tx.now)
                    budgets.begun(tx, self._ids, answer.run_id)
        except Exception as error:
            if not isinstance(error, NOT_ITS_FAULT):
                self._why = type(error).__name__
            self._put_back(wakeup)
            raise
        self._unjudged = None
        if isinstance(answer, Launched):
            self._launch(answer.run_id)
        return True

    def _put_back(self, wakeup: Wakeup) -> None:
        """Later and not at once, so that others come before one that cannot be judged. After the
        third time it is not tried again (F-10)."""
        with self._store.transaction() as tx:
            until, held_by, count = tx.now + STUMBLED, "stumbled", wakeup.retry_count
            if self._why is None:
                wakeups.requeue(tx, wakeup, at=until, held_by=held_by, retry_count=count)
            else:
                put_back(tx, self._ids, wakeup, self._why, at=until, held_by=held_by)
        self._unjudged = None

    def _judge(self, tx: Tx, wakeup: Wakeup) -> Answer:
        agent = agents.get(tx, wakeup.agent_id)
        workspace = workspaces.get(tx, wakeup.workspace_id)
        assert agent is not None and workspace is not None, "foreign keys hold"
        task = tasks.get(tx, wakeup.task_id) if wakeup.task_id else None
        if task is not None and task.workspace_id != wakeup.workspace_id:
            task = None  # K-64: another workspace's task is none of its business
        with ExitStack() as undo:
            case = pipeline.Case(wakeup, agent, workspace, task, self._ids, self._ids.new(), undo)
            answer = pipeline.walk(tx, case, PIPELINE)
        wakeups.keep_decisions(tx, wakeup.id, case.decisions)
        settle(tx, wakeup, answer, self._ids)
        return answer


def settle(tx: Tx, wakeup: Wakeup, answer: Answer, ids: Ids) -> None:
    """What becomes of the wakeup; only a launched one stays claimed."""
    match answer:
        case Launched():
            return
        case Finish(outcome, detail):
            idle = outcome is WakeupOutcome.IDLE_SKIPPED
            kind = Kind.WAKEUP_IDLE_SKIPPED if idle else Kind.WAKEUP_SETTLED
            done = WakeupStatus.FINISHED
            wakeups.settle(tx, wakeup, done, outcome=outcome, kind=kind, data=detail)
        case Skip(outcome, detail):
            kind = Kind.WAKEUP_BUDGET_BLOCKED
            wakeups.settle(
                tx, wakeup, WakeupStatus.SKIPPED, outcome=outcome, kind=kind, data=detail
            )
        case Hold(held_by, until):
            wakeups.requeue(tx, wakeup, at=until, held_by=held_by, retry_count=wakeup.retry_count)
        case Cancel(reason, detail):
            wakeups.settle(
                tx,
                wakeup,
                WakeupStatus.CANCELLED,
                outcome=stale.outcome_of(reason),
                cancel_reason=reason,
                kind=stale.kind_of(reason),
                data={**stale.told(wakeup, reason), **detail},
            )
        case Fail(WakeupOutcome.MALFORMED, detail):
            unreadable(tx, ids, wakeup, detail)
        case Fail(outcome, detail):
            wakeups.settle(tx, wakeup, WakeupStatus.FAILED, outcome=outcome, data=detail)
        case Go():
            raise AssertionError("the last step answers with something else")
        case _:
            assert_never(answer)

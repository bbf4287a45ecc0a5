"""What becomes of a wakeup whose run has ended: settled, tried again, or followed by another."""

import logging
from datetime import datetime, timedelta

from roundtable_desktop.engine import (
    attempts,
    graph,
    holding,
    mission_control,
    quarantine,
    wakers,
)
from roundtable_desktop.engine.calling_off import OVER_BUDGET
from roundtable_desktop.engine.checkpoints import notes_of
from roundtable_desktop.engine.collecting import reported
from roundtable_desktop.engine.escalation import escalate
from roundtable_desktop.engine.followups import follow_up
from roundtable_desktop.engine.intake import OPEN, STOPPED
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Dice, Ids
from roundtable_desktop.model.records import SYSTEM, Run, Subject, Wakeup
from roundtable_desktop.model.states import (
    TASK,
    RunOutcome,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.limits import Verdict
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.rules.retry import Layer, attempt_retry, wakeup_retry_at
from roundtable_desktop.store import journal, settings, tasks, wakeups
from roundtable_desktop.store.db import Tx

log = logging.getLogger(__name__)

INTERRUPTED_PAUSE = timedelta(seconds=60)
"""A run that was told to break off is not started again at once: the machine may be going down."""


class Answering:
    """Part of the transaction that settles the run (W-01); the task has been moved before."""

    def __init__(self, ids: Ids, dice: Dice) -> None:
        self._ids, self._dice = ids, dice

    def answer(self, tx: Tx, run: Run, settlement: Settlement, sign: str) -> None:
        """run: as it was before its end. sign: the failure's signature, "" for none."""
        wakeup = wakeups.get(tx, run.wakeup_id)
        assert wakeup is not None
        asked_for = holding.settled(tx, run, settlement, self._dice)
        match settlement.layer:
            case Layer.NONE if settlement.outcome is RunOutcome.CANCELLED and not _said(run):
                status, outcome = WakeupStatus.CANCELLED, WakeupOutcome.USER_CANCELLED
                wakeups.settle(tx, wakeup, status, outcome=outcome)
            case Layer.NONE:
                _executed(tx, wakeup)
            case Layer.WAKEUP | Layer.INCURABLE if wakeup.reason == wakers.TEST:
                _executed(tx, wakeup)  # once, and who asked for it is told: nobody else is asked
            case Layer.REQUEUE | Layer.WAKEUP if mission_control.is_stopped(tx, wakeup):
                mission_control.cancel(tx, wakeup)
            case Layer.INCURABLE:
                self._give_up(tx, wakeup, run, settlement, WakeupOutcome.INCURABLE, sign)
            case Layer.REQUEUE:
                self._requeue(tx, wakeup, run, settlement)
            case Layer.WAKEUP:
                self._again(tx, wakeup, run, settlement, sign, free=asked_for)
            case Layer.ATTEMPT:
                _executed(tx, wakeup)
                if run.task_id is not None:
                    self._next_attempt(tx, wakeup, run, run.task_id, settlement, sign)
        follow_up(tx, self._ids, wakeup, run)

    def _give_up(
        self,
        tx: Tx,
        wakeup: Wakeup,
        run: Run,
        settlement: Settlement,
        outcome: WakeupOutcome,
        sign: str,
    ) -> None:
        """A mission may go on by itself: with another model, or without the task."""
        wakeups.settle(tx, wakeup, WakeupStatus.FAILED, outcome=outcome)
        mission = attempts.mission_of(tx, run)
        if mission and attempts.settled(tx, self._ids, mission, run, settlement, sign):
            return
        escalate(tx, self._ids, wakeup, run, settlement, outcome=outcome)

    def _again(
        self, tx: Tx, wakeup: Wakeup, run: Run, settlement: Settlement, sign: str, *, free: bool
    ) -> None:
        """Wakeup retry: the same wakeup, a new run; after the fourth a person is needed. free: a
        person had it tried early, which takes nothing of what was to come without them."""
        spent = max(wakeup.retry_count - 1, 0) if free else wakeup.retry_count
        at = wakeup_retry_at(spent, tx.now, self._dice)
        if at is not None:
            limit = settlement.limit
            stated = limit.retry_at if limit else None
            if limit is not None:
                _log_limit(wakeup, limit, stated or at)
            held_by, count = "limit" if stated else "retry", wakeup.retry_count + (not free)
            wakeups.requeue(tx, wakeup, at=stated or at, held_by=held_by, retry_count=count)
            return
        self._give_up(tx, wakeup, run, settlement, WakeupOutcome.EXHAUSTED, sign)
        task = tasks.get(tx, run.task_id) if run.task_id else None
        if task is not None and TASK.allows(task.status, TaskStatus.INTERRUPTED):
            tasks.move(tx, task, TaskStatus.INTERRUPTED, actor=SYSTEM, data={"run_id": run.id})

    def _next_attempt(
        self, tx: Tx, wakeup: Wakeup, run: Run, task_id: str, settlement: Settlement, sign: str
    ) -> None:
        """Attempt retry: a new wakeup while the budget lasts, then the task has failed (C-52)
        and a person is asked."""
        task = tasks.get(tx, task_id)
        assert task is not None
        if task.assignee_agent_id != run.agent_id and wakeups.waiting_for_task(tx, task_id):
            return  # somebody else has the task by now, and goes on with it (B-038)
        if (mission := attempts.mission_of(tx, run)) is not None:
            if not attempts.settled(tx, self._ids, mission, run, settlement, sign):
                escalate(tx, self._ids, wakeup, run, settlement, outcome=settlement.outcome)
            return
        verdict = attempt_retry(
            budget=task.retry_budget,
            spent=task.attempts_spent,
            signature=sign,
            last_signature=task.last_failure_signature,
            alike=settlement.alike,
        )
        tasks.spend_attempt(tx, task, cost=verdict.cost, signature=sign)
        if verdict.again and task.status is TaskStatus.IN_PROGRESS:
            cause = wakers.attempt(task, run.agent_id, task.attempt_wakeups + 1)
            wakers.wake(tx, self._ids.new(), cause)
        elif task.status is TaskStatus.IN_PROGRESS:
            data = {"run_id": run.id}
            graph.move(tx, self._ids, task, TaskStatus.FAILED, actor=SYSTEM, data=data)
            escalate(tx, self._ids, wakeup, run, settlement, outcome=settlement.outcome)

    def _requeue(self, tx: Tx, wakeup: Wakeup, run: Run, settlement: Settlement) -> None:
        if wakeup.setbacks >= quarantine.LIMIT:  # recovery counted the last one
            return quarantine.set_aside(tx, self._ids, wakeup, quarantine.OWNER_DIED)
        broken_off = settlement.outcome is RunOutcome.INTERRUPTED
        over_budget = OVER_BUDGET in (run.ended or {})  # its gate decides what becomes of it
        rests = broken_off and not over_budget and not _resumed(tx, run)
        at = tx.now + INTERRUPTED_PAUSE if rests else None
        held_by = "interrupted" if rests else None
        if broken_off:
            _tell_resume_point(tx, run)
        wakeups.requeue(tx, wakeup, at=at, held_by=held_by, retry_count=wakeup.retry_count)


def _resumed(tx: Tx, run: Run) -> bool:
    """Everything was stopped around it, and somebody had it go on before its end was settled."""
    return STOPPED in (run.ended or {}) and settings.of_home(tx).intake == OPEN


def _tell_resume_point(tx: Tx, run: Run) -> None:
    """Where it goes on: in the same copy, in the same conversation if it has one, and with what
    the agent wrote down for itself (N-10)."""
    journal.tell(
        tx,
        Kind.RUN_RESUME_POINT,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={
            "agent_id": run.agent_id,
            "task_id": run.task_id,
            "session_id": run.session_id,
            "base_commit": run.base_commit,
            "notes": notes_of(run.ended),
        },
    )


def _log_limit(wakeup: Wakeup, limit: Verdict, at: datetime) -> None:
    """K-33."""
    log.info(
        "limited wakeup=%s source=%s parsed_reset_at=%s retry_at=%s",
        wakeup.id,
        limit.source,
        rfc3339(limit.reset_at) if limit.reset_at else None,
        rfc3339(at),
    )


def _executed(tx: Tx, wakeup: Wakeup) -> None:
    wakeups.settle(tx, wakeup, WakeupStatus.FINISHED, outcome=WakeupOutcome.EXECUTED)


def _said(run: Run) -> bool:
    """Whether the agent itself reported; then `cancelled` was its own word."""
    return reported(run.ended or {}) is not None

"""Who is woken by a word: an agent by a person, now or later, and an agent by itself."""

from datetime import datetime, timedelta

from roundtable_desktop.engine import wakers
from roundtable_desktop.engine.desk import Asked, Desk, once
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Agent, Run, Subject, Task, Wakeup
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    AgentStatus,
    Rank,
    Source,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import agents, events, journal, tasks, wakeups
from roundtable_desktop.store.db import Tx

TEST_WORDS = "This is a test of your set-up. Answer with one short sentence, and change nothing."

LATEST = timedelta(days=366)
"""How far ahead somebody may be woken."""

SELF_WAKES = 6
"""Of one agent within an hour, so that none goes round for ever (S-76)."""


def wake(
    desk: Desk,
    asked: Asked,
    agent_id: str,
    *,
    text: str | None = None,
    task_id: str | None = None,
    at: datetime | None = None,
) -> Wakeup:
    """A wakeup of the highest class that is nobody else's (C-53), about a task or about none.
    at: not before then (C-83); a time that has passed is now."""
    return _asked(desk, asked, agent_id, text, task_id, at)


def test(desk: Desk, asked: Asked, agent_id: str) -> Wakeup:
    """Launches it once, as it is launched for anything else, to see whether it starts and answers:
    the queue, the gates and the launcher are the ordinary ones."""
    return _asked(desk, asked, agent_id, TEST_WORDS, reason=wakers.TEST)


def _asked(
    desk: Desk,
    asked: Asked,
    agent_id: str,
    text: str | None,
    task_id: str | None = None,
    at: datetime | None = None,
    reason: str | None = None,
) -> Wakeup:
    with desk.store.transaction() as tx:

        def act() -> Subject:
            agent = _wakeable(tx, agent_id)
            task = _about(tx, agent, task_id) if task_id is not None else None
            check_moment(at, tx.now)
            given = {"task_id": task.id if task else None, "text": text}
            context = {name: value for name, value in given.items() if value}
            wakeup_id = desk.ids.new()
            cause = wakeups.Cause(
                workspace_id=agent.workspace_id,
                agent_id=agent.id,
                task_id=task.id if task else None,
                source=Source.USER,
                reason=reason or "wake",
                payload={"user_id": asked.actor.id, **({"context": context} if context else {})},
                key=f"user:{wakeup_id}",
                rank=Rank.USER,
                actor=asked.actor,
                not_before=at,
            )
            return Subject("wakeup", wakers.wake(tx, wakeup_id, cause))

        return once(tx, asked, act, wakeups.get)


def cancel(desk: Desk, asked: Asked, wakeup_id: str) -> Wakeup:
    """One that still waits will not run (C-32); its causes go with it."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            wakeup = wakeups.get(tx, wakeup_id)
            if wakeup is None:
                raise Absent("unknown_wakeup")
            if wakeup.status is not WakeupStatus.QUEUED:
                raise Conflict("wakeup_not_waiting", status=wakeup.status)
            wakeups.settle(
                tx,
                wakeup,
                WakeupStatus.CANCELLED,
                outcome=WakeupOutcome.USER_CANCELLED,
                cancel_reason="user_cancelled",
                actor=asked.actor,
            )
            return Subject("wakeup", wakeup.id)

        return once(tx, asked, act, wakeups.get)


def again_now(tx: Tx, desk: Desk, asked: Asked, wakeup_id: str, key: str) -> None:
    """A wakeup that failed for good, with all its causes, as a person's own word."""
    failed = wakeups.get(tx, wakeup_id)
    if failed is None:
        raise Absent("unknown_wakeup")
    cause = wakers.anew(failed, failed.reason, key, actor=asked.actor, rank=Rank.USER)
    wakers.wake(tx, desk.ids.new(), cause)


def wake_self(
    tx: Tx, desk: Desk, run: Run, note: str, at: datetime | None, key: str | None
) -> Subject:
    """From within a run, never by an HTTP route (K-08). It goes on with the run's task."""
    lately = wakeups.own_since(tx, run.agent_id, tx.now - timedelta(hours=1))
    if lately >= SELF_WAKES:
        raise Blocked("too_many_wakes", most=SELF_WAKES)
    check_moment(at, tx.now)
    wakeup_id = desk.ids.new()
    cause = wakeups.Cause(
        workspace_id=run.workspace_id,
        agent_id=run.agent_id,
        task_id=run.task_id,
        source=Source.SELF,
        reason="wake_self",
        payload={"reason": note},
        key=f"self:{run.id}:{key or wakeup_id}",
        actor=Actor("agent", run.agent_id),
        not_before=at,
    )
    return Subject("wakeup", wakers.wake(tx, wakeup_id, cause))


def tell_refused(tx: Tx, holder: Holder) -> None:
    """Once a run: a loop must not fill the feed."""
    subject = Subject("run", holder.run_id)
    if any(event.kind == Kind.RUN_WAKE_REFUSED for event in events.of(tx, subject)):
        return
    actor = Actor("agent", holder.agent_id)
    data = {"agent_id": holder.agent_id, "most": SELF_WAKES}
    where = holder.workspace_id
    journal.tell(tx, Kind.RUN_WAKE_REFUSED, subject, workspace_id=where, actor=actor, data=data)


def check_moment(at: datetime | None, now: datetime) -> None:
    if at is not None and at > now + LATEST:
        raise Invalid("too_far_ahead", "/at", days=LATEST.days)


def _wakeable(tx: Tx, agent_id: str) -> Agent:
    agent = agents.get(tx, agent_id)
    if agent is None:
        raise Absent("unknown_agent")
    if agent.status is AgentStatus.RETIRED:
        raise Conflict("agent_retired", agent=agent.name)
    return agent


def _about(tx: Tx, agent: Agent, task_id: str) -> Task:
    """Of the same workspace; another one's is as if it did not exist (K-64)."""
    task = tasks.get(tx, task_id)
    if task is None or task.workspace_id != agent.workspace_id:
        raise Absent("unknown_task", "/task_id")
    if task.status in TERMINAL_TASKS:
        raise Conflict("task_is_over", "/task_id", number=task.number, status=task.status)
    return task

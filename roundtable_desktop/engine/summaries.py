"""Makes a routine's summary anew after each of its runs that went well, and says which one a run is
given (K-49, K-51, C-85)."""

import logging
from datetime import timedelta

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.records import Agent, Run, Wakeup
from roundtable_desktop.model.states import Role, Source
from roundtable_desktop.model.summaries import Summary, scope_of
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import summary as rule
from roundtable_desktop.rules.prompt import Remembered
from roundtable_desktop.rules.summary import Activity, Blocker, Turn
from roundtable_desktop.store import agents, routines, runs, summaries, wakeups
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.routines import SUCCEEDED

log = logging.getLogger(__name__)

AT_FIRST = timedelta(hours=24)
"""How far a first summary looks back."""


def renew(tx: Tx, run_id: str) -> None:
    """In the transaction that settles the run, so that the next one is told of it whatever comes
    between. What cannot be made is logged: the last good one stays, and the next run that goes
    well makes it anew."""
    run = runs.get(tx, run_id)
    wakeup = wakeups.get(tx, run.wakeup_id) if run is not None else None
    if run is None or wakeup is None or run.task_id is not None or run.outcome not in SUCCEEDED:
        return
    scope = _scope(wakeup)
    if scope is None:
        return
    try:
        content = rule.summary(_turn(tx, run, scope))
    except Exception:
        log.exception("summary not made agent=%s scope=%s run=%s", run.agent_id, scope, run.id)
        return
    summaries.put(tx, run.agent_id, scope, content, rule.tokens(content), run.id)


def remembered(view: View, wakeup: Wakeup) -> Remembered | None:
    """Of the routine that woke it; whoever else is woken without a task is given the newest that
    its agent has, to read (C-85). A test of the agent is told nothing but that it is one."""
    if wakeup.reason == wakers.TEST:
        return None
    scope = _scope(wakeup)
    if scope is not None:
        kept = summaries.of_scope(view, wakeup.agent_id, scope)
    else:
        kept = summaries.newest(view, wakeup.agent_id)
    if kept is None:
        return None
    routine = routines.get(view, kept.routine_id) if scope is None else None
    name = routine.name if routine is not None else ""
    return Remembered(rule.for_prompt(kept.content), kept.updated_at, name)


def _scope(wakeup: Wakeup) -> str | None:
    """Whose summary it reads and writes: the same question for both."""
    routine_id = wakeup.payload.get("routine_id")
    fired = wakeup.source is Source.ROUTINE and wakeup.task_id is None
    return scope_of(str(routine_id)) if fired and routine_id else None


def _turn(tx: Tx, run: Run, scope: str) -> Turn:
    agent, before = agents.get(tx, run.agent_id), summaries.of_scope(tx, run.agent_id, scope)
    assert agent is not None and run.outcome is not None and run.ended_at is not None
    whose = None if agent.role is Role.COORDINATOR else agent.id
    return Turn(
        at=run.ended_at,
        outcome=run.outcome,
        result=run.result_json,
        activity=_activity(tx, run, before, whose),
        blockers=_blockers(tx, agent, whose),
        said=run.output_summary,
        previous=before.content if before else "",
    )


def _activity(tx: Tx, run: Run, before: Summary | None, whose: str | None) -> Activity:
    since = before.updated_at if before else run.created_at - AT_FIRST
    after = before.updated_by_run_id if before else ""
    seen = summaries.happened(tx, run.workspace_id, after, since, whose)
    stands = summaries.standing(tx, run.workspace_id, whose)
    return Activity(
        since=since,
        until=tx.now,
        completed=seen.completed,
        failed=seen.failed,
        errors=seen.errors,
        budget=seen.budget,
        working=stands.get("in_progress", 0),
        in_review=stands.get("in_review", 0),
        to_do=stands.get("todo", 0),
    )


def _blockers(view: View, agent: Agent, whose: str | None) -> list[Blocker]:
    """Of all agents of the workspace for its coordinator, for any other of its own tasks."""
    found = summaries.blocked(view, agent.workspace_id, whose)
    if not found:
        return []
    names = {one.id: one.name for one in agents.every(view, agent.workspace_id)}
    return [
        Blocker(
            number=task.number,
            title=task.title,
            agent=names.get(task.assignee_agent_id or "", ""),
            needs=rule.needs(task.blocked or {}, names),
            since=instant(since) if since is not None else None,
        )
        for task, since in found
    ]

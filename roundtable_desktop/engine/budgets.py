"""Holds every run to the budgets that apply: before it starts, while it goes on, and what is taken
up again when there is room."""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.engine import coming_back, wakers
from roundtable_desktop.engine.calling_off import OVER_BUDGET
from roundtable_desktop.engine.pipeline import Case
from roundtable_desktop.model.budgets import (
    REACHED,
    Budget,
    BudgetScope,
    Meter,
    Period,
    Standing,
)
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Actor, Agent, InboxItem, Run, Subject
from roundtable_desktop.model.states import AgentStatus, InboxKind, Severity, Source
from roundtable_desktop.model.usage import QuotaWindow
from roundtable_desktop.model.verdicts import Answer, Hold, Skip
from roundtable_desktop.rules import budgets as rule
from roundtable_desktop.store import (
    agents,
    budgets,
    inbox,
    journal,
    quotas,
    runs,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Tx, View

log = logging.getLogger(__name__)

PAUSED_BY = "budget"
"""Why the agent is paused."""
UNREADABLE = (ValueError, KeyError, OverflowError)
"""Of a row that somebody damaged, or a zone that is none: then nothing starts under it."""
LATER = timedelta(minutes=10)
ANSWERS = ("raise", "resume")


def budget(tx: Tx, case: Case) -> Answer:
    """K-44; what it keeps from running comes again when there is room (C-81). It never fails open:
    what cannot be read holds the wakeup."""
    project = case.task.project if case.task else None
    try:
        found = standings(tx, case.workspace.id, project, case.agent.id, tx.now)
        answer = rule.gate(found)
    except UNREADABLE as error:
        log.error("budgets cannot be read workspace=%s", case.workspace.id, exc_info=error)
        detail: dict[str, object] = {"form": "unreadable", "fault": type(error).__name__}
        return Hold("budget_unreadable", tx.now + LATER, detail)
    if isinstance(answer, Skip):
        [binding] = [one for one in found if one.budget.id == answer.detail["budget_id"]]
        budgets.block(tx, binding.budget.id, case.wakeup.id, case.agent.id)
        if rule.pauses(binding):
            _pause(tx, binding.budget, case.agent.id)
        alert(tx, case.ids, binding, case.agent.id)
        return Skip(answer.outcome, {**answer.detail, "agent_name": case.agent.name})
    return answer


def standings(
    view: View, workspace_id: str, project: str | None, agent_id: str, now: datetime
) -> list[Standing]:
    """All that apply to such a run, as they are now."""
    found = budgets.applying(view, workspace_id, project, agent_id)
    return [standing(view, one, now) for one in found]


def standing(view: View, one: Budget, at: datetime) -> Standing:
    """Raises one of UNREADABLE."""
    workspace = workspaces.get(view, one.workspace_id)
    assert workspace is not None, "foreign keys hold"
    window = rule.window(one, at, ZoneInfo(workspace.timezone))
    allowed, waived = rule.allowed(one, at), rule.waived(one, at)
    if one.meter is Meter.QUOTA:
        known = [seen.used_now(at) for seen in _windows(view, one)]
        spent = max((share for share in known if share is not None), default=None)
        return Standing(one, window, spent, allowed, waived)
    spent, unknown, included = budgets.used(view, one, window)
    return Standing(one, window, spent, allowed, waived, unknown, included)


def exhausted(
    view: View, workspace_id: str, project: str | None, agent_id: str, now: datetime
) -> bool:
    """Whether nothing would start under them now (K-36)."""
    try:
        return any(one.binds for one in standings(view, workspace_id, project, agent_id, now))
    except UNREADABLE:
        return True


def spent(view: View, found: Iterable[Agent], now: datetime) -> dict[str, datetime | None]:
    """For whom nothing without a project starts now, by the agents' ids, with the instant from
    which it would; None where that is not known. What cannot be read keeps everything."""
    ends: dict[str, datetime | None] = {}
    for agent in found:
        try:
            over = standings(view, agent.workspace_id, None, agent.id, now)
        except UNREADABLE:
            ends[agent.id] = None
            continue
        renewed = [one.window.until for one in over if one.binds]
        if renewed:
            known = [one for one in renewed if one is not None]
            ends[agent.id] = max(known) if len(known) == len(renewed) else None
    return ends


def begun(tx: Tx, ids: Ids, run_id: str) -> None:
    """A run was begun: who has to know of a budget that is nearly used up is told."""
    run = runs.get(tx, run_id)
    assert run is not None, "it was born in this transaction"
    for one in _of_run(tx, run):
        if one.budget.meter is Meter.RUNS:
            alert(tx, ids, one, run.agent_id)


def booked(tx: Tx, ids: Ids, run: Run) -> list[str]:
    """Something was used: the runs that are to be broken off for it, marked (law 3)."""
    try:
        found = _of_run(tx, run)
    except UNREADABLE as error:
        log.error("budgets cannot be read run=%s", run.id, exc_info=error)
        return [run.id] if _mark(tx, run, "unreadable") else []
    over: dict[str, None] = {}
    for one in found:
        alert(tx, ids, one, run.agent_id)
        if not one.binds or one.budget.meter is Meter.RUNS:
            continue  # what has begun counted when it began
        for live in budgets.live_under(tx, one.budget):
            if _mark(tx, live, one.budget.id):
                over[live.id] = None
            if rule.pauses(one):
                _pause(tx, one.budget, live.agent_id)
    return list(over)


def _of_run(tx: Tx, run: Run) -> list[Standing]:
    task = tasks.get(tx, run.task_id) if run.task_id else None
    project = task.project if task else None
    return standings(tx, run.workspace_id, project, run.agent_id, tx.now)


def _mark(tx: Tx, run: Run, budget_id: str) -> bool:
    known = run.ended or {}
    if OVER_BUDGET in known or known.get("end"):
        return False
    runs.keep_ended(tx, run, {OVER_BUDGET: budget_id})
    data = {"agent_id": run.agent_id, "task_id": run.task_id, "reason": "budget"}
    subject, where = Subject("run", run.id), run.workspace_id
    journal.tell(tx, Kind.RUN_STOPPING, subject, workspace_id=where, data=data)
    return True


def _pause(tx: Tx, one: Budget, agent_id: str) -> None:
    agent = agents.get(tx, agent_id)
    if agent is not None and agent.status is AgentStatus.ACTIVE:
        agents.move(tx, agent, AgentStatus.PAUSED, SYSTEM, paused_reason=PAUSED_BY)
        budgets.pause(tx, one.id, agent_id)
        tx.nudge("queue")


# --- who is told --------------------------------------------------------------------------------


def alert(tx: Tx, ids: Ids, one: Standing, agent_id: str) -> None:
    """Once for each budget, window and threshold: an item, and the coordinator's wake (K-07)."""
    reached = rule.thresholds(one)
    if not reached:
        return
    threshold = reached[-1]
    key = f"budget:{rule.key(one, threshold)}"
    if inbox.of_key(tx, key) is not None:
        return
    _settle_items(tx, one, below=threshold)
    at_end = threshold == REACHED
    agent = agents.get(tx, agent_id)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BUDGET,
        Severity.CRITICAL if at_end else Severity.ATTENTION,
        key=key,
        subject=Subject("budget", one.budget.id),
        workspace_id=one.budget.workspace_id,
        data={
            **rule.facts(one),
            "says": "budget_reached" if at_end else "budget_near",
            "threshold": threshold,
            "agent_id": agent_id,
            "agent": agent.name if agent else None,
            "named": name_of(tx, one.budget),
            "options": inbox.options(ANSWERS if one.binds else ANSWERS[:1]),
        },
    )
    data = {**rule.facts(one), "threshold": threshold, "agent_id": agent_id}
    subject, where = Subject("budget", one.budget.id), one.budget.workspace_id
    journal.tell(tx, Kind.BUDGET_REACHED, subject, workspace_id=where, data=data)
    _wake_coordinator(tx, ids, one, threshold, agent_id)


def name_of(view: View, one: Budget) -> str:
    """Of whom it is, as people call it."""
    if one.scope is BudgetScope.PROJECT:
        return one.scope_id
    if one.scope is BudgetScope.AGENT:
        agent = agents.get(view, one.scope_id)
        return agent.name if agent else one.scope_id
    workspace = workspaces.get(view, one.workspace_id)
    return workspace.name if workspace else one.workspace_id


def _wake_coordinator(tx: Tx, ids: Ids, one: Standing, threshold: int, agent_id: str) -> None:
    """Never about its own budget: its wake would be held back by that (C-29)."""
    coordinator = agents.coordinator(tx, one.budget.workspace_id)
    if coordinator is None or agent_id == coordinator.id:
        return
    cause = wakeups.Cause(
        workspace_id=one.budget.workspace_id,
        agent_id=coordinator.id,
        source=Source.BUDGET_ALERT,
        reason="budget_alert",
        payload={"agent_id": agent_id, "budget_pct": one.percent},
        key=f"budget_alert:{rule.key(one, threshold)}",
    )
    wakers.wake(tx, ids.new(), cause)


def _settle_items(tx: Tx, one: Standing, *, below: int | None = None) -> None:
    """What is not so any more is asked no more; and 80 % is no news where 100 % is told."""
    for item in inbox.open_about(tx, Subject("budget", one.budget.id)):
        threshold = _threshold(item)
        passed = one.percent < threshold or one.waived or not one.budget.enabled
        if passed or (below is not None and threshold < below):
            inbox.resolve(tx, item, {"by": "cause", "percent": one.percent})


def _threshold(item: InboxItem) -> int:
    threshold = item.data.get("threshold")
    return threshold if isinstance(threshold, int) else REACHED


# --- there is room again ------------------------------------------------------------------------


def pass_time(tx: Tx, ids: Ids) -> None:
    """A window has ended, or old use counts no more."""
    for one in budgets.watched(tx):
        look_again(tx, ids, one, SYSTEM)


def look_again(tx: Tx, ids: Ids, one: Budget, actor: Actor) -> None:
    """After a change of it, or of time. What it holds back comes again where it holds no more."""
    try:
        now = standing(tx, one, tx.now)
    except UNREADABLE as error:
        log.error("budget cannot be read budget=%s", one.id, exc_info=error)
        return
    _settle_items(tx, now)
    if not now.binds or not one.enabled:
        free(tx, ids, one, actor)


def free(tx: Tx, ids: Ids, one: Budget, actor: Actor) -> None:
    """Its agents may work again, and what it held back is taken up, as a resume does (C-10)."""
    paused, held, freed = budgets.paused(tx, one.id), budgets.blocked(tx, one.id), 0
    for agent_id in paused:
        agent = agents.get(tx, agent_id)
        budgets.free_agent(tx, agent_id)
        by_us = agent is not None and agent.paused_reason == PAUSED_BY
        if agent is not None and by_us and agent.status is AgentStatus.PAUSED:
            agents.move(tx, agent, AgentStatus.ACTIVE, actor, paused_reason=None)
            coming_back.of_agent(tx, ids, agent, actor)
    by_agent: dict[str, list[str]] = {}
    for wakeup_id in held:
        wakeup = wakeups.get(tx, wakeup_id)
        assert wakeup is not None, "foreign keys hold"
        by_agent.setdefault(wakeup.agent_id, []).append(wakeup_id)
    for agent_id, wakeup_ids in by_agent.items():
        agent = agents.get(tx, agent_id)
        assert agent is not None, "foreign keys hold"
        freed += coming_back.freed(tx, ids, agent, wakeup_ids, actor)
    if paused or held:
        data = {"agents": len(paused), "wakeups": len(held)}
        subject, where = Subject("budget", one.id), one.workspace_id
        journal.tell(tx, Kind.BUDGET_FREED, subject, workspace_id=where, actor=actor, data=data)
        tx.nudge("queue")


def next_due(view: View, now: datetime) -> datetime | None:
    """When one of those that hold something back may have room again by itself."""
    dues: list[datetime] = []
    for one in budgets.watched(view):
        try:
            dues += _ends(view, one, now)
        except UNREADABLE:
            continue
    return min(dues, default=None)


def _ends(view: View, one: Budget, now: datetime) -> Sequence[datetime]:
    if one.meter is Meter.QUOTA:
        return resets(view, one, now)
    seen = standing(view, one, now)
    if one.period is not Period.ROLLING:
        return [seen.window.until] if seen.window.until else []
    oldest = budgets.oldest(view, one, seen.window.since)
    if oldest is None:
        return []
    return [oldest + timedelta(hours=one.hours or 1, microseconds=1)]


def resets(view: View, one: Budget, now: datetime) -> list[datetime]:
    """When the windows of its providers begin anew."""
    ends = [seen.resets_at for seen in _windows(view, one)]
    return [at for at in ends if at is not None and at > now]


def windows(view: View) -> list[QuotaWindow]:
    """Of everybody."""
    return quotas.every(view)


def _windows(view: View, one: Budget) -> list[QuotaWindow]:
    agent_id = one.scope_id if one.scope is BudgetScope.AGENT else ""
    return quotas.of(view, one.workspace_id, agent_id)

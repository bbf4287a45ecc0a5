"""Whom something is brought to that the work itself cannot settle, and how they hear of it (A-34,
C-66)."""

from collections.abc import Collection
from datetime import timedelta

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.attempts import Cause, Route, Trigger
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import AgentStatus, ErrorKind, Role, Source
from roundtable_desktop.model.waves import PlanAgent
from roundtable_desktop.rules import routes
from roundtable_desktop.rules.attempts import BY_CAUSE, RECOVERABLE
from roundtable_desktop.store import agents, runs, wakeups
from roundtable_desktop.store.db import Tx, View

HOUR, MOST = timedelta(hours=1), 20
"""Wakes of one agent by such news; a person hears of all."""
_ABLE = (AgentStatus.ACTIVE, AgentStatus.PAUSED)
_WORKING = (Role.DEBUGGER, Role.WORKER, Role.SPECIALIST, Role.ASSISTANT)
ESCALATED = "escalated"
"""Why the agent is woken."""


def people(view: View, workspace_id: str) -> list[PlanAgent]:
    """The agents of a workspace as a route sees them, those who can be woken now first."""
    found = [one for one in agents.every(view, workspace_id) if one.status in _ABLE]
    found.sort(key=lambda one: one.status is not AgentStatus.ACTIVE)
    live = [run.agent_id for run in runs.live(view)]
    return [PlanAgent(id=one.id, role=str(one.role), active=live.count(one.id)) for one in found]


def trigger_of(kind: ErrorKind | None, cause: Cause = Cause.WORK) -> Trigger:
    """As what a task that failed for good is escalated: what its worker said of the cause, the work
    itself, what only a person may allow, or all that no other attempt cures."""
    if cause in BY_CAUSE:
        return BY_CAUSE[cause][1]
    if kind is ErrorKind.PERMISSION_DENIED:
        return Trigger.PERMISSION
    work = kind is None or kind in RECOVERABLE
    return Trigger.REPEATED_FAILURE if work else Trigger.ENVIRONMENT


def route(
    view: View,
    workspace_id: str,
    trigger: Trigger,
    not_these: Collection[str] = (),
    *,
    of_design: bool = False,
) -> Route:
    """not_these: are not asked about their own work or failure."""
    able = [one for one in people(view, workspace_id) if one.id not in not_these]
    return routes.route(trigger, able, of_design=of_design)


def somebody_else(view: View, workspace_id: str, not_these: Collection[str]) -> str | None:
    """To show what others' work does; None: the planner finds somebody."""
    able = [one for one in people(view, workspace_id) if one.id not in not_these]
    for role in _WORKING:
        found = [one for one in able if one.role == role]
        if found:
            return min(found, key=lambda one: one.active).id
    return None


def tell(
    tx: Tx,
    ids: Ids,
    trigger: Trigger,
    *,
    task: Task,
    text: str,
    key: str,
    run: Run,
    failed_agent: str | None = None,
    of_design: bool = False,
) -> Route:
    """Wakes whom it is brought to, in a turn about no task, once for a key. run: in which it was
    found, or which failed. A coordinator's own
    failure wakes no coordinator: two of them would wake each other for ever (C-29)."""
    failed = agents.get(tx, failed_agent) if failed_agent else None
    able = [one for one in people(tx, task.workspace_id) if one.id != failed_agent]
    if failed is not None and failed.role is Role.COORDINATOR:
        able = [one for one in able if one.role != Role.COORDINATOR]
    found = routes.route(trigger, able, failed_agent=failed_agent, of_design=of_design)
    for one in found.woken:
        if wakeups.for_reason(tx, one.agent_id, ESCALATED, tx.now - HOUR) >= MOST:
            continue
        cause = wakeups.Cause(
            workspace_id=task.workspace_id,
            agent_id=one.agent_id,
            source=Source.AGENT_ERROR,
            reason=ESCALATED,
            payload={
                "agent_id": run.agent_id,
                "run_id": run.id,
                "error": text or str(trigger),
                "task_id": task.id,
                "trigger": str(trigger),
            },
            key=f"{ESCALATED}:{key}:{one.agent_id}",
        )
        wakers.wake(tx, ids.new(), cause)
    return found

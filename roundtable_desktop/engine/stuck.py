"""Asks a person when an agent says that it cannot go on, wakes the agent that it waits for, and
takes it back when it can (C-24)."""

from datetime import timedelta

from roundtable_desktop.engine import escalating, troubles, wakers
from roundtable_desktop.model.attempts import Trigger
from roundtable_desktop.model.messages import BlockedOn
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Agent, InboxItem, Run, Subject, Task, Wakeup
from roundtable_desktop.model.states import (
    AgentStatus,
    InboxKind,
    Role,
    RunOutcome,
    Severity,
    Source,
)
from roundtable_desktop.rules import routes
from roundtable_desktop.store import agents, approvals, inbox, wakeups
from roundtable_desktop.store.db import Tx

RETRY, DISMISS = "retry", "dismiss"

BLOCKED_ON = "blocked_on"
"""Why the agent is woken that another one waits for."""
HOUR, MOST = timedelta(hours=1), 6
"""Wakes of one agent by such reports: two that wait for each other must not run for ever (S-76)."""


def ended(
    tx: Tx, ids: Ids, run: Run, outcome: RunOutcome, task: Task | None, on: BlockedOn | None
) -> None:
    """Once for the same want of a task, or of one scope of an agent. on: what it waits for."""
    wakeup = wakeups.get(tx, run.wakeup_id)
    assert wakeup is not None
    if on is None:
        return troubles.ended_well(tx, run, outcome, wakeup)
    asked = _asked(tx, run, wakeup)
    if task is not None and approvals.open_of_task(tx, task.id):
        return  # the agent has put its question already, and the answer wakes it
    if any(_says(item, on) for item in asked):
        return
    if _comes_again(wakeup) or task is not None:
        _resolve(tx, asked)
    other = _named(tx, run, on)
    _ask(tx, ids, run, wakeup, task, on, other)
    if other is not None:
        _wake(tx, ids, run, task, on, other)
    elif task is not None and task.mission_id is not None and on.owner == "user":
        escalating.tell(
            tx,
            ids,
            Trigger.PRODUCT_CHOICE,
            task=task,
            text=on.action,
            key=f"choice:{run.id}",
            run=run,
            failed_agent=run.agent_id,
        )


def _named(tx: Tx, run: Run, on: BlockedOn) -> Agent | None:
    """The agent that it waits for, which is never itself."""
    if on.owner == "user":
        return None
    if on.owner == Role.COORDINATOR:
        found = agents.coordinator(tx, run.workspace_id)
    elif on.owner in routes.ASKED:
        found = _of_role(tx, run, on.owner)
    else:
        given = on.owner.removeprefix("agent:")
        found = agents.get(tx, given) or agents.named(tx, run.workspace_id, given)
    if found is None or found.workspace_id != run.workspace_id or found.id == run.agent_id:
        return None
    return found


def _of_role(tx: Tx, run: Run, role: str) -> Agent | None:
    """The first that is there of those who stand for it (C-66), another one than whoever asks."""
    able = [
        one
        for one in agents.every(tx, run.workspace_id)
        if one.status is AgentStatus.ACTIVE and one.id != run.agent_id
    ]
    wanted = routes.ASKED[role]
    found = [next((one for one in able if one.role == each), None) for each in wanted]
    return next((one for one in found if one is not None), agents.coordinator(tx, run.workspace_id))


def _wake(tx: Tx, ids: Ids, run: Run, task: Task | None, on: BlockedOn, other: Agent) -> None:
    """In a turn about no task: the task stays who has it. The person is asked as well, and is the
    only one to be after too many of them."""
    since = tx.now - HOUR
    if other.status in _GONE or wakeups.for_reason(tx, other.id, BLOCKED_ON, since) >= MOST:
        return
    about = {"task_id": task.id} if task is not None else {}
    cause = wakeups.Cause(
        workspace_id=run.workspace_id,
        agent_id=other.id,
        source=Source.AGENT_ERROR,
        reason=BLOCKED_ON,
        payload={
            "agent_id": run.agent_id,
            "run_id": run.id,
            "error": on.action,
            "blocked": True,
            **about,
        },
        key=f"{BLOCKED_ON}:{run.id}",
    )
    wakers.wake(tx, ids.new(), cause)


_GONE = (AgentStatus.STOPPED, AgentStatus.RETIRED)


def _ask(
    tx: Tx,
    ids: Ids,
    run: Run,
    wakeup: Wakeup,
    task: Task | None,
    on: BlockedOn,
    other: Agent | None,
) -> None:
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    answers = (RETRY,) if task is not None else (RETRY, DISMISS)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BLOCKED,
        Severity.ATTENTION,
        key=f"blocked:{run.id}",
        subject=_subject(run),
        workspace_id=run.workspace_id,
        data={
            "agent_id": run.agent_id,
            "agent": agent.name,
            "run_id": run.id,
            "wakeup_id": run.wakeup_id,
            "scope": wakeup.scope,
            **({"routine_id": wakeup.payload["routine_id"]} if _comes_again(wakeup) else {}),
            "owner": other.name if other is not None else on.owner,
            "action": on.action,
            "options": inbox.options(answers),
        },
    )


def _asked(tx: Tx, run: Run, wakeup: Wakeup) -> list[InboxItem]:
    return [
        item
        for item in inbox.open_about(tx, _subject(run))
        if item.kind is InboxKind.BLOCKED and item.data.get("scope") == wakeup.scope
    ]


def _subject(run: Run) -> Subject:
    return Subject("task", run.task_id) if run.task_id else Subject("agent", run.agent_id)


def _comes_again(wakeup: Wakeup) -> bool:
    """A routine asks the same of its agent each time, so a later run answers for an earlier one."""
    return wakeup.scope.startswith("routine:")


def _says(item: InboxItem, on: BlockedOn) -> bool:
    return item.data.get("action") == on.action


def _resolve(tx: Tx, items: list[InboxItem]) -> None:
    for item in items:
        inbox.resolve(tx, item, {"by": "cause"})

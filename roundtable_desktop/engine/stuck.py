"""Asks a person when an agent says that it cannot go on, and takes it back when it can (C-24)."""

from roundtable_desktop.engine import troubles
from roundtable_desktop.model.messages import BlockedOn
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import InboxItem, Run, Subject, Task, Wakeup
from roundtable_desktop.model.states import InboxKind, RunOutcome, Severity
from roundtable_desktop.store import agents, approvals, inbox, wakeups
from roundtable_desktop.store.db import Tx

RETRY, DISMISS = "retry", "dismiss"


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
    _ask(tx, ids, run, wakeup, task, on)


def _ask(tx: Tx, ids: Ids, run: Run, wakeup: Wakeup, task: Task | None, on: BlockedOn) -> None:
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    other = agents.get(tx, on.owner.removeprefix("agent:"))
    same = other is not None and other.workspace_id == run.workspace_id
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
            "owner": other.name if other is not None and same else on.owner,
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

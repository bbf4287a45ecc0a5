"""Asks a person about work that came back while there is nobody to take it up: no work waits in
silence."""

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import InboxItem, Subject, Task
from roundtable_desktop.model.states import AgentStatus, InboxKind, Severity
from roundtable_desktop.store import agents, inbox
from roundtable_desktop.store.db import Tx

TO_NOBODY = "returned_to_nobody"
RESUME, CANCEL = "resume", "cancel"
_OFF = (AgentStatus.STOPPED, AgentStatus.RETIRED)


def ask(tx: Tx, ids: Ids, task: Task) -> None:
    """Where its agent is stopped or retired, or it has none. Asked no more as soon as somebody
    works on it."""
    agent = agents.get(tx, task.assignee_agent_id) if task.assignee_agent_id else None
    if agent is not None and agent.status not in _OFF:
        return
    stopped = agent is not None and agent.status is AgentStatus.STOPPED
    why = "returned_stopped" if stopped else "returned_retired" if agent else "returned_unassigned"
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BLOCKED,
        Severity.ATTENTION,
        key=f"{TO_NOBODY}:{task.id}:{task.revision}",
        subject=Subject("task", task.id),
        workspace_id=task.workspace_id,
        data={
            "says": TO_NOBODY,
            "owner": "user",
            "number": task.number,
            "task_id": task.id,
            **({"agent_id": agent.id, "agent": agent.name} if agent else {}),
            "why": {"code": why, "agent": agent.name if agent else ""},
            "options": inbox.options((RESUME, CANCEL) if stopped else (CANCEL,)),
        },
    )


def is_of(item: InboxItem) -> bool:
    return item.data.get("says") == TO_NOBODY

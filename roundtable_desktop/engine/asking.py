"""Asks a person for a yes or a no: a task at the end of its work, or an agent within it."""

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Actor, Task
from roundtable_desktop.store import approvals
from roundtable_desktop.store.db import Tx


def ask_approval(
    tx: Tx,
    ids: Ids,
    task: Task,
    *,
    run_id: str | None = None,
    agent_id: str | None = None,
    text: str = "",
    impact: str | None = None,
) -> str:
    """The new approval's id. agent_id: who asks and is woken with the answer (K-67); without one
    the task itself is in review, and the answer moves it (K-54).
    impact: what a yes confirms of a change of what is asked (A-23)."""
    named = {"number": task.number, "title": task.title, "agent_id": agent_id, "text": text}
    return approvals.request(
        tx,
        Actor("agent", agent_id) if agent_id else SYSTEM,
        ids.new(),
        data={**named, **({"impact": impact} if impact else {})},
        id=ids.new(),
        workspace_id=task.workspace_id,
        task_id=task.id,
        run_id=run_id,
        agent_id=agent_id,
        text=text,
    )

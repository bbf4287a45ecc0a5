"""Asks a person when a wakeup has failed for good (K-35); the item goes when its cause does."""

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Run, Subject, Wakeup
from roundtable_desktop.model.states import InboxKind, Severity, WakeupOutcome
from roundtable_desktop.store import inbox
from roundtable_desktop.store.db import Tx

ANSWERS = ("retry", "mark_fixed", "pause_agent")
"""What can be done about it there (contract, Inbox kinds)."""


def escalate(
    tx: Tx, ids: Ids, wakeup: Wakeup, run: Run, *, outcome: WakeupOutcome, error_kind: str | None
) -> None:
    """Once for a wakeup. It is about the task where there is one, else about the agent."""
    about = Subject("task", run.task_id) if run.task_id else Subject("agent", run.agent_id)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.AGENT_ERROR,
        Severity.ATTENTION,
        key=f"agent.error:{wakeup.id}",
        subject=about,
        workspace_id=wakeup.workspace_id,
        data={
            "agent_id": run.agent_id,
            "run_id": run.id,
            "wakeup_id": wakeup.id,
            "outcome": outcome,
            "error_kind": error_kind,
            "options": [{"id": code, "kind": code, "name": code} for code in ANSWERS],
        },
    )

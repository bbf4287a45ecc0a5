"""Sessions: conversations with agents that later runs can load again (K-48)."""

from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.store import journal, runs
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Runs, Sessions

OF_ANOTHER = "program_before"
"""In what is kept of a run's end: its agent's command was changed while it ran."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation that the next run of this agent and task goes on with. external_id: the
    agent's own name for it. run_id: the last run that had it."""

    agent_id: str
    task_id: str
    external_id: str
    run_id: str
    created_at: datetime
    updated_at: datetime


def of(view: View, agent_id: str, task_id: str, model: str | None) -> str | None:
    """The agent's own name for its conversation about this task. One that was told a model keeps
    it; where none is to be told now, only a new one has the agent's own default."""
    rows = view.sql(
        "SELECT s.external_id, r.model FROM sessions s JOIN runs r ON r.id = s.run_id "
        "WHERE s.agent_id = ? AND s.task_id = ?",
        (agent_id, task_id),
    )
    if not rows or (model is None and rows[0]["model"] is not None):
        return None
    return str(rows[0]["external_id"])


def forget(tx: Tx, run: Run, reason: str) -> None:
    """It cannot be gone on with: this run begins a new one, and says why."""
    assert run.task_id is not None, "others have none to go on with (K-47)"
    here = (Sessions.agent_id == run.agent_id) & (Sessions.task_id == run.task_id)
    if tx.write(Sessions.delete().where(here)):
        journal.tell(
            tx,
            Kind.SESSION_DROPPED,
            Subject("run", run.id),
            workspace_id=run.workspace_id,
            data={"reason": reason},
        )


def forget_all(tx: Tx, agent_id: str) -> None:
    """Another program knows none of them (W-32), nor the one that a run of the program before may
    still open."""
    tx.write(Sessions.delete().where(Sessions.agent_id == agent_id))
    for run in runs.live(tx):
        if run.agent_id == agent_id:
            runs.keep_ended(tx, run, {OF_ANOTHER: True})


def keep(tx: Tx, run: Run, external_id: str, *, loaded: bool, note: str) -> None:
    """The run's conversation is the one that the next run of this agent and task loads, unless that
    will be another program's."""
    sent = run.resume_prompt if loaded else run.assembled_prompt
    told = Runs.update(session_id=external_id, assembled_prompt=sent)
    tx.write(told.where(Runs.id == run.id))
    now = runs.get(tx, run.id) or run
    if run.task_id is not None and OF_ANOTHER not in (now.ended or {}):
        fresh = {"external_id": external_id, "run_id": run.id, "updated_at": tx.now}
        tx.write(
            Sessions.insert(
                agent_id=run.agent_id, task_id=run.task_id, created_at=tx.now, **fresh
            ).on_conflict(conflict_target=[Sessions.agent_id, Sessions.task_id], update=fresh)
        )
    journal.tell(
        tx,
        Kind.SESSION_OPENED,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"session": external_id, "loaded": loaded, "note": note},
    )


def of_agent(view: View, agent_id: str, most: int) -> list[Kept]:
    """The newest first."""
    newest = Sessions.updated_at.desc()
    found = Sessions.select().where(Sessions.agent_id == agent_id).order_by(newest).limit(most)
    return view.all(Kept, found)

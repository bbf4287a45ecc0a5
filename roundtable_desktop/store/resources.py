"""What runs keep for themselves while they work; a claim ends with its run, never by age."""

from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Run, Subject
from roundtable_desktop.model.times import instant
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Leases

KIND = "claim"

# Ids hold no slash, and "0" comes next after it.
_HERE = """
SELECT l.key, l.run_id, l.created_at, r.agent_id, r.task_id
FROM leases AS l JOIN runs AS r ON r.id = l.run_id
WHERE l.kind = 'claim' AND l.key BETWEEN :workspace_id || '/' AND :workspace_id || '0'
ORDER BY l.key
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """resource: a path of the repository, or a name of that form."""

    resource: str
    run_id: str
    agent_id: str
    task_id: str | None
    since: datetime


def every(view: View, workspace_id: str) -> list[Claim]:
    return [
        Claim(
            resource=str(row["key"]).removeprefix(f"{workspace_id}/"),
            run_id=row["run_id"],
            agent_id=row["agent_id"],
            task_id=row["task_id"],
            since=instant(row["created_at"]),
        )
        for row in view.sql(_HERE, {"workspace_id": workspace_id})
    ]


def claim(tx: Tx, run: Run, resources: list[str]) -> None:
    """The caller has looked that nobody else has them."""
    for one in resources:
        key = f"{run.workspace_id}/{one}"
        tx.write(Leases.insert(kind=KIND, key=key, run_id=run.id, created_at=tx.now))
    _tell(tx, Kind.RUN_CLAIMED, run, resources)


def release(tx: Tx, run: Run, resources: list[str]) -> None:
    keys = [f"{run.workspace_id}/{one}" for one in resources]
    here = (Leases.kind == KIND) & (Leases.run_id == run.id) & Leases.key.in_(keys)
    if tx.write(Leases.delete().where(here)):
        _tell(tx, Kind.RUN_RELEASED, run, resources)


def _tell(tx: Tx, kind: Kind, run: Run, resources: list[str]) -> None:
    journal.tell(
        tx,
        kind,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        actor=Actor("agent", run.agent_id),
        data={"resources": resources, "agent_id": run.agent_id, "task_id": run.task_id},
    )

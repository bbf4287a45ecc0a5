"""What was decided about attempts that failed, as it was decided (A-27, A-30, A-31)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from roundtable_desktop.model.attempts import RetryAction
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.merges import Decided
from roundtable_desktop.model.records import Subject, Task
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.merge_tables import RetryDecisions
from roundtable_desktop.store.rows import read

_OF_MISSION = """
SELECT d.task_id, d.action, d.model, r.model AS failed FROM retry_decisions AS d
JOIN tasks AS t ON t.id = d.task_id LEFT JOIN runs AS r ON r.id = d.run_id
WHERE t.mission_id = ? ORDER BY d.id
"""
_BESIDE = """
SELECT 1 FROM runs AS r JOIN tasks AS t ON t.id = r.task_id
WHERE t.mission_id = :mission AND t.id NOT IN (:task, :root) AND t.workspace_strategy <> 'main'
AND (r.ended_at IS NULL OR r.ended_at > :since) LIMIT 1
"""


def of_task(view: View, task_id: str) -> list[Decided]:
    """Oldest first."""
    sql = "SELECT * FROM retry_decisions WHERE task_id = ? ORDER BY id"
    return [read(Decided, RetryDecisions, row) for row in view.sql(sql, (task_id,))]


def keep(tx: Tx, task: Task, **values: Any) -> Decided:
    """Told of with its reason; what follows from it is done beside it, in this transaction."""
    attempt = len(of_task(tx, task.id)) + 1
    tx.write(
        RetryDecisions.insert(
            workspace_id=task.workspace_id,
            task_id=task.id,
            attempt=attempt,
            created_at=tx.now,
            **values,
        )
    )
    kept = of_task(tx, task.id)[-1]
    journal.tell(
        tx,
        Kind.RETRY_DECIDED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        data={
            "number": task.number,
            "attempt": attempt,
            "action": str(kept.action),
            "change": kept.change and str(kept.change),
            "reason": kept.reason,
            "model": kept.model,
            "run_id": kept.run_id,
            "proposal_id": kept.proposal_id,
            "helper_task_id": kept.helper_task_id,
            **kept.evidence,
        },
    )
    return kept


@dataclass(frozen=True, slots=True)
class Way:
    """How a task goes on. alone: beside its next attempt nothing else is to be at work that writes.
    failed_models: it is not tried with these again."""

    alone: bool
    failed_models: tuple[str, ...]


def of_mission(view: View, mission_id: str) -> dict[str, Way]:
    """By ids of tasks about which something was decided; what was decided last counts."""
    found: dict[str, Way] = {}
    for row in view.sql(_OF_MISSION, (mission_id,)):
        before = found.get(row["task_id"], Way(alone=False, failed_models=()))
        failed = (str(row["failed"]),) if row["model"] and row["failed"] else ()
        models = tuple(dict.fromkeys((*before.failed_models, *failed)))
        alone = row["action"] == RetryAction.RETRY_SERIAL
        found[row["task_id"]] = Way(alone, models)
    return found


def model_of(view: View, task_id: str) -> str | None:
    """What its attempts are made with since one with another model failed."""
    named = [one.model for one in of_task(view, task_id) if one.model]
    return named[-1] if named else None


def conflicts_of(view: View, task_ids: Sequence[str]) -> int:
    """How often what these tasks proposed did not fit."""
    return sum(1 for one in task_ids for each in of_task(view, one) if each.proposal_id)


def anew_before(view: View, task_id: str, moment: datetime) -> int:
    """How often somebody else was to find the cause by then: attempts after that begin in a copy of
    their own, which has what that one changed."""
    sql = (
        "SELECT count(*) AS n FROM retry_decisions WHERE task_id = ? AND action = 'debug'"
        " AND run_id IS NOT NULL AND created_at < ?"
    )
    return int(view.sql(sql, (task_id, micros(moment)))[0]["n"])


def was_beside(view: View, task: Task, root_id: str, since: datetime) -> bool:
    """Whether another task of its mission that may write was at work at some time since then."""
    given = {"mission": task.mission_id, "task": task.id, "root": root_id, "since": micros(since)}
    return bool(view.sql(_BESIDE, given))

"""Gates: what a task must pass before it is done, in the order in which they are asked."""

import json
from collections.abc import Sequence
from typing import Any

from roundtable_desktop.model.gates import GATE, PARTICIPANT_CHANGED, Gate, GateKind, GateStatus
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject, Task
from roundtable_desktop.model.states import TaskStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import inbox, journal, verdicts, wakeups
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.gate_tables import Gates
from roundtable_desktop.store.rows import by_id, read

# By SQL text: each move of a task asks, and mostly there is none.
_OF_TASK = "SELECT * FROM gates WHERE task_id = ? AND status <> 'dropped' ORDER BY place"
_HAVE_SOME = """
SELECT DISTINCT task_id FROM gates
WHERE task_id IN (SELECT value FROM json_each(?)) AND status <> 'dropped'
"""
_OF_APPROVAL = "SELECT * FROM gates WHERE approval_id = ?"
# A task in review of which nobody is asked anything, and that nobody is going to be woken for: its
# settlement stood back for a word that was taken back since. By workspace, as the index is.
_LEFT = """
SELECT t.id FROM workspaces AS s
CROSS JOIN tasks AS t INDEXED BY tasks_status ON t.workspace_id = s.id AND t.status = 'in_review'
WHERE EXISTS (SELECT 1 FROM gates AS g WHERE g.task_id = t.id AND g.status <> 'dropped')
AND NOT EXISTS (SELECT 1 FROM gates AS g WHERE g.task_id = t.id AND g.status = 'asked')
AND NOT EXISTS (
    SELECT 1 FROM approvals AS a WHERE a.task_id = t.id AND a.status = 'requested'
)
AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS w
    WHERE w.task_id = t.id AND w.status IN ('queued', 'claimed')
)
AND NOT EXISTS (
    SELECT 1 FROM proposals AS p WHERE p.task_id = t.id AND (
        p.status = 'approved' OR p.status IN ('pending', 'in_review') AND NOT EXISTS (
            SELECT 1 FROM gates AS g
            WHERE g.task_id = t.id AND g.status IN ('waiting', 'returned')
        )
    )
)
ORDER BY t.id LIMIT ?
"""


def get(view: View, gate_id: str) -> Gate | None:
    return by_id(view, Gate, Gates, gate_id)


def of_task(view: View, task_id: str) -> list[Gate]:
    return [read(Gate, Gates, row) for row in view.sql(_OF_TASK, (task_id,))]


def have_some(view: View, task_ids: Sequence[str]) -> set[str]:
    """Which of these tasks have a gate: mostly few of many."""
    return {str(row["task_id"]) for row in view.sql(_HAVE_SOME, (json.dumps(task_ids),))}


def of_approval(view: View, approval_id: str) -> Gate | None:
    rows = view.sql(_OF_APPROVAL, (approval_id,))
    return read(Gate, Gates, rows[0]) if rows else None


def asked(view: View, task_id: str) -> Gate | None:
    """The one whose answer its task waits for."""
    return next((one for one in of_task(view, task_id) if one.status is GateStatus.ASKED), None)


def left_alone(view: View, most: int) -> list[str]:
    """Tasks in review with gates, for which nothing is going to happen by itself."""
    return [str(row["id"]) for row in view.sql(_LEFT, (most,))]


def add(tx: Tx, **values: Any) -> Gate:
    status = GateStatus.WAITING
    tx.write(Gates.insert(status=status, created_at=tx.now, updated_at=tx.now, **values))
    made = get(tx, values["id"])
    assert made is not None
    return made


def move(
    tx: Tx,
    gate: Gate,
    to: GateStatus,
    *,
    actor: Actor = SYSTEM,
    data: Json | None = None,
    **more: Any,
) -> Gate:
    """Whatever was asked of a person about it is over; it is what it was told to be now."""
    told = {"task_id": gate.task_id, "place": gate.place, "kind": gate.kind, **(data or {})}
    more = {"stuck": None, **more}
    journal.move(tx, GATE, gate, to=to, kind=Kind.GATE_MOVED, actor=actor, data=told, **more)
    _resolve(tx, gate, actor)
    moved = get(tx, gate.id)
    assert moved is not None
    return moved


def stick(tx: Tx, gate: Gate, stuck: Json | None) -> None:
    """Why a person has to say how it goes on; None: it goes on by itself again."""
    changed = {"stuck": stuck, "updated_at": tx.now, "revision": Gates.revision + 1}
    tx.write(Gates.update(**changed).where(Gates.id == gate.id))
    if stuck is None:
        _resolve(tx, gate, SYSTEM)


def _resolve(tx: Tx, gate: Gate, actor: Actor) -> None:
    for item in inbox.open_about(tx, Subject(GATE.name, gate.id)):
        inbox.resolve(tx, item, {"by": "cause"}, actor)


def overtaken(tx: Tx, task: Task, to: TaskStatus, actor: Actor) -> None:
    """The task is in review no more: nobody's answer is waited for."""
    if to is TaskStatus.IN_REVIEW:
        return
    for gate in of_task(tx, task.id):
        if gate.status is GateStatus.ASKED:
            withdraw(tx, gate, actor)
            move(tx, gate, GateStatus.WAITING, actor=actor)


def withdraw(tx: Tx, gate: Gate, actor: Actor = SYSTEM) -> None:
    """What was asked of its reviewers and is not answered; who is at work finds it so."""
    if gate.kind is not GateKind.REVIEW:
        return
    for verdict in verdicts.outstanding(tx, gate):
        verdicts.withdraw(tx, verdict, actor)
        waiting = wakeups.get(tx, verdict.wakeup_id) if verdict.wakeup_id else None
        if waiting is not None and waiting.status is WakeupStatus.QUEUED:
            wakeups.settle(
                tx,
                waiting,
                WakeupStatus.CANCELLED,
                outcome=WakeupOutcome.STALE,
                cancel_reason=PARTICIPANT_CHANGED,
                kind=Kind.WAKEUP_STALE_CANCELLED,
                actor=actor,
                data={
                    "reason": PARTICIPANT_CHANGED,
                    "task_id": gate.task_id,
                    "agent": waiting.agent_id,
                    "old_agent": waiting.agent_id,
                },
            )

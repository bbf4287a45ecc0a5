"""Judges how far a mission has come, and says what a person is told of it (R-14, A-36, A-37)."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from roundtable_desktop.engine.waves import Picture
from roundtable_desktop.model.convergence import Converged, ConvergedBy, Convergence, Open, TaskFact
from roundtable_desktop.model.records import Json, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, TaskStatus
from roundtable_desktop.model.waves import WavePlan, as_json
from roundtable_desktop.rules.convergence import converge
from roundtable_desktop.store.standing import Standing


def judge(seen: Picture, plan: WavePlan) -> Convergence:
    """What its graph says of itself goes before what its rows say."""
    found = by_rows(seen.tasks, seen.standing, plan.blocked_task_ids)
    if plan.faults and not _open(seen.standing).works:
        named = plan.blocked_task_ids
        return replace(found, state=Converged.BLOCKED, outcome=None, blocked=named)
    return found


def by_rows(tasks: Sequence[Task], stands: Standing, blocked: Collection[str]) -> Convergence:
    """By the mission's own rows; its root is left out, and what goes on for it counts (W-37).
    blocked: ids of tasks that stand, though their status does not say it."""
    facts = [
        TaskFact(id=one.id, status=str(one.status), optional=one.optional, stands=one.id in blocked)
        for one in tasks
    ]
    return converge(
        facts,
        stands.proposals,
        turn=stands.turn,
        still=_open(stands),
        gates_not_run=stands.gates_not_run,
    )


def _open(stands: Standing) -> Open:
    """A review of merged work that is not over holds the end as a gate does."""
    return replace(stands.open, gates=stands.open.gates + stands.reviews)


def has_no_work(seen: Picture, found: Convergence) -> bool:
    """Its coordinator has ended, has planned nothing and left nothing: nobody would ever come."""
    waits = found.reason is ConvergedBy.AWAITING_INITIAL_WORK
    return waits and seen.root.status in TERMINAL_TASKS and not seen.standing.open.anything


def ended(seen: Picture, found: Convergence, not_run: Sequence[str] = ()) -> Json:
    """What was done, and what was not: failed, skipped, taken back, gates that were not run.
    not_run: ids of reviews that were wanted and not made."""
    numbers = {one.id: one.number for one in seen.tasks}
    done = [one.number for one in seen.tasks if one.status is TaskStatus.DONE]
    return {
        "basis": found.basis,
        "done": done,
        "failed": [numbers[one] for one in found.failed],
        "skipped": [numbers[one] for one in found.skipped],
        "cancelled": [numbers[one] for one in found.cancelled],
        "gates_not_run": list(found.gates_not_run),
        "reviews_not_run": list(not_run),
    }


def blocked(seen: Picture, plan: WavePlan, found: Convergence) -> Json:
    """A-37: what is blocked, why, who has to decide, what there is to look at, and what would be a
    safe next step."""
    by_id = {one.id: one for one in seen.tasks}
    return {
        **ended(seen, found),
        "blocked": [_one(by_id[one], plan) for one in found.blocked if one in by_id],
        "faults": as_json(plan.faults),
        "required_decision": "mend_graph" if plan.faults else "unblock_tasks",
        "next_step": "reopen",
    }


def _one(task: Task, plan: WavePlan) -> Json:
    why = plan.tasks.get(task.id)
    return {
        "task_id": task.id,
        "number": task.number,
        "title": task.title,
        "why": as_json(why) if why is not None else None,
        "blocked": dict(task.blocked or {}),
        "evidence": {"task_id": task.id, "failure": task.last_failure_signature},
    }

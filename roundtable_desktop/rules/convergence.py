"""Whether a mission is active, blocked or completed, by its own rows alone (R-12…R-15, R-29).

The classes and the order of the questions are seed 000's; what it lacks is added so that a mission
is never called completed while something of it is open (W-37), and never without saying what
failed, what was skipped and which gates were not run (W-06, A-36).
"""

from collections.abc import Mapping, Sequence

from roundtable_desktop.model.convergence import (
    Converged,
    ConvergedBy,
    Convergence,
    MissionOutcome,
    Open,
    ProposalFact,
    TaskClass,
    TaskFact,
)
from roundtable_desktop.model.states import ProposalStatus, TaskStatus

_DONE = frozenset({"completed", "done", "closed"})
_CANCELLED = frozenset({"cancelled", "canceled"})
_FAILED = frozenset({"failed"})
_ACTIVE = frozenset(
    {"open", "in_progress", "pending", "review", "todo", "in_review", "interrupted", "running"}
)
_BLOCKED = frozenset({"blocked"})
KNOWN_TASKS = _DONE | _CANCELLED | _FAILED | _ACTIVE | _BLOCKED | frozenset(TaskStatus)

_ACTIVE_PROPOSALS = frozenset({"pending", "in_review", "revision_requested"})
_ACHIEVED = frozenset({ProposalStatus.MERGED, ProposalStatus.DELIVERED})


def task_class(status: str) -> TaskClass:
    """R-12: whatever is not known is active."""
    if status in _BLOCKED:
        return TaskClass.BLOCKED
    return TaskClass.TERMINAL if status in _DONE | _CANCELLED | _FAILED else TaskClass.ACTIVE


def is_active_proposal(status: str) -> bool:
    """R-13: whatever is not known is not."""
    return status in _ACTIVE_PROPOSALS


def converge(
    tasks: Sequence[TaskFact],
    proposals: Sequence[ProposalFact],
    *,
    turn: bool = False,
    still: Open | None = None,
    gates_not_run: Sequence[str] = (),
) -> Convergence:
    """turn: one that was asked for is not over (C-54). still: what else is going on.
    gates_not_run: those that a policy skipped; one that is required and open belongs in `still`."""
    still = still or Open()
    classes = {task.id: _class(task) for task in tasks}
    blocked = tuple(name for name, one in classes.items() if one is TaskClass.BLOCKED)
    unknown = _unknown(tasks, proposals)

    def told(state: Converged, reason: ConvergedBy) -> Convergence:
        return _told(tasks, proposals, state, reason, blocked, gates_not_run, unknown)

    if turn:
        return told(Converged.ACTIVE, ConvergedBy.PENDING_AGENT_TURN)
    if not tasks and not proposals:
        return told(Converged.ACTIVE, ConvergedBy.AWAITING_INITIAL_WORK)
    active = TaskClass.ACTIVE in classes.values() or any(
        is_active_proposal(one.status) for one in proposals
    )
    if active or unknown or still.works:
        return told(Converged.ACTIVE, ConvergedBy.WORK_REMAINS)
    if blocked:
        return told(Converged.BLOCKED, ConvergedBy.ALL_REMAINING_BLOCKED)
    if still.anything:
        return told(Converged.ACTIVE, ConvergedBy.WORK_REMAINS)
    return told(Converged.COMPLETED, ConvergedBy.ALL_TERMINAL)


def _class(task: TaskFact) -> TaskClass:
    """What was archived is over. What the planner cannot get going counts as blocked: else a
    mission would say for ever that work remains."""
    if task.archived:
        return TaskClass.TERMINAL
    found = task_class(task.status)
    return TaskClass.BLOCKED if task.stands and found is TaskClass.ACTIVE else found


def _taken_back(task: TaskFact) -> bool:
    """Cancelled, or archived before it was over."""
    over = task_class(task.status) is TaskClass.TERMINAL
    return task.status in _CANCELLED or (task.archived and not over)


def _unknown(tasks: Sequence[TaskFact], proposals: Sequence[ProposalFact]) -> Mapping[str, str]:
    found = {
        task.id: task.status
        for task in tasks
        if task.status not in KNOWN_TASKS and not task.archived
    }
    known = frozenset(ProposalStatus)
    return found | {one.id: one.status for one in proposals if one.status not in known}


def _told(
    tasks: Sequence[TaskFact],
    proposals: Sequence[ProposalFact],
    state: Converged,
    reason: ConvergedBy,
    blocked: tuple[str, ...],
    gates_not_run: Sequence[str],
    unknown: Mapping[str, str],
) -> Convergence:
    failed = tuple(one.id for one in tasks if one.status in _FAILED and not one.optional)
    skipped = tuple(one.id for one in tasks if one.status in _FAILED and one.optional)
    outcome = None
    if state is Converged.COMPLETED:
        outcome = _outcome(tasks, proposals, failed, skipped)
    return Convergence(
        state=state,
        reason=reason,
        outcome=outcome,
        failed=failed,
        skipped=skipped,
        cancelled=tuple(one.id for one in tasks if _taken_back(one)),
        blocked=blocked,
        gates_not_run=tuple(gates_not_run),
        unknown=unknown,
    )


def _outcome(
    tasks: Sequence[TaskFact],
    proposals: Sequence[ProposalFact],
    failed: Sequence[str],
    skipped: Sequence[str],
) -> MissionOutcome:
    """A-36. What was taken back is required no more."""
    achieved = any(one.status in _DONE for one in tasks) or any(
        one.status in _ACHIEVED for one in proposals
    )
    if failed or not achieved:
        return MissionOutcome.FAILED
    return MissionOutcome.WITH_FAILURES if skipped else MissionOutcome.COMPLETED

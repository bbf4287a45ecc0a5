"""What was decided about a task's failed attempts, as the gates of its explanation (A-31)."""

from collections.abc import Mapping

from roundtable_desktop.model.attempts import Change, RetryAction
from roundtable_desktop.model.merges import Decided
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import retries, tasks
from roundtable_desktop.store.db import View

GATE = "decided"
_APART = (Change.MODEL, Change.COMMANDS)
"""A new attempt with these has a sentence of its own."""


def of_task(view: View, task: Task) -> list[Mapping[str, object]]:
    """Oldest first, each with its reason; none of a loose task."""
    return [_told(view, one) for one in retries.of_task(view, task.id)] if task.mission_id else []


def _told(view: View, decided: Decided) -> Mapping[str, object]:
    apart = decided.action is RetryAction.RETRY and decided.change in _APART
    helper = tasks.get(view, decided.helper_task_id) if decided.helper_task_id else None
    of_kind = decided.reason in list(ErrorKind) and decided.reason != ErrorKind.MODEL_UNAVAILABLE
    detail: dict[str, object] = {
        "form": f"{decided.action}_{decided.change}" if apart else str(decided.action),
        "attempt": decided.attempt,
        "why": {"code": f"cause_{decided.reason}" if of_kind else f"why_{decided.reason}"},
        "model": decided.model,
        "helper": f"T-{helper.number}" if helper else None,
        "run_id": decided.run_id,
        "proposal_id": decided.proposal_id,
        "evidence": dict(decided.evidence),
    }
    at = rfc3339(decided.created_at)
    return {"gate": GATE, "verdict": str(decided.action), "detail": detail, "at": at}

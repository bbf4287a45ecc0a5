"""What a wakeup is called at one glance, in the very words that were promised (K-63)."""

from collections.abc import Mapping
from typing import Any

from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import WakeupOutcome, WakeupStatus
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.foresight import WORDS
from roundtable_desktop.phrases.marking import N_

CANCELLED: Mapping[str, str] = {
    "assignee_changed": N_("Cancelled - assignee changed"),
    "review_participant_changed": N_("Cancelled - review changed"),
    "task_done": N_("Cancelled - task completed"),
    "task_cancelled": N_("Cancelled - task cancelled"),
    "retry_task_cancelled": N_("Cancelled - task cancelled"),
    "retry_stale_assignee": N_("Cancelled - retry stale"),
    "task_failed": N_("Cancelled - task failed"),
    "task_not_found": N_("Cancelled - task gone"),
    "user_cancelled": N_("Cancelled - by you"),
    "mission_stopped": N_("Cancelled - mission stopped"),
    "run_stopped": N_("Cancelled - its run was stopped"),
}
"""By why it was cancelled; `task_…` by how its task is over."""

STATUSES: Mapping[str, str] = {
    "queued": N_("Waits"),
    "claimed": N_("At work"),
    "coalesced": N_("Merged"),
    "skipped": N_("Skipped"),
    "finished": N_("Finished"),
    "failed": N_("Failed for good"),
    "cancelled": N_("Cancelled"),
}

TONES: Mapping[str, str] = {"queued": "pending", "claimed": "running", "failed": "failed"}
"""By its status, the code whose colour it has."""


def status_word(status: str) -> str:
    return _(STATUSES[status])


def state_of(wakeup: Wakeup) -> tuple[str, str]:
    """The code that colours it, and its word."""
    tone = TONES.get(wakeup.status, str(wakeup.status))
    if wakeup.status is WakeupStatus.CANCELLED:
        why = _why(wakeup)
        return tone, _(CANCELLED[why]) if why in CANCELLED else status_word(wakeup.status)
    if wakeup.status is WakeupStatus.FINISHED and wakeup.outcome is not WakeupOutcome.EXECUTED:
        outcome = str(wakeup.outcome)
        word = _(WORDS[outcome]) if outcome in WORDS else label(outcome)
        return tone, _("Did not run: {why}").format(why=word)
    if wakeup.status is WakeupStatus.FINISHED:
        return "done", _("Ran")
    return tone, status_word(wakeup.status)


def recovered(wakeup: Wakeup) -> str:
    """Where the sweep made it again, because the one before was lost; else nothing."""
    return _("Recovered") if wakeup.reason == "recovery_sweep" else ""


def _why(wakeup: Wakeup) -> str:
    reason = wakeup.cancel_reason or ""
    return f"task_{_task_status(wakeup)}" if reason == "task_terminal" else reason


def _task_status(wakeup: Wakeup) -> str:
    """How its task was over when it was looked at: the last gate says so."""
    for decision in reversed(wakeup.decisions):
        detail: Any = decision.get("detail")
        if isinstance(detail, dict) and "status" in detail:
            return str(detail["status"])
    return ""

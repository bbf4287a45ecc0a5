"""What the activity is told of a wakeup that nobody wants any more (K-29, K-30, K-60)."""

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Json, Wakeup
from roundtable_desktop.model.states import WakeupOutcome
from roundtable_desktop.rules import admission


def outcome_of(reason: str) -> WakeupOutcome:
    stopped = reason == admission.MISSION_STOPPED
    return WakeupOutcome.MISSION_STOPPED if stopped else WakeupOutcome.STALE


def kind_of(reason: str) -> Kind:
    if reason == admission.MISSION_STOPPED:
        return Kind.WAKEUP_SETTLED
    of_retry = reason in admission.OF_RETRIES
    return Kind.WAKEUP_RETRY_CANCELLED if of_retry else Kind.WAKEUP_STALE_CANCELLED


def told(wakeup: Wakeup, reason: str) -> Json:
    """agent, old_agent: an id; the seed has a name of its own for each of the two codes."""
    agent_id = wakeup.agent_id
    return {
        "reason": reason,
        "task_id": wakeup.task_id,
        "agent": agent_id,
        "old_agent": agent_id,
    }

"""The word for each gate that a wakeup is asked at."""

from collections.abc import Mapping

from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

GATES: Mapping[str, str] = {
    "payload": N_("Payload"),
    "context": N_("Prompt"),
    "executor": N_("Model"),
    "agent_status": N_("Agent"),
    "account": N_("Provider"),
    "capacity": N_("Capacity"),
    "cooldown": N_("Rest"),
    "scheduled_retry": N_("Due time"),
    "staleness": N_("Relevance"),
    "mission_plan": N_("Plan"),
    "review_stage": N_("Review"),
    "mission_standing": N_("Mission"),
    "blockers": N_("What comes first"),
    "task_lease": N_("Task free"),
    "routine_standing": N_("Routine"),
    "idle_skip": N_("Something to do"),
    "probe": N_("Something new"),
    "budget": N_("Budget"),
    "launch": N_("Start"),
    "intake": N_("Intake"),
}


def gate_word(gate: str) -> str:
    """One that has none is shown as it is."""
    return _(GATES[gate]) if gate in GATES else gate

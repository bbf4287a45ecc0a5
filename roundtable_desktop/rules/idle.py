"""Whether a scheduled wake without a task is worth a run: is there anything to do, did anything
happen."""

from dataclasses import dataclass

from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import Adapter, Probe, WakeupOutcome
from roundtable_desktop.model.verdicts import Answer, Finish, Go

NO_TASKS = "no_actionable_tasks"


@dataclass(frozen=True, slots=True)
class Periodic:
    """A wake of a light routine that time alone set off; every other one proceeds (K-26, K-27).

    actionable: the agent's tasks that are `todo` or `in_progress`.
    happened: whether the workspace had an event since the routine's last run; None where it
    never ran.
    """

    agent: Agent
    probe: Probe
    actionable: int
    happened: bool | None


def idle(wake: Periodic) -> Answer:
    detail: dict[str, object] = {"actionable": wake.actionable, "agent": wake.agent.name}
    if not wake.agent.skip_idle_wakeups or wake.actionable:
        return Go(detail)
    return Finish(WakeupOutcome.IDLE_SKIPPED, {**detail, "reason": NO_TASKS})


def probe(wake: Periodic) -> Answer:
    """C-106: only where a run costs something; the built-in agent does not."""
    asked = wake.probe is Probe.WORKSPACE_EVENTS and wake.agent.adapter is not Adapter.DEMO
    detail: dict[str, object] = {"probe": str(wake.probe)}
    if not asked or wake.happened is not False:
        return Go(detail)
    return Finish(WakeupOutcome.PROBE_FALSE, {**detail, "reason": "nothing_happened"})

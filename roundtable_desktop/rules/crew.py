"""Who does a task: its assignee, or the eligible agent with the least to do (W-02, W-15)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from roundtable_desktop.model.states import Role
from roundtable_desktop.model.waves import STANDS, PlanAgent, PlanTask, Reason, Seen, Why, Work
from roundtable_desktop.rules.models import differs

ROLES: Mapping[Work, str] = {
    Work.EXECUTE: Role.WORKER,
    Work.VERIFY: Role.WORKER,
    Work.REVIEW: Role.REVIEWER,
    Work.DEBUG: Role.DEBUGGER,
}
INSTEAD: Mapping[str, Sequence[str]] = {
    Role.DEBUGGER: (Role.WORKER,),
    Role.ARCHITECT: (Role.COORDINATOR,),
    Role.SPECIALIST: (Role.WORKER,),
}
"""Who takes the place of a role that nobody has (C-66)."""


class Crew:
    """The agents while a plan is made: each task that is given away counts at once."""

    def __init__(self, seen: Seen) -> None:
        self._now, self._holds = seen.now, seen.resources.holds
        self._agents = {agent.id: agent for agent in seen.agents}
        self._given: dict[str, int] = dict.fromkeys(self._agents, 0)
        self._seq = {agent.id: agent.last_assigned_seq for agent in seen.agents}
        self._roles: dict[str, list[PlanAgent]] = {}
        for agent in seen.agents:
            self._roles.setdefault(agent.role, []).append(agent)

    def who(self, task: PlanTask) -> PlanAgent | Reason:
        """The agent that could begin it now, or why there is none. Nothing is given away yet."""
        if task.assignee_agent_id is not None:
            return self._assigned(task, task.assignee_agent_id)
        wanted = task.role or ROLES[task.work]
        reasons = []
        for role in (wanted, *INSTEAD.get(wanted, ())):
            found = self._of_role(task, role)
            if isinstance(found, PlanAgent) or found.code is Why.AGENT_BUSY:
                return found
            reasons.append(found)
        return next((one for code in _HOPE for one in reasons if one.code is code), reasons[0])

    def nobody(self, task: PlanTask) -> Reason | None:
        """Why no agent will take it before a person does something; None: one may, now or later."""
        found = self.who(task)
        return found if isinstance(found, Reason) and found.code in STANDS else None

    def give(self, agent: PlanAgent) -> None:
        self._given[agent.id] += 1
        self._seq[agent.id] = max(self._seq.values()) + 1

    def _assigned(self, task: PlanTask, agent_id: str) -> PlanAgent | Reason:
        agent = self._agents.get(agent_id)
        values: dict[str, object] = {"agent_id": agent_id}
        if agent is None or agent_id in task.barred_agents:
            refused = "unknown" if agent is None else "barred"
            return Reason(code=Why.AGENT_REFUSED, values={**values, "refused": refused})
        if (refusal := self._refusal(agent, values)) is not None:
            return refusal
        return agent if self._free(agent) else Reason(code=Why.AGENT_BUSY, values=values)

    def _of_role(self, task: PlanTask, role: str) -> PlanAgent | Reason:
        values: dict[str, object] = {"role": str(role)}
        all_of = [one for one in self._roles.get(role, ()) if one.id not in task.barred_agents]
        if not all_of:
            return Reason(code=Why.NO_AGENT, values=values)
        refusals = {one.id: self._refusal(one, values) for one in all_of}
        eligible = [one for one in all_of if refusals[one.id] is None]
        if not eligible:
            return min((one for one in refusals.values() if one is not None), key=_soonest)
        others = [one for one in eligible if one.id not in task.avoided_agents]
        free = [one for one in others or eligible if self._free(one)]
        if not free:
            return Reason(code=Why.AGENT_BUSY, values=values)
        return min(free, key=lambda one: self._order(task, one))

    def _order(self, task: PlanTask, agent: PlanAgent) -> tuple[bool, int, int, str]:
        same = task.work is Work.REVIEW and not differs(task, agent)
        return same, self._load(agent), self._seq[agent.id], agent.id

    def _load(self, agent: PlanAgent) -> int:
        return agent.active + agent.queued + self._given[agent.id]

    def _free(self, agent: PlanAgent) -> bool:
        return self._load(agent) < agent.capacity

    def _refusal(self, agent: PlanAgent, values: Mapping[str, object]) -> Reason | None:
        """A hold of its account counts as its own refusal does."""
        refused, until = agent.refused, agent.until
        if refused is None and agent.account in self._holds:
            refused, until = "account", self._holds[agent.account]
        over = until is not None and until <= self._now
        if refused is None or over:
            return None
        said = {**values, "refused": refused}
        if until is None:
            return Reason(code=Why.AGENT_REFUSED, values=said)
        return Reason(code=Why.AGENT_RESTS, values={**said, "until": until})


_HOPE = (Why.AGENT_RESTS, Why.AGENT_REFUSED)


def _soonest(reason: Reason) -> tuple[bool, datetime | str]:
    """Those that end by themselves first, and of these the next."""
    until = reason.values.get("until")
    return (False, until) if isinstance(until, datetime) else (True, str(reason.values["refused"]))

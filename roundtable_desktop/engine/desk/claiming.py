"""Resource claims of agents: what a run keeps for itself until it lets go or ends (R-16, S-67)."""

from collections.abc import Mapping, Sequence

from roundtable_desktop.engine.desk.in_name import Answer, InName
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Blocked, Conflict, Invalid
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.resources import overlap, tidy
from roundtable_desktop.store import agents, resources, runs, tasks
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.resources import Claim

MOST = 50
"""Of one run."""


class Claiming(InName):
    def acquire(self, holder: Holder, given: Sequence[str], key: str | None) -> Answer:
        """All of them or none. What the run has already is no conflict."""
        wanted = _names(given)

        def act(tx: Tx, run: Run) -> Subject:
            known = resources.every(tx, run.workspace_id)
            own = [one for one in known if one.run_id == run.id]
            for one in wanted:
                self._check_free(tx, one, known, run)
            new = [one for one in wanted if one not in {each.resource for each in own}]
            if len(own) + len(new) > MOST:
                raise Blocked("too_many_claims", most=MOST)
            if new:
                resources.claim(tx, run, new)
            return Subject("run", run.id)

        self._once(holder, key, f"claim:{chr(0).join(wanted)}", act, runs.get)
        return self._of(holder)

    def release(self, holder: Holder, given: Sequence[str], key: str | None) -> Answer:
        """Its own, or all of its own where none is named. What it does not have is free of it."""
        wanted = _names(given)

        def act(tx: Tx, run: Run) -> Subject:
            has = [
                one.resource
                for one in resources.every(tx, run.workspace_id)
                if one.run_id == run.id
            ]
            gone = [one for one in has if not wanted or one in wanted]
            if gone:
                resources.release(tx, run, gone)
            return Subject("run", run.id)

        self._once(holder, key, f"release:{chr(0).join(wanted)}", act, runs.get)
        return self._of(holder)

    def every(self, holder: Holder) -> Answer:
        """All of the workspace: an agent must see what it may not touch."""
        with self._reader.snapshot() as view:
            found = resources.every(view, holder.workspace_id)
            return {"claims": [_shown(view, holder, one) for one in found]}

    def _of(self, holder: Holder) -> Answer:
        with self._reader.snapshot() as view:
            found = resources.every(view, holder.workspace_id)
        return {"claims": [one.resource for one in found if one.run_id == holder.run_id]}

    def _check_free(self, tx: Tx, wanted: str, known: Sequence[Claim], run: Run) -> None:
        for one in known:
            if one.run_id != run.id and overlap(one.resource, wanted):
                agent = agents.get(tx, one.agent_id)
                assert agent is not None, "foreign keys hold"
                raise Conflict(
                    "claimed_by_another", "/resources", resource=one.resource, agent=agent.name
                )


def _names(given: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for place, one in enumerate(given):
        name = tidy(one)
        if name is None:
            raise Invalid("no_resource", f"/resources/{place}")
        found[name] = None
    return list(found)


def _shown(view: View, holder: Holder, one: Claim) -> Mapping[str, object]:
    agent, task = agents.get(view, one.agent_id), tasks.get(view, one.task_id or "")
    return {
        "resource": one.resource,
        "agent": agent.name if agent else None,
        "task": f"T-{task.number}" if task else None,
        "yours": one.run_id == holder.run_id,
        "since": rfc3339(one.since),
    }

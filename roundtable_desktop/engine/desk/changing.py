"""What an agent changes of the tasks below its own: their words, their order, and who does them."""

from collections.abc import Mapping, Sequence

from roundtable_desktop.engine.calling_off import call_off
from roundtable_desktop.engine.desk import Asked, board, reach, requirements, tasks
from roundtable_desktop.engine.desk.in_name import Answer, InName, named_agent, shown
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.missions import Impact
from roundtable_desktop.model.records import Actor, Run, Subject
from roundtable_desktop.store import missions, standing
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Tx

Words = str | Sequence[str]


class Changing(InName):
    def task(
        self,
        holder: Holder,
        task_id: str,
        values: Mapping[str, Words],
        assignee: str | None,
        blocked_by: Sequence[str] | None,
        key: str | None,
    ) -> Answer:
        """values: title, description, acceptance, expected_files, write_area, as far as they are
        to change."""
        if not values and assignee is None and blocked_by is None:
            raise Invalid("nothing_to_change")
        clean = {name: self._cleaned(holder, one) for name, one in values.items()}

        def act(tx: Tx, _: Run) -> Subject:
            task = reach.below(tx, holder, task_id)
            before = None if blocked_by is None else reach.before(tx, holder, blocked_by)
            agent = None if assignee is None else named_agent(tx, holder, assignee)
            asked = Asked(Actor("agent", holder.agent_id))
            tasks.change_now(tx, self._desk, asked, task, clean, agent, before)
            return Subject("task", task.id)

        words = f"update:{task_id}:{sorted(values.items())}:{assignee}:{blocked_by}"
        return shown(self._once(holder, key, words, act, rows.get))

    def assess(self, holder: Holder, impact: Impact, note: str, key: str | None) -> Answer:
        """What a change of what is wanted means for the mission that it leads: what waits for that
        goes on (A-23). Where nothing waits for it nothing is told."""
        clean = self._clean(holder, note)

        def act(tx: Tx, _: Run) -> Subject:
            task = reach.own(tx, holder)
            mission = missions.of_root(tx, task)
            if mission is None:
                raise Invalid("leads_no_mission", "/impact")
            if standing.paused(tx, mission.id):
                actor = Actor("agent", holder.agent_id)
                requirements.assess_now(tx, self._desk, actor, mission, impact, clean)
            return Subject("task", task.id)

        return shown(self._once(holder, key, f"assess:{impact}:{note}", act, rows.get))

    def block(
        self, holder: Holder, task_id: str, reason: str, owner: str, action: str, key: str | None
    ) -> Answer:
        """C-24, of a task below its own; a run that works on it is told to end."""
        told = {"reason": reason, "owner": owner, "action": action}
        clean = {name: self._clean(holder, one) for name, one in told.items()}
        ended: list[str] = []

        def act(tx: Tx, _: Run) -> Subject:
            task = reach.below(tx, holder, task_id)
            asked = Asked(Actor("agent", holder.agent_id))
            ended.extend(board.block_now(tx, self._desk, asked, task, **clean))
            return Subject("task", task.id)

        blocked = self._once(holder, key, f"block:{task_id}:{told}", act, rows.get)
        for run_id in ended:
            call_off(self._desk.launcher, run_id)
        return shown(blocked)

    def _cleaned(self, holder: Holder, given: Words) -> object:
        if isinstance(given, str):
            return self._clean(holder, given)
        return [self._clean(holder, one) for one in given]

"""What an agent sees of the state of things, and of what happens while it works."""

from collections import Counter
from collections.abc import Mapping, Sequence

from roundtable_desktop.engine import turns as flow
from roundtable_desktop.engine.desk import Desk, reach, turning
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.engine.desk.in_name import Answer, InName, shown
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.capabilities import purpose_of
from roundtable_desktop.store import agents, events, resources, runs, tasks, workspaces
from roundtable_desktop.store.db import Reader, View

AT_ONCE = 200
"""Events that one call looks through."""
MOST_AGENTS = 200

TOLD = (
    *("task_id", "run_id", "proposal_id", "agent_id", "from", "to", "status", "outcome", "reason"),
    *("number", "title", "text", "percent", "resources", "turn_id"),
)
"""What of an event an agent reads; the rest is for people."""

PRIVATE = frozenset({Kind.RUN_TOLD, Kind.RUN_CONTROLLED, Kind.RUN_STOPPING})
"""Said by a person to one run alone."""


class Seeing(InName):
    def __init__(self, desk: Desk, reader: Reader, hidden: Sequence[str] = ()) -> None:
        super().__init__(desk, reader, hidden)
        self._feed = Feed(desk.store, reader)

    def get(self, holder: Holder) -> Answer:
        """Where it is, who else is there, and how far its tasks are."""
        with self._reader.snapshot() as view:
            return _state(view, holder)

    def watch(self, holder: Holder, after: int | None, limit: int, seconds: float) -> Answer:
        """What happened after the event `after` to what it may see; None: from now on. Waits for
        something new at most so long, and answers then, with nothing, all the same."""
        turn = self._feed.turn
        found, last = self._after(holder, after, limit)
        if not found and seconds:
            self._feed.wait(last, seconds, turn)
            found, last = self._after(holder, last, limit)
        return {"events": [_event(one) for one in found], "next_cursor": str(last)}

    def _after(self, holder: Holder, after: int | None, limit: int) -> tuple[list[Event], int]:
        """(those that it may see, the last one that was looked at)."""
        with self._reader.snapshot() as view:
            newest = events.last_id(view)
            if after is None or after > newest:
                return [], newest
            looked = events.after(view, after, AT_ONCE, holder.workspace_id)
            seen = reach.seen(view, holder)
            found = [one for one in looked if _sees(holder, seen, one)]
        if len(found) > limit:
            return found[:limit], found[limit - 1].id
        return found, looked[-1].id if len(looked) == AT_ONCE else max(newest, after)


def _state(view: View, holder: Holder) -> dict[str, object]:
    run, workspace = runs.get(view, holder.run_id), workspaces.get(view, holder.workspace_id)
    if run is None or workspace is None:
        raise Absent("run_access_over")
    everyone = agents.every(view, holder.workspace_id)
    busy = Counter(one.agent_id for one in runs.live(view))
    me = next(one for one in everyone if one.id == holder.agent_id)
    task = tasks.get(view, holder.task_id) if holder.task_id else None
    below = tasks.below(view, task.id) if task else []
    claims = resources.every(view, holder.workspace_id)
    return {
        "you": {"name": me.name, "role": str(me.role), "agent_id": me.id},
        "run": {
            "id": run.id,
            "purpose": str(purpose_of(holder.task_id, holder.gate_id)),
            "base_commit": run.base_commit,
        },
        "workspace": {"name": workspace.name, "base_branch": workspace.base_branch},
        "task": shown(task) if task else None,
        "subtasks": dict(Counter(str(one.status) for one in below)),
        "agents": [
            {
                "name": one.name,
                "role": str(one.role),
                "status": str(one.status),
                "working": busy[one.id] > 0,
            }
            for one in everyone[:MOST_AGENTS]
            if one.status is not AgentStatus.RETIRED
        ],
        "turn": turning.shown(view, turn) if (turn := flow.own(view, run)) else None,
        "claims": [one.resource for one in claims if one.run_id == run.id],
        "cursor": str(events.last_id(view)),
    }


def _sees(holder: Holder, seen: Sequence[str] | None, event: Event) -> bool:
    if event.kind in PRIVATE:
        return False
    if event.subject_id == holder.run_id:
        return True
    about = {event.subject_id, event.data.get("task_id")}
    if seen is not None:
        return not about.isdisjoint(seen)
    return event.subject_type in ("task", "run", "proposal", "gate", "verdict", "approval", "turn")


def _event(event: Event) -> Mapping[str, object]:
    data = {name: event.data[name] for name in TOLD if name in event.data}
    return {
        "cursor": str(event.id),
        "at": rfc3339(event.at),
        "kind": event.kind,
        "about": {"type": event.subject_type, "id": event.subject_id},
        "data": data,
    }

"""What an edit of a routine makes of the days to come, beside what they would be without (N-04)."""

from collections.abc import Collection
from itertools import islice

from roundtable_desktop.model.agenda import Coming, ComingKind, Edited, Load
from roundtable_desktop.model.states import RoutineStatus
from roundtable_desktop.rules.agenda import MOST, UNKNOWN_SPAN, Known, walk

FIRST = 5
"""Fires of it that are told each."""

NO_FIRE = {f"routine_{status}" for status in RoutineStatus}
"""What would be due if it were active is not due."""


def side(known: Known, routine_id: str, agent_ids: Collection[str]) -> Edited:
    """agent_ids: whose load is told."""
    items = list(islice(walk(known), MOST + 1))
    whole = len(items) <= MOST
    due = [one for one in items[:MOST] if one.reason not in NO_FIRE]
    own = [one for one in due if one.routine_id == routine_id]
    runs = sum(one.will_run for one in own)
    loads = [_load(known, due, agent_id) for agent_id in agent_ids]
    return Edited(len(own), runs, own[:FIRST], [one for one in loads if one], whole)


def _load(known: Known, due: list[Coming], agent_id: str) -> Load | None:
    its = [one for one in due if one.agent_id == agent_id]
    names = {one.agent.id: one.agent.name for one in known.recurring}
    if agent_id not in names:
        return None
    runs = [one for one in its if one.will_run]
    seconds = known.spans.get(agent_id, UNKNOWN_SPAN).total_seconds() * len(runs)
    return Load(
        agent=names[agent_id],
        fires=sum(one.kind is ComingKind.FIRE for one in its),
        runs=len(runs),
        late=sum(one.reason == "capacity" for one in runs),
        seconds=round(seconds),
    )

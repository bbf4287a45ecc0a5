"""What the faces may see of summaries: each with the routine whose turns it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.summaries import Summary
from roundtable_desktop.store import routines, runs, summaries
from roundtable_desktop.store.db import Reader


@dataclass(frozen=True, slots=True)
class Kept:
    """run: the one that it was made after. Rows of both are never taken away (K-66)."""

    summary: Summary
    routine: Routine | None
    run: Run | None


class LookSummaries:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def page(self, agent: Agent, after: str | None, limit: int) -> Sequence[Kept]:
        """Those of the newest routines first; after: a routine's id."""
        with self._reader.snapshot() as view:
            found = summaries.of_agent(view, agent.id, after, limit)
            by = runs.of_ids(view, [one.updated_by_run_id for one in found])
            return [
                Kept(one, routines.get(view, one.routine_id), by.get(one.updated_by_run_id))
                for one in found
            ]

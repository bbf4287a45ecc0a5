"""What the faces may see of usage: sums, budgets as they stand, windows, and the week to come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.engine import budgets as engine
from roundtable_desktop.model.budgets import Budget, Standing
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.ports import RowClock
from roundtable_desktop.model.usage import Ahead, QuotaWindow, Total
from roundtable_desktop.rules import forecast
from roundtable_desktop.store import agents, budgets, lists, routines, tasks, usage
from roundtable_desktop.store.db import Reader, View

LATELY = timedelta(days=30)
MOST_DAYS = 92
"""Of one answer by days."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A budget; standing: None where it cannot be read. named: of whom it is. blocked: wakeups that
    it holds back. paused: names of agents that it paused."""

    budget: Budget
    standing: Standing | None
    named: str
    blocked: int
    paused: Sequence[str]

    @property
    def id(self) -> str:
        return self.budget.id


@dataclass(frozen=True, slots=True)
class WindowSeen:
    """used_permille: None where nobody knows how much of it is used now."""

    window: QuotaWindow
    agents: Sequence[str]
    used_permille: int | None


class LookUsage:
    """A part of `Look`."""

    def __init__(self, reader: Reader, clock: RowClock) -> None:
        self._reader, self._clock = reader, clock

    def page(self, after: str | None, limit: int, workspace_id: str | None = None) -> list[Seen]:
        """Newest first, for a list that is asked for piece by piece."""
        found = self.budgets(workspace_id)[::-1]
        return [one for one in found if after is None or one.id < after][:limit]

    def budgets(self, workspace_id: str | None = None) -> list[Seen]:
        with self._reader.snapshot() as view:
            return [self._seen(view, one) for one in budgets.every(view, workspace_id)]

    def of_agent(self, workspace_id: str, agent_id: str) -> list[Seen]:
        """Those that a run of the agent may meet, but for its task's project."""
        with self._reader.snapshot() as view:
            found = budgets.applying(view, workspace_id, None, agent_id)
            return [self._seen(view, one) for one in found]

    def budget(self, ref: str) -> Seen:
        with self._reader.snapshot() as view:
            found = budgets.get(view, ref) or lists.by_suffix(view, lists.BUDGETS, ref)
            if found is None:
                raise Absent("unknown_budget")
            return self._seen(view, found)

    def _seen(self, view: View, one: Budget) -> Seen:
        try:
            standing = engine.standing(view, one, self._clock.now())
        except engine.UNREADABLE:
            standing = None
        who = agents.of_ids(view, budgets.paused(view, one.id))
        paused = [agent.name for agent in who.values()]
        return Seen(
            one, standing, engine.name_of(view, one), len(budgets.blocked(view, one.id)), paused
        )

    def windows(self) -> list[WindowSeen]:
        """Of each provider, as its agents told of them."""
        now = self._clock.now()
        with self._reader.snapshot() as view:
            everyone = agents.every(view)
            return [
                WindowSeen(
                    one,
                    [agent.name for agent in everyone if agent.account == one.account],
                    one.used_now(now),
                )
                for one in engine.windows(view)
            ]

    def totals(
        self, by: str, since: datetime, until: datetime, workspace_id: str | None = None
    ) -> list[Total]:
        """by: agent, task, routine, model or all; each with its name."""
        with self._reader.snapshot() as view:
            found = usage.totals(view, by, since, until, workspace_id)
            names = _names(view, by, [one.key for one in found])
        return [replace(one, name=names.get(one.key or "", one.name)) for one in found]

    def days(
        self, since: datetime, until: datetime, zone: str, workspace_id: str | None = None
    ) -> list[Total]:
        """A sum for each day of that zone on which something was used, the last one first."""
        where = ZoneInfo(zone)
        day = max(since, until - timedelta(days=MOST_DAYS)).astimezone(where).date()
        found: list[Total] = []
        with self._reader.snapshot() as view:
            while _begins(day, where) < until:
                ends = min(_begins(day + timedelta(days=1), where), until)
                begins = max(_begins(day, where), since)
                for one in usage.totals(view, "all", begins, ends, workspace_id):
                    found.append(replace(one, key=day.isoformat(), name=day.isoformat()))
                day += timedelta(days=1)
        return found[::-1]

    def lately(self, agent_id: str, workspace_id: str) -> Total | None:
        """What the agent used in the last 30 days; None where it had no run."""
        now = self._clock.now()
        found = self.totals("agent", now - LATELY, now + timedelta(seconds=1), workspace_id)
        return next((one for one in found if one.key == agent_id), None)

    def expected(self, runs: Mapping[str, int]) -> Ahead:
        """What so many runs of each routine will use, from what its last ones did (N-14)."""
        with self._reader.snapshot() as view:
            found = [
                forecast.expected(
                    routine_id,
                    named.name if (named := routines.get(view, routine_id)) else routine_id,
                    count,
                    usage.of_routine(view, routine_id),
                )
                for routine_id, count in runs.items()
            ]
        return forecast.ahead(sorted(found, key=lambda one: (-(one.tokens[1] or 0), one.name)))


def _begins(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def _names(view: View, by: str, keys: Sequence[str | None]) -> dict[str, str]:
    known = [one for one in keys if one]
    if by == "agent":
        return {one.id: one.name for one in agents.of_ids(view, known).values()}
    if by == "task":
        found = tasks.of_ids(view, known).values()
        return {one.id: f"T-{one.number} {one.title}" for one in found}
    if by == "routine":
        seen = [routines.get(view, one) for one in known]
        return {one.id: one.name for one in seen if one is not None}
    return {}

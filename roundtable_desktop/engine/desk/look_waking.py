"""What the faces may see of wakes to come."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import explain, wakers
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Agent, Wakeup, Workspace
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import agents, lists, wakeups
from roundtable_desktop.store.db import Reader, View

MOST = 50
"""Of one workspace; more are not read on a page."""


@dataclass(frozen=True, slots=True)
class ToCome:
    """A wakeup that waits for its time; asked_for: in the words of who asked."""

    wakeup: Wakeup
    agent: Agent
    at: datetime
    asked_for: Sequence[str]


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A wakeup without a task that waits, which no open task tells of."""

    wakeup: Wakeup
    agent: Agent
    explanation: Explanation


class LookWaking:
    """At most MOST of either."""

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def to_come(self, workspace: Workspace) -> list[ToCome]:
        """Who will be woken there at a time that somebody named; the next first."""
        with self._reader.snapshot() as view:
            return [
                ToCome(one, agent, at, [text for text in map(asked_for, one.causes()) if text])
                for one in wakeups.to_come(view, workspace.id, MOST)
                if (agent := agents.get(view, one.agent_id)) and (at := one.scheduled_retry_at)
            ]

    def held_back(self, workspace: Workspace) -> list[HeldBack]:
        """Who is to be woken there without a task and has to wait, and why; the newest first."""
        with self._reader.snapshot() as view:
            now = self._clock.now()
            return [
                HeldBack(one, agent, explain.of_wakeup(view, one, now))
                for one in _queued_without_task(view, workspace)
                if one.held_by != "not_before" and (agent := agents.get(view, one.agent_id))
            ]

    def last_test(self, agent: Agent) -> Wakeup | None:
        """The newest wake by which somebody tested it."""
        with self._reader.snapshot() as view:
            tests = {"agent_id": agent.id, "reason": wakers.TEST}
            found = lists.page(view, lists.WAKEUPS, after=None, limit=1, **tests)
        return found[0] if found else None


def _queued_without_task(view: View, workspace: Workspace) -> list[Wakeup]:
    here = {"status": "queued", "workspace_id": workspace.id, "task_id": lists.NOTHING}
    return lists.page(view, lists.WAKEUPS, after=None, limit=MOST, **here)

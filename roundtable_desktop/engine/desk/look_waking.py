"""What the faces may see of wakes to come."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.records import Agent, Wakeup, Workspace
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import agents, wakeups
from roundtable_desktop.store.db import View


@dataclass(frozen=True, slots=True)
class ToCome:
    """A wakeup that waits for its time; asked_for: in the words of who asked."""

    wakeup: Wakeup
    agent: Agent
    at: datetime
    asked_for: Sequence[str]


MOST = 50
"""Of one workspace; more are not read on a page."""


def to_come(view: View, workspace: Workspace) -> list[ToCome]:
    """Who will be woken there at a time that somebody named; the next first."""
    return [
        ToCome(one, agent, at, [text for text in map(asked_for, one.causes()) if text])
        for one in wakeups.to_come(view, workspace.id, MOST)
        if (agent := agents.get(view, one.agent_id)) and (at := one.scheduled_retry_at)
    ]

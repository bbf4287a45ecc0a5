"""What the faces may see of long lists: runs and wakeups as they are looked for, and the feed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk.look_activity import Happened, named
from roundtable_desktop.model.feed import Piece, Sought
from roundtable_desktop.model.glance import Outstanding
from roundtable_desktop.model.records import Agent, Event, Json, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.states import WakeupStatus
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import agents, counts, feed, lists, sought_runs, tasks, workspaces
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class Woken:
    """A wakeup with whom it wakes, and for what. waits: why it has not run, while it waits. causes:
    each that it carries, with the words of whoever asked."""

    wakeup: Wakeup
    agent: Agent
    workspace: Workspace
    task: Task | None
    waits: Explanation | None
    causes: Sequence[tuple[Json, str]]


class LookLists:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def counts_of(self, workspace: Workspace) -> Outstanding:
        """How much there is of what it waits for."""
        with self._reader.snapshot() as view:
            return counts.of_workspace(view, workspace.id)

    def runs(self, after: str | None, limit: int, **sought: object) -> list[Run]:
        """sought: as in `store.sought_runs`."""
        with self._reader.snapshot() as view:
            return sought_runs.page(view, after=after, limit=limit, **sought)  # type: ignore[arg-type]

    def woken(self, found: Iterable[Wakeup], now: datetime) -> list[Woken]:
        with self._reader.snapshot() as view:
            return [_woken(view, one, now) for one in found]

    def tasks_numbered(self, number: int) -> list[Task]:
        """T-3 of each workspace."""
        with self._reader.snapshot() as view:
            return lists.page(view, lists.TASKS, after=None, limit=50, number=number)

    def named(self, found: Sequence[Event]) -> list[Happened]:
        """Events with what they name, in their order."""
        with self._reader.snapshot() as view:
            return named(view, found)

    def happened(self, before: int | None, limit: int, sought: Sought) -> Piece[Happened]:
        """What happened, newest first; see `store.feed`."""
        with self._reader.snapshot() as view:
            piece = feed.before(view, before, limit, sought)
            return Piece(named(view, piece.found), piece.on)

    def news(self, after: int, limit: int, sought: Sought) -> list[Happened]:
        """The newest of what happened after that event, newest first."""
        with self._reader.snapshot() as view:
            return named(view, feed.since(view, after, limit, sought))


def _woken(view: View, wakeup: Wakeup, now: datetime) -> Woken:
    agent, workspace = agents.get(view, wakeup.agent_id), workspaces.get(view, wakeup.workspace_id)
    assert agent is not None and workspace is not None, "foreign keys hold"
    waits = wakeup.status is WakeupStatus.QUEUED
    return Woken(
        wakeup,
        agent,
        workspace,
        tasks.get(view, wakeup.about) if wakeup.about else None,
        explain.of_wakeup(view, wakeup, now) if waits else None,
        [(one, asked_for(one)) for one in wakeup.causes()],
    )

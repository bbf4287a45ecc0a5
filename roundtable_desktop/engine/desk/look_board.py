"""What the faces may see of the board: tasks in columns, each with what can be done with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Agent, Run, Task, Workspace
from roundtable_desktop.model.states import LIVE_RUNS, TaskStatus
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.store import (
    agents,
    boards,
    dependencies,
    mission_sights,
    missions,
    runs,
    workspaces,
)
from roundtable_desktop.store.boards import Wanted
from roundtable_desktop.store.db import Reader, View

__all__ = ["COLUMNS", "HIDDEN", "Card", "Column", "LookBoard", "Step", "Wanted"]

COLUMNS: Mapping[str, tuple[TaskStatus, ...]] = {
    "todo": (TaskStatus.TODO,),
    "in_progress": (TaskStatus.IN_PROGRESS,),
    "still": (TaskStatus.BLOCKED, TaskStatus.INTERRUPTED, TaskStatus.FAILED),
    "in_review": (TaskStatus.IN_REVIEW,),
    "done": (TaskStatus.DONE,),
}
"""From left to right. What stands still waits for a person, and nobody moves a task there."""
HIDDEN: Mapping[str, tuple[TaskStatus, ...]] = {"cancelled": (TaskStatus.CANCELLED,)}
"""Shown when asked for alone."""
_OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Step:
    """A move that is possible now. wakes: the agent is woken by it; ends: a run is ended by it."""

    to: TaskStatus
    wakes: bool
    ends: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A task on the board.

    live: the run that works on it. attempt: the number of its newest one, 0 when there is none;
    most: how many there will be at most, None where it is not under way. since: when it came to its
    status. waiting_for: numbers of its blockers. why: None for what is over. mission, wave: what it
    is a part of, and the number of the newest wave that set it off.
    """

    task: Task
    workspace: Workspace
    agent: Agent | None
    live: Run | None
    attempt: int
    most: int | None
    since: datetime
    waiting_for: Sequence[int]
    why: Explanation | None
    steps: Sequence[Step]
    mission: Mission | None = None
    wave: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """count: of all its tasks; cards: of the first of them."""

    name: str
    cards: Sequence[Card]
    count: int

    @property
    def left_out(self) -> int:
        return self.count - len(self.cards)

    @property
    def running(self) -> int:
        return sum(card.live is not None for card in self.cards)


class LookBoard:
    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def columns(self, names: Sequence[str], wanted: Wanted, most: int) -> list[Column]:
        """most: cards of one column."""
        every = {**COLUMNS, **HIDDEN}
        with self._reader.snapshot() as view:
            now = self._clock.now()
            return [_column(view, name, every[name], wanted, most, now) for name in names]

    def counted(self, name: str, wanted: Wanted) -> int:
        with self._reader.snapshot() as view:
            return boards.count(view, {**COLUMNS, **HIDDEN}[name], wanted)

    def card(self, task: Task) -> Card:
        with self._reader.snapshot() as view:
            return _card(view, task, self._clock.now())


def _column(
    view: View,
    name: str,
    statuses: Sequence[TaskStatus],
    wanted: Wanted,
    most: int,
    now: datetime,
) -> Column:
    found = boards.of(view, statuses, wanted, most)
    number = len(found) if len(found) < most else boards.count(view, statuses, wanted)
    return Column(name, [_card(view, task, now) for task in found], number)


def _card(view: View, task: Task, now: datetime) -> Card:
    workspace = workspaces.get(view, task.workspace_id)
    assert workspace is not None, "foreign keys hold"
    last = runs.last_of_task(view, task.id)
    live = last if last is not None and last.status in LIVE_RUNS else None
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    return Card(
        task,
        workspace,
        agents.get(view, task.assignee_agent_id) if task.assignee_agent_id else None,
        live,
        attempt=(last.attempt_index or 0) if last else 0,
        most=most_attempts(task, last),
        since=boards.since(view, task),
        waiting_for=[one.number for one in dependencies.waiting_for(view, task.id)],
        why=None if task.status in _OVER else explain.of_task(view, task, now),
        steps=[_step(task, to, live) for to in board.moves(view, task)],
        mission=mission,
        wave=mission_sights.wave_of(view, task.id) if mission else None,
    )


def _step(task: Task, to: TaskStatus, live: Run | None) -> Step:
    taken = task.status is TaskStatus.IN_PROGRESS and live is not None
    return Step(to, wakes=board.wakes(task, to), ends=taken)


def most_attempts(task: Task, last: Run | None) -> int | None:
    """How many there will be at most, None where it is not under way. Each failure takes one of the
    budget at least; what is over has taken its own (A-08)."""
    if task.status is not TaskStatus.IN_PROGRESS or last is None or last.attempt_index is None:
        return None
    left = max(task.retry_budget - task.attempts_spent, 0)
    return last.attempt_index + left + (last.status not in LIVE_RUNS)

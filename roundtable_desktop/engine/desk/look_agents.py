"""What the faces may see of agents: what each does now, what wakes it next, what it left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import held
from roundtable_desktop.engine.desk.look_summaries import LookSummaries
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Agent, Event, Run, Subject, Task, Wakeup, Workspace
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import (
    AgentStatus,
    Role,
    RoutineStatus,
    TriggerKind,
    WakeupStatus,
)
from roundtable_desktop.model.verdicts import Explanation, Hold
from roundtable_desktop.store import (
    events,
    lists,
    routines,
    runs,
    sessions,
    tasks,
    workspaces,
)
from roundtable_desktop.store.db import Reader, View
from roundtable_desktop.store.sessions import Kept

MOST = 20
"""Of each kind of thing on one agent's page."""
STATES = {AgentStatus.ACTIVE: ("idle", "working")}


@dataclass(frozen=True, slots=True)
class AtWork:
    """An agent as it is now (C-89).

    state: idle | working | paused | stopped | retired. live: its runs. next_wake: the first instant
    at which something is due to wake it, None where nothing is or it may not run. waiting: how many
    wakeups are queued for it. held: what of its provider keeps it from starting. unscheduled: it is
    a coordinator, and no enabled routine wakes it (K-63).
    """

    agent: Agent
    workspace: Workspace
    state: str
    live: Sequence[Run]
    next_wake: datetime | None
    waiting: int
    held: Hold | None
    unscheduled: bool


@dataclass(frozen=True, slots=True)
class Woken:
    """A wakeup with what it is about; why: of one that waits."""

    wakeup: Wakeup
    task: Task | None
    why: Explanation | None


@dataclass(frozen=True, slots=True)
class Around:
    """What is on an agent's page. sessions: with the tasks that they are about."""

    routines: Sequence[Routine]
    next_fires: Mapping[str, datetime]
    wakeups: Sequence[Woken]
    sessions: Sequence[tuple[Kept, Task]]
    runs: Sequence[Run]
    events: Sequence[Event]


class LookAgents:
    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock
        self.summaries = LookSummaries(reader).page

    def at_work(self, found: Sequence[Agent]) -> list[AtWork]:
        with self._reader.snapshot() as view:
            live = runs.live(view)
            return [_at_work(view, one, live, self._clock.now()) for one in found]

    def around(self, agent: Agent) -> Around:
        with self._reader.snapshot() as view:
            now = self._clock.now()
            own = routines.of_agent(view, agent.id)
            newest = lists.page(view, lists.WAKEUPS, after=None, limit=MOST, agent_id=agent.id)
            talks = [
                (one, task)
                for one in sessions.of_agent(view, agent.id, MOST)
                if (task := tasks.get(view, one.task_id)) is not None
            ]
            return Around(
                routines=own,
                next_fires=_next_fires(_schedules(view, own)),
                wakeups=[_woken(view, one, now) for one in newest],
                sessions=talks,
                runs=lists.page(view, lists.RUNS, after=None, limit=MOST, agent_id=agent.id),
                events=events.of(view, Subject("agent", agent.id), 50)[::-1],
            )


def _at_work(view: View, agent: Agent, live: Sequence[Run], now: datetime) -> AtWork:
    workspace = workspaces.get(view, agent.workspace_id)
    assert workspace is not None, "foreign keys hold"
    own = [run for run in live if run.agent_id == agent.id]
    idle, working = STATES.get(agent.status, (str(agent.status), str(agent.status)))
    schedules = _schedules(view, routines.of_agent(view, agent.id))
    fires = _next_fires(schedules)
    queued = _queued(view, agent)
    due = [one.scheduled_retry_at for one in queued if one.scheduled_retry_at is not None]
    active = agent.status is AgentStatus.ACTIVE
    return AtWork(
        agent,
        workspace,
        state=working if own else idle,
        live=own,
        next_wake=min([*fires.values(), *due], default=None) if active else None,
        waiting=len(queued),
        held=held.of_agent(view, agent, now),
        unscheduled=_is_coordinator(agent) and not schedules,
    )


def _is_coordinator(agent: Agent) -> bool:
    return agent.role is Role.COORDINATOR and agent.status is not AgentStatus.RETIRED


def _queued(view: View, agent: Agent) -> list[Wakeup]:
    here = {"agent_id": agent.id, "status": str(WakeupStatus.QUEUED)}
    return lists.page(view, lists.WAKEUPS, after=None, limit=200, **here)


def _schedules(view: View, own: Sequence[Routine]) -> list[Trigger]:
    """What wakes it by time: the schedules that are on, of routines that are."""
    going = [one.id for one in own if one.status is RoutineStatus.ACTIVE]
    found = routines.triggers_of(view, going)
    every = (one for triggers in found.values() for one in triggers)
    return [one for one in every if one.enabled and one.kind is TriggerKind.SCHEDULE]


def _next_fires(schedules: Sequence[Trigger]) -> dict[str, datetime]:
    """By the ids of the routines that fire by themselves."""
    due: dict[str, datetime] = {}
    for one in schedules:
        if one.next_run_at is not None:
            due[one.routine_id] = min(one.next_run_at, due.get(one.routine_id, one.next_run_at))
    return due


def _woken(view: View, wakeup: Wakeup, now: datetime) -> Woken:
    waits = wakeup.status is WakeupStatus.QUEUED
    return Woken(
        wakeup,
        tasks.get(view, wakeup.about) if wakeup.about else None,
        explain.of_wakeup(view, wakeup, now) if waits else None,
    )

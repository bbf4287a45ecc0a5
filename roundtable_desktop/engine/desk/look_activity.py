"""What the events of a feed name, as it is now: the faces make sentences of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, Event, InboxItem, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.store import (
    agents,
    approvals,
    firings,
    inbox,
    missions,
    proposals,
    routines,
    runs,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import View

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """An event with what it names, where that is still there. actor: the agent that did it."""

    event: Event
    actor: Agent | None
    workspace: Workspace | None
    task: Task | None
    run: Run | None
    agent: Agent | None
    wakeup: Wakeup | None
    proposal: Proposal | None
    routine: Routine | None
    item: InboxItem | None
    mission: Mission | None


def named(view: View, found: Sequence[Event]) -> list[Happened]:
    look = _Looking(view)
    return [look.at(event) for event in found]


class _Looking:
    """Each thing is read once, however many events name it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._agent = self._by_id(agents.get)
        self._task = self._by_id(tasks.get)
        self._run = self._by_id(runs.get)
        self._wakeup = self._by_id(wakeups.get)
        self._proposal = self._by_id(proposals.get)
        self._routine = self._by_id(routines.get)
        self._workspace = self._by_id(workspaces.get)
        self._item = self._by_id(inbox.get)
        self._mission = self._by_id(missions.get)
        self._delivery = self._by_id(proposals.get_delivery)
        self._firing = self._by_id(firings.get)
        self._approval = self._by_id(approvals.get)

    def _by_id(self, get: Callable[[View, str], R | None]) -> Callable[[str | None], R | None]:
        @cache
        def read(an_id: str | None) -> R | None:
            return get(self._view, an_id) if an_id else None

        return read

    def at(self, event: Event) -> Happened:
        def id_of(noun: str) -> str | None:
            """The subject's, or the one that its data name."""
            if event.subject_type == noun:
                return event.subject_id
            given = event.data.get(f"{noun}_id")
            return given if isinstance(given, str) else None

        run = self._run(id_of("run"))
        wakeup = self._wakeup(id_of("wakeup"))
        proposal = self._proposal(id_of("proposal") or self._of_delivery(event))
        task = self._task(id_of("task") or _first_task(run, wakeup, proposal, self._asked(event)))
        agent = self._agent(id_of("agent") or _first_agent(run, wakeup))
        return Happened(
            event=event,
            actor=self._agent(event.actor_id) if event.actor_type == "agent" else None,
            workspace=self._workspace(event.workspace_id),
            task=task,
            run=run,
            agent=agent,
            wakeup=wakeup,
            proposal=proposal,
            routine=self._routine(id_of("routine") or self._of_firing(event)),
            item=self._item(id_of("inbox")),
            mission=self._mission(id_of("mission")),
        )

    def _of_delivery(self, event: Event) -> str | None:
        delivery = self._delivery(event.subject_id) if event.subject_type == "delivery" else None
        return delivery.proposal_id if delivery else None

    def _of_firing(self, event: Event) -> str | None:
        firing = self._firing(event.subject_id) if event.subject_type == "firing" else None
        return firing.routine_id if firing else None

    def _asked(self, event: Event) -> Any:
        return self._approval(event.subject_id) if event.subject_type == "approval" else None


def _first_task(*holders: Any) -> str | None:
    return next((one.task_id for one in holders if one is not None and one.task_id), None)


def _first_agent(*holders: Any) -> str | None:
    return next((one.agent_id for one in holders if one is not None), None)

"""What the tray may see besides the glance: who is at work, what comes next, what can be run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from roundtable_desktop.engine import agenda
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, Event, Json, Run, Task
from roundtable_desktop.model.routines import Firing
from roundtable_desktop.model.settings import GlobalSettings
from roundtable_desktop.model.states import FiringSource, FiringStatus
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import quiet
from roundtable_desktop.rules.variables import declared_of, resolve
from roundtable_desktop.store import (
    agents,
    firings,
    proposals,
    routines,
    runs,
    settings,
    tasks,
    wakeups,
)
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class AtWork:
    """A run that is not over. name: of its task, its routine, or its agent; minutes: since it
    began, None before that."""

    run_id: str
    agent: str
    name: str
    minutes: int | None


@dataclass(frozen=True, slots=True)
class Coming:
    """The next run that starts by time, as the agenda has it."""

    at: datetime
    name: str


@dataclass(frozen=True, slots=True)
class ByHand:
    """A routine that a person may run now. asks: it needs values that somebody has to type."""

    routine_id: str
    name: str
    asks: bool


@dataclass(frozen=True, slots=True)
class ToLookAt:
    """A proposal that waits for a person, with whose work it is: agent is "" of a mission's."""

    proposal: Proposal
    task: Task
    agent: str


@dataclass(frozen=True, slots=True)
class Late:
    """Fires by time that were due while the machine slept: all of them, and those that were made
    up for, whether their runs go on or are over."""

    due: int = 0
    run: int = 0


@dataclass(frozen=True, slots=True)
class Hours:
    """When the tray may speak, and of what. quiet: as `rules.quiet` reads it. muted_until,
    quiet_until: of what lasts now, else None."""

    only_needed: bool = False
    quiet: str = ""
    critical_passes: bool = True
    muted_until: datetime | None = None
    quiet_until: datetime | None = None

    @property
    def hushed(self) -> bool:
        return self.muted_until is not None or self.quiet_until is not None


NO_HOURS = Hours()
"""As they are where nobody chose anything."""


class LookTray:
    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def now(self) -> datetime:
        """Asks no database."""
        return self._clock.now()

    def at_work(self, most: int) -> list[AtWork]:
        """The newest."""
        with self._reader.snapshot() as view:
            return [self._at_work(view, run) for run in runs.live(view)[-most:]]

    def coming(self) -> Coming | None:
        with self._reader.snapshot() as view:
            found = agenda.soon(view, self._clock.now())
        if found is None or found.starts_at is None:
            return None
        return Coming(found.starts_at, found.name or found.agent)

    def by_hand(self, most: int) -> list[ByHand]:
        """Those that fired last come first."""
        with self._reader.snapshot() as view:
            found = routines.by_hand(view, most)
        return [ByHand(one.id, one.name, self._asks(one.variables)) for one in found]

    def to_look_at(self, most: int) -> list[ToLookAt]:
        """The newest first."""
        with self._reader.snapshot() as view:
            return [_to_look_at(view, one) for one in proposals.to_look_at(view, most)]

    def hours(self) -> Hours:
        with self._reader.snapshot() as view:
            return _hours(settings.of_home(view))

    def at_this_hour(self, hours: Hours) -> Hours:
        """With what of it lasts now; asks no database."""
        now = self._clock.now()
        muted, until = hours.muted_until, _quiet_until(hours.quiet, now)
        muted = muted if muted is not None and muted > now else None
        return replace(hours, muted_until=muted, quiet_until=until)

    def late(self, happened: Iterable[Event], begin: datetime, end: datetime) -> Late:
        """What of it fired of the time between the two."""
        named = [one.data.get("firing_id") for one in happened if one.kind == Kind.ROUTINE_FIRED]
        with self._reader.snapshot() as view:
            found = [firing for one in named if (firing := firings.get(view, str(one)))]
        late = [
            one
            for one in found
            if one.source is FiringSource.CRON and begin < one.scheduled_at <= end
        ]
        left_out = sum(_left_out(one) for one in late)
        fired = [one for one in late if not firings.was_missed(one)]
        run = [one for one in fired if one.status in _MADE_UP_FOR]
        return Late(len(fired) + left_out, len(run))

    def _at_work(self, view: View, run: Run) -> AtWork:
        agent, began = _agent(view, run.agent_id), run.started_at
        minutes = None if began is None else int((self._clock.now() - began).total_seconds() // 60)
        return AtWork(run.id, agent.name, _name(view, run) or agent.name, minutes)

    def _asks(self, variables: Sequence[Json]) -> bool:
        found = resolve(declared_of(variables), {}, self._clock.now())
        return bool(found.missing or found.faults)


_MADE_UP_FOR = (
    *(FiringStatus.RECEIVED, FiringStatus.TASK_CREATED),
    *(FiringStatus.DONE, FiringStatus.FAILED),
)
"""At work because of it, or over already."""


def _left_out(firing: Firing) -> int:
    """Due instants that have no row of their own."""
    left_out = (firing.missed or {}).get("left_out")
    count = left_out.get("count") if isinstance(left_out, dict) else 0
    return count if isinstance(count, int) else 0


def _name(view: View, run: Run) -> str:
    task = tasks.get(view, run.task_id) if run.task_id else None
    if task is not None:
        return f"T-{task.number} {task.title}"
    wakeup = wakeups.get(view, run.wakeup_id)
    named = wakeup.payload.get("routine_id") if wakeup is not None else None
    routine = routines.get(view, str(named)) if named else None
    return routine.name if routine is not None else ""


def _to_look_at(view: View, proposal: Proposal) -> ToLookAt:
    task = tasks.get(view, proposal.task_id)
    run = runs.get(view, proposal.run_id) if proposal.run_id else None
    assert task is not None, "foreign keys hold"
    return ToLookAt(proposal, task, _agent(view, run.agent_id).name if run else "")


def _quiet_until(text: str, now: datetime) -> datetime | None:
    """Quiet hours are of this machine's zone."""
    until = quiet.ends_at(text, now.astimezone().replace(tzinfo=None))
    return until.astimezone() if until is not None else None


def _agent(view: View, agent_id: str) -> Agent:
    agent = agents.get(view, agent_id)
    assert agent is not None, "foreign keys hold"
    return agent


def _hours(home: GlobalSettings) -> Hours:
    muted = home.muted_until
    return Hours(
        only_needed=home.notifications == "needed",
        quiet=home.quiet_hours,
        critical_passes=home.quiet_critical_passes,
        muted_until=None if muted is None else instant(muted),
    )

"""Gathers what decides about the days to come, and has the rules go through them (N-04)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from roundtable_desktop.engine import budgets, copied
from roundtable_desktop.engine.foresight import usual
from roundtable_desktop.engine.routine_gates import periodic
from roundtable_desktop.model.agenda import Agenda, Coming, ComingKind
from roundtable_desktop.model.records import Agent, Wakeup
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import Source, TriggerKind
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import admission
from roundtable_desktop.rules.agenda import (
    MOST,
    UNKNOWN_SPAN,
    Known,
    Recurs,
    Waits,
    may_run,
    walk,
)
from roundtable_desktop.rules.firing import title_line
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import (
    agents,
    firings,
    holds,
    routines,
    runs,
    settings,
    tasks,
    upcoming,
    workspaces,
)
from roundtable_desktop.store.db import View

ROUTINES = 500
"""Of one look, those that are due first; each may fire often."""
SOON = timedelta(days=8)
FEW, SOME = 20, 200
"""Routines that are due next, and times of theirs, through which is looked for the first run."""

_KINDS = {
    "not_before": ComingKind.WAKE,
    "retry": ComingKind.RETRY,
    "limit": ComingKind.RETRY,
    "interrupted": ComingKind.RETRY,
    "stumbled": ComingKind.RETRY,
}


def ahead(
    view: View, now: datetime, until: datetime, workspace_id: str | None
) -> tuple[Known, bool]:
    """What decides, and whether that is all of it."""
    ids = upcoming.routine_ids(view, until, workspace_id, ROUTINES + 1)
    waiting = upcoming.waiting(view, until, workspace_id, ROUTINES + 1)
    most = max(len(ids), len(waiting))
    found = upcoming.with_triggers(view, ids[:ROUTINES])
    return gathered(view, now, until, found, waiting[:ROUTINES]), most <= ROUTINES


def soon(view: View, now: datetime) -> Coming | None:
    """The first that will run, of the few that are due next."""
    until = now + SOON
    found = upcoming.with_triggers(view, upcoming.soonest_ids(view, FEW))
    waiting = upcoming.waiting(view, until, None, FEW)
    known = gathered(view, now, until, found, waiting)
    known = replace(known, recurring=[one for one in known.recurring if may_run(one)])
    return next((one for one in islice(walk(known), SOME) if one.will_run), None)


def told(known: Known, *, whole: bool) -> Agenda:
    items = list(islice(walk(known), MOST + 1))
    if len(items) <= MOST:
        return Agenda(known.now, known.until, items, whole)
    return Agenda(known.now, items[MOST].at, items[:MOST], whole=False)


def gathered(
    view: View,
    now: datetime,
    until: datetime,
    found: Sequence[tuple[Routine, Sequence[Trigger]]],
    waiting: Sequence[Wakeup] = (),
) -> Known:
    """found: routines with their triggers, as they are stored, or as somebody would have them."""
    home = settings.of_home(view)
    opened = home.intake == "open" and not copied.waits(view)
    by_itself = home.intake == "paused" and home.intake_until is not None
    known = {one.id: one for one in agents.every(view, None)}
    recurring = [
        _recurs(view, one, triggers, known[one.assignee_agent_id]) for one, triggers in found
    ]
    waits = [_waits(view, one) for one in waiting]
    each = (*(one.agent for one in recurring), *(one.agent for one in waits))
    who = {one.id: one for one in each}.values()
    spans = {one.id: _span(view, one) for one in who}
    return Known(
        now=now,
        until=until,
        recurring=recurring,
        waiting=waits,
        intake_open=opened,
        opens_at=instant(home.intake_until) if by_itself and home.intake_until else None,
        holds={one.id: holds.of_agent(view, one) for one in who},
        spans=spans,
        busy=_busy(view, now, spans),
        spent=budgets.spent(view, who, now),
    )


def compared(
    view: View, now: datetime, until: datetime, routine: Routine, triggers: Sequence[Trigger]
) -> tuple[Known, Known, Routine | None]:
    """Its workspace without and with the routine as somebody would have it, and the routine as it
    is; None where it is new."""
    where = routine.workspace_id
    ids = upcoming.routine_ids(view, until, where, ROUTINES)
    waiting = upcoming.waiting(view, until, where, ROUTINES)
    stored = routines.get(view, routine.id)
    others = upcoming.with_triggers(view, [one for one in ids if one != routine.id])
    as_it_is = upcoming.with_triggers(view, [routine.id])
    before = gathered(view, now, until, [*others, *as_it_is], waiting)
    return before, gathered(view, now, until, [*others, (routine, triggers)], waiting), stored


def _recurs(view: View, routine: Routine, triggers: Iterable[Trigger], agent: Agent) -> Recurs:
    on = [one for one in triggers if one.kind is TriggerKind.SCHEDULE and one.enabled]
    wake = periodic(view, routine, agent) if routine.template is None else None
    return Recurs(routine, agent, on, firings.at_work(view, routine.id), wake)


def _waits(view: View, wakeup: Wakeup) -> Waits:
    agent = agents.get(view, wakeup.agent_id)
    workspace = workspaces.get(view, wakeup.workspace_id)
    assert agent is not None and workspace is not None, "foreign keys hold"
    task = tasks.get(view, wakeup.task_id) if wakeup.task_id else None
    routine = routines.get(view, str(wakeup.payload.get("routine_id")))
    name = f"T-{task.number} {task.title}" if task else routine.name if routine else ""
    said = next((text for text in map(asked_for, wakeup.causes()) if text), "")
    by_person = wakeup.source is Source.USER
    wanted = admission.staleness(agent.id, wakeup.task_id, task, by_person=by_person)
    kind = _KINDS.get(wakeup.held_by or "", ComingKind.HELD)
    return Waits(
        wakeup, agent, kind, name or title_line(said, ""), workspace.timezone or "UTC", wanted
    )


def _span(view: View, agent: Agent) -> timedelta:
    return timedelta(seconds=usual(view, agent.id, UNKNOWN_SPAN.total_seconds()))


def _busy(view: View, now: datetime, spans: dict[str, timedelta]) -> dict[str, list[datetime]]:
    ends: dict[str, list[datetime]] = {}
    for run in runs.live(view):
        if run.agent_id in spans:
            usually = (run.started_at or now) + spans[run.agent_id]
            ends.setdefault(run.agent_id, []).append(max(now, usually))
    return ends

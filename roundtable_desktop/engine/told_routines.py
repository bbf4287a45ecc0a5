"""What an agent is told of the routine that woke it, with the values of this time.

Where a webhook sent the values, they stand in a fence of their own and the developer's text keeps
its places for them: nobody's words pass for the developer's (S-56).
"""

from collections.abc import Mapping
from dataclasses import replace

from roundtable_desktop.model.records import Json, Task
from roundtable_desktop.model.routines import Routine, Value
from roundtable_desktop.model.states import FiringSource
from roundtable_desktop.rules.firing import hash_of
from roundtable_desktop.rules.prompt import RoutineTold
from roundtable_desktop.rules.variables import TooLong, declared_of, fill
from roundtable_desktop.rules.woken import BUILT_IN
from roundtable_desktop.store import firings, routines
from roundtable_desktop.store.db import View


def told_routine(view: View, payload: Mapping[str, object]) -> RoutineTold | None:
    """payload: of the wakeup; the values of what was merged into it stand with each cause."""
    routine = routines.get(view, str(payload.get("routine_id", "")))
    if routine is None:
        return None
    given = payload.get("variables")
    values = dict(given) if isinstance(given, dict) else {}
    firing = firings.get(view, str(payload.get("firing_id", "")))
    sent = firing is not None and firing.source is FiringSource.WEBHOOK
    text = routine.description if sent else _filled(routine, values)
    return RoutineTold(routine.name, text, _shown(values))


def told_task(view: View, task: Task) -> tuple[Task, Mapping[str, object]]:
    """The task as its agent is told of it, and what a webhook sent for it. A text that somebody
    has changed since is that person's word, and stays as it is."""
    firing = firings.that_made(view, task.id) if task.routine_id is not None else None
    if firing is None or firing.unfilled is None:
        return task, {}
    told: Mapping[str, object] = firing.unfilled
    made = told.get("made")
    title, description = made if isinstance(made, list) else ("", "")
    if hash_of(task.title) == title:
        task = replace(task, title=str(told.get("title")))
    if hash_of(task.description) == description:
        task = replace(task, description=str(told.get("description")))
    return task, _shown(firing.trigger_payload)


def _shown(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in BUILT_IN}


def _filled(routine: Routine, values: Mapping[str, Value]) -> str:
    try:
        return fill(routine.description, values, declared_of(routine.variables))
    except TooLong:  # it was changed since it fired; the values stand below it
        return routine.description


def script_of(view: View, cause: Json) -> str:
    """The `@demo` lines of its description with its values, for the built-in agent."""
    payload = cause.get("payload")
    if not isinstance(payload, dict):
        return ""
    routine = routines.get(view, str(payload.get("routine_id", "")))
    given = payload.get("variables")
    return _filled(routine, given if isinstance(given, dict) else {}) if routine else ""

"""What an agent is told of the routine that woke it, with the values of this time."""

from collections.abc import Mapping

from roundtable_desktop.model.records import Json
from roundtable_desktop.rules.prompt import RoutineTold
from roundtable_desktop.rules.variables import TooLong, declared_of, fill
from roundtable_desktop.rules.woken import BUILT_IN
from roundtable_desktop.store import routines
from roundtable_desktop.store.db import View


def told_routine(view: View, payload: Mapping[str, object]) -> RoutineTold | None:
    """payload: of the wakeup; the values of what was merged into it stand with each cause."""
    routine = routines.get(view, str(payload.get("routine_id", "")))
    if routine is None:
        return None
    given = payload.get("variables")
    values = dict(given) if isinstance(given, dict) else {}
    try:
        text = fill(routine.description, values, declared_of(routine.variables))
    except TooLong:  # it was changed since it fired; the values stand below it
        text = routine.description
    shown = {name: value for name, value in values.items() if name not in BUILT_IN}
    return RoutineTold(routine.name, text, shown)


def script_of(view: View, cause: Json) -> str:
    """The `@demo` lines of its description, for the built-in agent."""
    payload = cause.get("payload")
    told = told_routine(view, payload) if isinstance(payload, dict) else None
    return told.description if told is not None else ""

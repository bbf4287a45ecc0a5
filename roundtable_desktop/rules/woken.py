"""The first part of a prompt: why the agent was woken, by whom and when (K-46, K-68)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.model.records import Json, Wakeup, stands_for
from roundtable_desktop.model.states import Source
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules.fences import fenced, quoted

Known = Mapping[str, str]
"""What ids in payloads mean, in words: an agent's name, `T-3`."""

BEFORE = {
    "attempt_retry": "An earlier attempt at this task failed; this is the next one.",
    "agent_resumed": "You were paused for a while; this waited for you.",
    "budget_freed": "A budget was used up for a while; this waited for you.",
    "recovery_sweep": "This was found waiting with nobody at work on it.",
    "followup": "While you were at work, more came in.",
    "mission_goal": "A mission has begun, and you lead it.",
    "wave": "The wave that your task belongs to has begun.",
    "review_returned": "Your work was reviewed and is not accepted as it is. Put right what the"
    " reviewers found, which stands below, and report again.",
}
"""Of the wakeup as a whole, before its causes."""

BUILT_IN = ("date", "datetime")
"""Variables that every firing of a routine has."""

INSTEAD = frozenset({"attempt_retry"})
"""Reasons that say all there is to say of a single cause."""

ASKED = {
    "mission_reopened": "The mission was opened again: see what is left, and go on.",
    "user_run": "The developer asked that this task be run now.",
    "mention": "The developer mentioned you.",
    "agent_test": "The developer tests whether you can be started and whether you answer.",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """One wake, read once. reason: of the wakeup that carries it."""

    source: Source
    reason: str
    payload: Mapping[str, Any]
    known: Known

    def name(self, field: str) -> str:
        """What the id in that field means; the id itself where nobody knows it any more."""
        given = str(self.payload.get(field, ""))
        return self.known.get(given, given)


def woken(wakeup: Wakeup, known: Known) -> str:
    wakes = wakeup.causes()
    causes = [_read(one, wakeup, known) for one in wakes]
    parts = ["# You were woken", BEFORE.get(wakeup.reason, "")]
    if len(causes) > 1:
        parts.append(_merged(wakes, causes))
    elif causes and wakeup.reason not in INSTEAD:
        parts.append(f"{_sentence(causes[0])} ({_when(wakes[0])})")
    parts += [_words(cause) for cause in causes]
    parts += _other_values(wakes, causes)
    return "\n\n".join(filter(None, parts))


def asked_for(cause: Json) -> str:
    """What whoever woke it wants it to do, in their words: a person's, or its own of earlier."""
    payload = cause.get("payload")
    if not isinstance(payload, dict):
        return ""
    context = payload.get("context")
    said = context.get("text") if isinstance(context, dict) else None
    own = payload.get("reason") if cause.get("source") == Source.SELF else None
    return str(said or own or "")


def _read(wake: Json, wakeup: Wakeup, known: Known) -> Cause:
    payload = wake.get("payload")
    fields = payload if isinstance(payload, dict) else {}
    return Cause(Source(str(wake["source"])), wakeup.reason, fields, known)


def _merged(wakes: Sequence[Json], causes: Sequence[Cause]) -> str:
    """Causes that came while the first of them waited, or while the agent worked (K-11, C-09)."""
    told = zip(wakes, causes, strict=True)
    lines = [f"- {_when(wake)}: {_sentence(one)}{_others(wake)}" for wake, one in told]
    number = sum(map(stands_for, wakes))
    return "\n".join([f"{number} causes became this one turn:", "", *lines])


def _others(wake: Json) -> str:
    number = stands_for(wake)
    return f" This is the last of {number} alike." if number > 1 else ""


def _other_values(wakes: Sequence[Json], causes: Sequence[Cause]) -> list[str]:
    """What a routine was given when it fired again; what it was given first stands with its
    description (K-11)."""
    told, seen = [], [dict(_values(causes[0]))] if causes else []
    for wake, cause in list(zip(wakes, causes, strict=True))[1:]:
        values = dict(_values(cause))
        if values and values not in seen:
            seen.append(values)
            text = json.dumps(values, ensure_ascii=False, indent=2, default=str)
            told.append(f"Variables of the routine at {_when(wake)}:\n\n{quoted(text)}")
    return told


def _values(cause: Cause) -> Mapping[str, object]:
    """But for those that every firing has: the prompt says when it was woken without them."""
    given = cause.payload.get("variables")
    values = given if cause.source is Source.ROUTINE and isinstance(given, dict) else {}
    return {name: value for name, value in values.items() if name not in BUILT_IN}


def _when(wake: Json) -> str:
    return _second(wake["at"])


def _second(at: object) -> str:
    return f"{instant(at):%Y-%m-%dT%H:%M:%SZ}" if isinstance(at, int) else ""


def _sentence(cause: Cause) -> str:
    return _SENTENCES[cause.source](cause)


def _of_routine(cause: Cause) -> str:
    return f"Your routine is due.{_missed(cause)}"


def _missed(cause: Cause) -> str:
    missed = cause.payload.get("missed_ticks")
    if not isinstance(missed, dict):
        return ""
    count, since, last = missed["count"], _second(missed["first"]), _second(missed["last"])
    if count == 1:
        return f" You missed 1 tick since {since}."
    return f" You missed {count} ticks since {since}. The last of them was due at {last}."


def _of_comment(cause: Cause) -> str:
    who = cause.known.get(str(cause.payload.get("comment_id")), "Somebody")
    return f"{who} commented on your task."


BROUGHT = {
    "product_choice": "somebody has to choose what is wanted",
    "architecture": "somebody has to say how its parts are to fit",
    "permission": "something was not allowed",
    "environment": "this machine or its tools do not allow it",
    "repeated_failure": "it failed again and again",
    "review_finding": "reviewers found something grave in what was merged",
}
"""Why something is brought to an agent (A-34)."""


def _of_error(cause: Cause) -> str:
    if (trigger := cause.payload.get("trigger")) is not None:
        return f"{cause.name('task_id')} is brought to you: {BROUGHT[str(trigger)]}."
    if cause.payload.get("blocked"):
        about = f" with {cause.name('task_id')}" if cause.payload.get("task_id") else ""
        return f"Agent {cause.name('agent_id')} cannot go on{about} and waits for you."
    run = cause.payload.get("run_id", "")
    return f"Agent {cause.name('agent_id')} failed for good in run {run}; nothing tries it again."


def _of_user(cause: Cause) -> str:
    return ASKED.get(cause.reason, "The developer asked for you.")


def _of_assignment(cause: Cause) -> str:
    match cause.payload.get("role"):
        case "reviewer":
            return "Your review of this task is asked for."
        case "approver":
            return "Your approval of this task is asked for."
    return f"A task was assigned to you.{_missed(cause)}"


def _of_blockers(cause: Cause) -> str:
    ids = cause.payload.get("resolved_blocker_ids")
    done = [cause.known.get(str(one), str(one)) for one in ids or ()]
    return f"What your task waited for is done: {', '.join(done)}."


def _of_approval(cause: Cause) -> str:
    return f"What you asked approval for was {cause.payload.get('status')}."


def _of_own_wake(cause: Cause) -> str:
    if cause.payload.get("turn_id"):
        return (
            "The turn that you asked for has come. Call turn_start at once, and turn_complete when"
            " you are done with it."
        )
    return "You asked to be woken now."


def _of_budget(cause: Cause) -> str:
    spent = cause.payload.get("budget_pct")
    return f"Agent {cause.name('agent_id')} has used {spent} % of its budget."


_SENTENCES: Mapping[Source, Callable[[Cause], str]] = {
    Source.ROUTINE: _of_routine,
    Source.COMMENT: _of_comment,
    Source.AGENT_ERROR: _of_error,
    Source.SELF: _of_own_wake,
    Source.USER: _of_user,
    Source.TASK_ASSIGNED: _of_assignment,
    Source.TASK_BLOCKERS_RESOLVED: _of_blockers,
    Source.TASK_CHILDREN_COMPLETED: lambda _: "All subtasks of your task are over.",
    Source.APPROVAL_RESOLVED: _of_approval,
    Source.BUDGET_ALERT: _of_budget,
}


def _words(cause: Cause) -> str:
    """What somebody said with it. The developer's word is no data: it is what is to be done."""
    match cause.source:
        case Source.USER:
            context = cause.payload.get("context") or {}
            return _said("The developer says:", context.get("text"))
        case Source.APPROVAL_RESOLVED:
            return _said("The developer says:", cause.payload.get("decision_note"))
        case Source.SELF:
            return _of_self(cause.payload)
        case Source.AGENT_ERROR if cause.payload.get("blocked"):
            return _waited_for(cause)
        case Source.AGENT_ERROR if cause.payload.get("trigger"):
            return _brought(cause)
        case Source.AGENT_ERROR:
            error = cause.payload.get("error")
            return f"{cause.name('agent_id')} ended with:\n\n{quoted(str(error))}" if error else ""
    return ""


def _waited_for(cause: Cause) -> str:
    asks = f"{cause.name('agent_id')} asks:\n\n{quoted(str(cause.payload.get('error')))}"
    task_id = cause.payload.get("task_id")
    how = f"Answer with a comment on its task (task_id {task_id}): that lets it go on."
    return f"{asks}\n\n{how}" if task_id else asks


def _brought(cause: Cause) -> str:
    said = f"{cause.name('agent_id')} says:\n\n{quoted(str(cause.payload.get('error')))}"
    task_id = cause.payload.get("task_id")
    how = f"See it with task_get (task_id {task_id}). A person is asked as well, and decides what"
    return f"{said}\n\n{how} you cannot."


def _of_self(payload: Mapping[str, Any]) -> str:
    more = payload.get("payload")
    kept = json.dumps(more, ensure_ascii=False, indent=2) if more else ""
    note = _said("You wrote down for this:", payload.get("reason"))
    return f"{note}\n\n{quoted(kept)}" if kept else note


def _said(lead: str, text: object) -> str:
    return f"{lead}\n\n{fenced(str(text), 'text')}" if text else ""

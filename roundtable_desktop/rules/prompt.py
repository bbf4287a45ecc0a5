"""The prompt, in Markdown, in the contract's order; empty parts are left out (K-46, K-68)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roundtable_desktop.model.records import Agent, Task, Wakeup, Workspace
from roundtable_desktop.model.states import Adapter, RunOutcome
from roundtable_desktop.rules.fences import fenced, quoted
from roundtable_desktop.rules.fitting import NOT_TAKEN
from roundtable_desktop.rules.woken import Known, woken

DEVELOPER = "The developer"

NUDGE = (
    "You ended your turn without a result. Report it now, as you were told under"
    " “How to report”: what is done, what failed, or what you need from whom."
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An earlier attempt, for what is new since: how it ended and what was said. unfit: why its
    report was not taken, a line for each thing."""

    index: int
    outcome: str
    text: str
    unfit: str = ""


@dataclass(frozen=True, slots=True)
class RoutineTold:
    """The routine that woke it. variables: as they were filled in, some from outside."""

    name: str
    description: str
    variables: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent is told. comments: (author, text) since its last turn, oldest first.

    routine: of a run without a task. known: what ids in its causes mean. before: the tasks that
    had to be done first, and are.
    """

    wakeup: Wakeup
    workspace: Workspace
    agent: Agent
    task: Task | None
    earlier: Sequence[Attempt] = ()
    comments: Sequence[tuple[str, str]] = ()
    routine: RoutineTold | None = None
    known: Known = field(default_factory=dict)
    before: Sequence[str] = ()


def prompt(told: Told) -> str:
    """The whole, for an agent that knows nothing yet."""
    return _joined(
        woken(told.wakeup, told.known),
        _task(told.task, told.workspace, told.before) if told.task else "",
        _routine(told.routine) if told.routine and not told.task else "",
        _since(told),
        _rules(told.agent, told.task),
        _report(told.agent),
    )


def resumed(told: Told) -> str:
    """For a conversation that goes on: only what is new (K-52)."""
    return _joined(woken(told.wakeup, told.known), _since(told), _report(told.agent))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _task(task: Task, workspace: Workspace, before: Sequence[str]) -> str:
    lines = [
        "# Your task",
        "",
        f"T-{task.number}: {task.title}",
        f"Base: {task.base_branch} of {workspace.name}",
        *(f"Done before it: {one}" for one in before),
    ]
    return "\n".join(lines) + (f"\n\n{task.description}" if task.description else "")


def _routine(routine: RoutineTold) -> str:
    parts = ["# Your routine", routine.name, routine.description]
    if routine.variables:
        values = json.dumps(dict(routine.variables), ensure_ascii=False, indent=2, default=str)
        parts.append(f"Its variables this time:\n\n{quoted(values)}")
    return "\n\n".join(part for part in parts if part)


def _since(told: Told) -> str:
    parts = []
    if told.earlier:
        parts.append(_ended(told.earlier[-1]))
    parts += [f"{author} wrote:\n\n{_said(author, text)}" for author, text in told.comments]
    return "\n\n".join(["# New since your last turn", *parts]) if parts else ""


def _ended(last: Attempt) -> str:
    which = f"Attempt {last.index}" if last.index else "Your last turn"
    broken_off = last.outcome == RunOutcome.INTERRUPTED
    said = "You were here, in your own words:" if broken_off else "It said:"
    how = f"{which} ended as {last.outcome}."
    parts = [f"{how} {said}\n\n{quoted(last.text)}" if last.text else how]
    if last.unfit:
        parts.append(f"{NOT_TAKEN}\n\n{quoted(last.unfit)}")
    return "\n\n".join(parts)


def _rules(agent: Agent, task: Task | None) -> str:
    lines = [
        "# Rules",
        "",
        f"You are {agent.name} ({agent.role}). You work in a copy of the repository that is yours"
        " alone; nothing you do there touches the developer's own files.",
    ]
    if task is not None:
        lines.append(
            "Leave your changes in the working tree; they are collected when you end."
            " You need not commit, and pushing is switched off."
        )
    else:
        lines.append(
            "It is at the newest commit of its branch. What you leave in it is kept for the"
            " developer to look at; it enters no branch, and your next turn begins without it."
        )
    return "\n".join(lines)


_BY_FILE = "When you are done, write a JSON file at the path in $ROUNDTABLE_RESULT_FILE:"
_BY_WORD = (
    "When you are done, call the tool task_result. If you do not have it, end your last message"
    " with a block that begins with ```roundtable-result and holds this JSON:"
)
_SHAPES = (
    '{"status": "completed", "summary": "what you did, in a few sentences"}\n\n'
    'Other statuses: "failed" with {"error": {"kind": "task_failed", "text": "…"}}, and'
    ' "blocked" with {"blocked": {"owner": "user", "action": "what you need"}}.'
)


def _report(agent: Agent) -> str:
    how = _BY_FILE if agent.adapter is Adapter.COMMAND else _BY_WORD
    return "\n".join(["# How to report", "", how, "", _SHAPES])


def _said(author: str, text: str) -> str:
    """What the developer says is no data: it is what is to be done."""
    return fenced(text, "text") if author == DEVELOPER else quoted(text)

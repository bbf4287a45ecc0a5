"""Leads a mission without a model: makes its tasks by tools, and says how they stand later."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from roundtable_desktop.demo.acts import Seat, act
from roundtable_desktop.demo.planning import parts_of
from roundtable_desktop.demo.script import Line

_LEADS = re.compile(r"^You lead this mission\b", re.MULTILINE)
_SAID = re.compile(r"^The developer wrote:$", re.MULTILINE)
_ASKED = re.compile(r"Answer with a comment on its task \(task_id ([0-9a-z]{6,64})\)")
_REFERS = "@"
ANSWER = (
    "I cannot ask anybody either. Go on with what seems right, and say in your report what you"
    " took for granted."
)
NAMED = 5
"""Tasks that a report names of each kind."""


def leads(texts: Sequence[str]) -> bool:
    """Whether one of these prompts makes it the leader of a mission."""
    return any(_LEADS.search(text) for text in texts)


def said(prompt: str) -> bool:
    """Whether the developer said something since its last turn."""
    return _SAID.search(prompt) is not None


def waits(prompt: str) -> str | None:
    """The task whose agent waits for an answer of this one."""
    found = _ASKED.search(prompt)
    return found[1] if found else None


def answer(seat: Seat, task_id: str) -> str:
    seat.call("task_comment", {"task_id": task_id, "text": ANSWER})
    return "answered who waited"


class Chair:
    """The seat from which a mission is led: what is asked for by title, and is there, is not made
    again, so that a turn that broke off can be done once more.

    In what a tool is given, `@TITLE` stands for the id of that task (where an id belongs), and
    `@ROLE` for an agent of that role (where an agent belongs), each in turn.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        mine = json.loads(seat.call("task_get", {}))
        self.goal = str(mine.get("description") or mine.get("title") or "")
        self.tasks: list[dict[str, Any]] = list(mine.get("subtasks") or [])
        self._agents: list[dict[str, Any]] | None = None
        self._given: Counter[str] = Counter()
        self._reported = False

    @property
    def folder(self) -> str:
        return self._seat.folder

    def say(self, text: str) -> None:
        self._seat.say(text)

    def tool(self, title: str, kind: str) -> None:
        self._seat.tool(title, kind)

    def pause(self, seconds: float) -> None:
        self._seat.pause(seconds)

    def ask(self, text: str) -> bool:
        return self._seat.ask(text)

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        self._seat.spend(tokens_in, tokens_out)

    def call(self, name: str, arguments: object) -> str:
        given = self._filled(arguments)
        self._reported = self._reported or name == "task_result"
        if name != "task_create" or not isinstance(given, dict):
            return self._seat.call(name, given)
        there = self.named(str(given.get("title")))
        if there is not None:
            return json.dumps(there)
        made = self._seat.call(name, given)
        self.tasks.append(json.loads(made))
        return made

    def report(self, result: Mapping[str, object]) -> None:
        """By tool, unless a line has done so already."""
        if not self._reported:
            self.call("task_result", {**result})

    def named(self, title: str) -> dict[str, Any] | None:
        return next((one for one in self.tasks if one.get("title") == title), None)

    def _filled(self, arguments: object) -> object:
        if not isinstance(arguments, dict):
            return arguments
        filled = {name: self._value(name, value) for name, value in arguments.items()}
        if isinstance(gates := filled.get("gates"), list):
            filled["gates"] = [one for one in gates if not _is_empty(one)]
        return filled

    def _value(self, name: str, value: object) -> Any:
        if isinstance(value, list):
            found = [self._value(name, one) for one in value]
            return [one for one in found if one is not None]
        if isinstance(value, dict):
            return {inner: self._value(inner, one) for inner, one in value.items()}
        if not isinstance(value, str) or not value.startswith(_REFERS):
            return value
        if name in ("task_id", "depends_on_task_id", "blocked_by"):
            there = self.named(value[1:])
            return there["id"] if there else value
        return self._agent(value[1:]) if name in ("assignee_agent", "agents") else value

    def _agent(self, role: str) -> str | None:
        """None: nobody has it."""
        if self._agents is None:
            state = json.loads(self._seat.call("state_get", {}))
            self._agents = list(state.get("agents") or [])
        names = sorted(str(one["name"]) for one in self._agents if one.get("role") == role)
        if not names:
            return None
        self._given[role] += 1
        return names[(self._given[role] - 1) % len(names)]


def _is_empty(gate: object) -> bool:
    """A review by nobody is none."""
    return isinstance(gate, dict) and gate.get("kind") == "review" and gate.get("agents") == []


def lead(chair: Chair, lines: Sequence[Line], done: list[str], *, changed: bool = False) -> None:
    """A turn: the plan, as far as it is not made yet, else how it stands. What is done is added to
    `done`. lines: what the goal or a comment says; without any the plan is its own. changed:
    whether the developer said something since."""
    wanted = [title for title in map(_title, lines) if title is not None]
    missing = [title for title in wanted if chair.named(title) is None]
    if lines and (missing or not wanted):
        for word, rest in lines:
            if told := act(chair, word, rest):
                done.append(told)
    elif not lines and not chair.tasks:
        for part in parts_of(_without_lines(chair.goal)):
            chair.call("task_create", {**part.arguments()})
            done.append(f"asked for: {part.title}")
    else:
        if changed:
            chair.call("task_update", {"impact": "implementation", "note": "It is taken up."})
            done.append("took up what is wanted now")
        done.append(stands(chair.tasks))


def _title(line: Line) -> str | None:
    """Of the task that a line asks for."""
    word, rest = line
    if word == "subtask":
        return rest
    name, _, words = rest.partition(" ")
    if word != "tool" or name != "task_create":
        return None
    try:
        given = json.loads(words or "{}")
    except ValueError:
        return None
    return str(given.get("title")) if isinstance(given, dict) else None


def _without_lines(goal: str) -> str:
    return "\n".join(line for line in goal.splitlines() if not line.startswith("@demo "))


def stands(tasks: Sequence[dict[str, Any]]) -> str:
    """How far the mission is, by the status of its tasks."""
    by_status: dict[str, list[str]] = {}
    for task in tasks:
        title = f"T-{task.get('number')} {task.get('title')}"
        by_status.setdefault(str(task.get("status")), []).append(title)
    told = []
    for status, titles in by_status.items():
        more = len(titles) - NAMED
        named = ", ".join(titles[:NAMED]) + (f" and {more} more" if more > 0 else "")
        told.append(f"{len(titles)} {status.replace('_', ' ')}: {named}")
    return "; ".join(told) or "no tasks"

"""Answers what an agent asks leave for: by a rule, or by a person's word."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.model.states import PermissionPolicy
from roundtable_desktop.runner.control import Answer
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.wire import BUSY, Refused, text, words

SERVER = "roundtable"
"""What the bridge to our own tools is called among an agent's MCP servers."""
OURS = re.compile(rf"mcp__{SERVER}__[a-z]+(?:_[a-z]+)+")
"""Claude Code's name for one of them."""

ALLOW = ("allow_once", "allow_always")
REJECT = ("reject_once", "reject_always")
OPTIONS = 16
NAME_BYTES = 200
TEXT_BYTES = 2000
ASKS = 10_000
"""Questions of one run; the spool, which holds them all, is never trimmed."""


@dataclass(frozen=True, slots=True)
class Option:
    """id: the agent's own, which differs between agents; so a rule chooses by kind."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Choice:
    """by: person | policy | deadline | end."""

    option: Option | None
    by: str


@dataclass(slots=True)
class _Open:
    options: Sequence[Option]
    choice: asyncio.Future[Choice]
    age: float = 0.0


class Asks:
    """The questions of one run. patience: seconds that one waits for a person. ours: the agent
    was given our own tools. What these may do is looked after behind them, so nobody is asked."""

    def __init__(self, policy: str, patience: float, record: Record, ours: bool = False) -> None:
        self._policy = policy
        self._patience = patience
        self._record = record
        self._ours = ours
        self._asked = 0
        self._open: dict[str, _Open] = {}
        self._over = False

    @property
    def open(self) -> bool:
        return bool(self._open)

    async def put(self, params: Mapping[str, Any]) -> Mapping[str, object]:
        """The answer to a `session/request_permission`. Raises Refused."""
        if self._asked >= ASKS:
            raise Refused(BUSY, "too many questions")
        self._asked += 1
        options, number = _options(params), str(self._asked)
        allowed = _of_kind(options, ALLOW)
        if self._ours and allowed and not self._over and _is_ours(words(params.get("toolCall"))):
            return _selected(allowed)
        self._record.note(
            "ask",
            ask=number,
            text=self._record.clean(_question(words(params.get("toolCall"))), TEXT_BYTES),
            options=[self._shown(option) for option in options],
        )
        choice = await self._choose(number, options)
        taken = choice.option
        shown = self._shown(taken)["id"] if taken else None
        self._record.note("answer", ask=number, option=shown, by=choice.by)
        if taken is None:
            return {"outcome": {"outcome": "cancelled"}}
        return _selected(taken)

    def reply(self, ask: object, option: object) -> Answer:
        """A person's word. option: an id or a kind of that question."""
        waiting = self._open.get(str(ask))
        if waiting is None or waiting.choice.done():
            return {"ok": False, "why": "no such question"}
        ids = {self._shown(one)["id"]: one for one in waiting.options}
        taken = ids.get(str(option)) or _of_kind(waiting.options, (str(option),))
        if taken is None:
            return {"ok": False, "why": "no such option"}
        waiting.choice.set_result(Choice(taken, "person"))
        return {"ok": True}

    def grow_older(self, seconds: float) -> None:
        for waiting in self._open.values():
            waiting.age += seconds
            if waiting.age >= self._patience:
                _settle(waiting, Choice(_of_kind(waiting.options, REJECT), "deadline"))

    def close(self) -> None:
        """The turn is over or is being cancelled: nobody waits for an answer any more."""
        for waiting in self._open.values():
            _settle(waiting, Choice(None, "end"))

    def close_for_good(self) -> None:
        self._over = True
        self.close()

    async def _choose(self, number: str, options: Sequence[Option]) -> Choice:
        if self._over:
            return Choice(None, "end")
        if self._policy == PermissionPolicy.ALLOW:
            return Choice(_of_kind(options, ALLOW), "policy")
        if self._policy == PermissionPolicy.DENY:
            return Choice(_of_kind(options, REJECT), "policy")
        waiting = _Open(options, asyncio.get_running_loop().create_future())
        self._open[number] = waiting
        try:
            return await waiting.choice
        finally:
            del self._open[number]

    def _shown(self, option: Option) -> dict[str, str]:
        parts = {"id": option.id, "name": option.name, "kind": option.kind}
        return {key: self._record.clean(value, NAME_BYTES) for key, value in parts.items()}


def _settle(waiting: _Open, choice: Choice) -> None:
    if not waiting.choice.done():
        waiting.choice.set_result(choice)


def _selected(option: Option) -> Mapping[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option.id}}


def _is_ours(call: Mapping[str, Any]) -> bool:
    """By what the agent calls the tool. A command may be called anything, and is none of them."""
    named = OURS.fullmatch(text(call.get("title"))) is not None
    return named and call.get("kind") == "other" and "command" not in words(call.get("rawInput"))


def _options(params: Mapping[str, Any]) -> list[Option]:
    given = params.get("options")
    if not isinstance(given, list):
        return []
    parts = [words(one) for one in given[:OPTIONS]]
    return [
        Option(text(one.get("optionId")), text(one.get("name")), text(one.get("kind")))
        for one in parts
    ]


def _of_kind(options: Sequence[Option], kinds: Sequence[str]) -> Option | None:
    """Of the first kind that is offered at all."""
    return next((one for kind in kinds for one in options if one.kind == kind), None)


def _question(call: Mapping[str, Any]) -> str:
    """A command is shown even where the agent's title leaves it out."""
    title = text(call.get("title")) or text(call.get("kind")) or "permission"
    command = text(words(call.get("rawInput")).get("command"))
    return title if command in title else f"{title}\n{command}"

"""Adds up what an ACP agent says that its turns cost: one message for each turn."""

import json
from collections.abc import Mapping
from typing import Any

from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.wire import words

RAW_BYTES = 4096
"""Of what is kept as it came; more than that is left out."""


MOST = 2**53
"""A figure beyond it is none."""


class Usage:
    """Agents report a session's cost as a sum; a turn's is the difference of two of them."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._update: Mapping[str, Any] = {}
        self._told = True
        self._before: float | None = 0.0

    def resume(self) -> None:
        """The session is an old one: what it cost before is not known until the agent says so."""
        self._before = None

    def replay(self, update: Mapping[str, Any]) -> None:
        """What a loaded session says of its past."""
        self._before = _dollars(update)

    def take(self, update: Mapping[str, Any]) -> None:
        """A `usage_update`; they come often, and the last one of a turn counts."""
        self._update = update
        self._told = False

    def end_turn(self, result: Mapping[str, Any]) -> None:
        """result: of `session/prompt`; {} when it never came."""
        usage = words(result.get("usage"))
        if self._told and not usage and not words(result.get("_meta")):
            return
        total = None if self._told else _dollars(self._update)
        cost = None
        if total is not None and self._before is not None:
            cost = round(total - self._before, 9)
        self._record.note(
            "usage",
            input_tokens=_whole(usage.get("inputTokens")),
            output_tokens=_whole(usage.get("outputTokens")),
            cached_tokens=_whole(usage.get("cachedReadTokens")),
            cost_usd=cost,
            raw=self._raw(usage, words(result.get("_meta"))),
        )
        if total is not None:
            self._before = total
        self._told = True

    def _raw(self, usage: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
        update = {} if self._told else self._update
        parts = {"usage": usage, "update": update, "meta": meta}
        told = {name: part for name, part in parts.items() if part}
        try:
            text = json.dumps(told, allow_nan=False)
            return dict(words(json.loads(self._record.clean(text, RAW_BYTES))))
        except ValueError:  # 1e999, or it was cut, or a secret went across its braces
            return {}


def _dollars(update: Mapping[str, Any]) -> float | None:
    cost = words(update.get("cost"))
    amount = cost.get("amount")
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    fits = abs(amount) < MOST and cost.get("currency") == "USD"
    return float(amount) if fits else None


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < MOST else None

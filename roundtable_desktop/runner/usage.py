"""Adds up what an ACP agent says that its turns use: told while a turn goes on, as far as it is
known, and once more at its end."""

import json
import time
from collections.abc import Mapping
from typing import Any

from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.wire import words

_NAMES = ("input_tokens", "output_tokens", "cached_tokens")
THREAD_BYTES = 256
RAW_BYTES = 4096
"""Of what is kept as it came; more than that is left out."""


MOST = 2**53
"""A figure beyond it is none."""
OFTEN = 1.0
"""Seconds between two messages about the same turn."""


class Usage:
    """Agents report a session's cost as a sum; a turn's is the difference of two of them."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._update: Mapping[str, Any] = {}
        self._told = True
        self._before: float | None = 0.0
        self._turn = 1
        self._noted: Mapping[str, object] = {}
        self._noted_at: float | None = None
        self._session, self._fresh = "", True

    def resume(self) -> None:
        """The session is an old one: what it cost before is not known until the agent says so."""
        self._before, self._fresh = None, False

    def replay(self, update: Mapping[str, Any]) -> None:
        """What a loaded session says of its past."""
        self._before = _dollars(update)

    def take(self, update: Mapping[str, Any], session: str = "") -> None:
        """A `usage_update`; they come often, and the last one of a turn counts. What has grown
        since is told at once: a budget may end the run for it."""
        self._update, self._session = update, session
        self._told = False
        now = time.monotonic()
        figures = self._figures(_tokens(update))
        worth = any(figures.get(name) for name in ("input_tokens", "output_tokens", "cost_usd"))
        if not worth or figures == self._noted:
            return
        if self._noted_at is None or now - self._noted_at >= OFTEN:
            self._noted, self._noted_at = figures, now
            self._note(figures, {})

    def end_turn(self, result: Mapping[str, Any]) -> None:
        """result: of `session/prompt`; {} when it never came."""
        usage, meta = words(result.get("usage")), words(result.get("_meta"))
        if self._told and not usage and not meta:
            return
        told = {**_tokens(self._update), **_counted(meta), **_known(usage)}
        self._note(self._figures(told), self._raw(usage, meta))
        total = None if self._told else _dollars(self._update)
        if total is not None:
            self._before = total
        self._told, self._update = True, {}
        self._turn, self._noted, self._noted_at = self._turn + 1, {}, None

    def _figures(self, tokens: Mapping[str, int | None]) -> dict[str, object]:
        total = None if self._told else _dollars(self._update)
        cost = None
        if total is not None and self._before is not None:
            cost = round(total - self._before, 9)
        return {**{name: tokens.get(name) for name in _NAMES}, "cost_usd": cost}

    def _note(self, figures: Mapping[str, object], raw: Mapping[str, object]) -> None:
        total = None if self._told else _dollars(self._update)
        thread = {}
        if total is not None and self._session:
            session = self._record.clean(self._session, THREAD_BYTES)
            thread = {"thread": session, "sums": {"cost_usd": total}, "fresh": self._fresh}
        self._record.note("usage", **figures, raw=raw, turn=self._turn, **thread)

    def _raw(self, usage: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
        update = {} if self._told else self._update
        parts = {"usage": usage, "update": update, "meta": meta}
        told = {name: part for name, part in parts.items() if part}
        try:
            text = json.dumps(told, allow_nan=False)
            return dict(words(json.loads(self._record.clean(text, RAW_BYTES))))
        except ValueError:  # 1e999, or it was cut, or a secret went across its braces
            return {}


def _known(usage: Mapping[str, Any]) -> dict[str, int | None]:
    """As ACP names them."""
    names = ("inputTokens", "outputTokens", "cachedReadTokens")
    found = {ours: whole(usage.get(theirs)) for ours, theirs in zip(_NAMES, names, strict=True)}
    return {name: one for name, one in found.items() if one is not None}


def _tokens(update: Mapping[str, Any]) -> dict[str, int | None]:
    """What a turn has used so far, of an agent that tells it beside an update."""
    return _known(words(words(update.get("_meta")).get("usage")))


def _counted(meta: Mapping[str, Any]) -> dict[str, int | None]:
    """Gemini's own place for them."""
    count = words(words(meta.get("quota")).get("token_count"))
    found = {name: whole(count.get(name)) for name in _NAMES}
    return {name: one for name, one in found.items() if one is not None}


def _dollars(update: Mapping[str, Any]) -> float | None:
    cost = words(update.get("cost"))
    amount = cost.get("amount")
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    fits = abs(amount) < MOST and cost.get("currency") == "USD"
    return float(amount) if fits else None


def whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < MOST else None

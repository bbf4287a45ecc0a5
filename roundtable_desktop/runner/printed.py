"""Reads what coding agents print about their use as JSON, one object a line, on ordinary output.

Claude Code and Qwen Code print `assistant` and `result`, Codex `thread.started` and
`turn.completed`, opencode `step_finish`; Claude also its provider's windows, `rate_limit_event`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.usage import MOST, whole
from roundtable_desktop.runner.wire import words

LINE = 256 * 1024
"""Bytes of a line that is still read."""
MESSAGES = 5_000
"""So many of one run are told; an agent cannot fill the disk with them."""
ID_BYTES, TYPE_BYTES = 200, 40
_SIGNS = (b'"usage"', b'"tokens"', b'"rate_limit_info"', b'"thread.started"')


class Printed:
    """`feed` gets the output as it comes."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._line = b""
        self._skipping = False
        self._thread = ""
        self._told: dict[str, dict[str, object]] = {}
        self._left = MESSAGES

    def feed(self, raw: bytes) -> None:
        head, *rest = raw.split(b"\n")
        self._add(head)
        for piece in rest:
            self._end_line()
            self._add(piece)

    def _add(self, piece: bytes) -> None:
        if self._skipping or not piece:
            return
        # Only what begins as an object is kept until its end.
        begins = self._line or piece.lstrip()[:1] == b"{"
        if not begins or len(self._line) + len(piece) > LINE:
            self._line, self._skipping = b"", True
            return
        self._line += piece

    def _end_line(self) -> None:
        line, self._line, self._skipping = self._line, b"", False
        if not any(sign in line for sign in _SIGNS):
            return
        try:
            said = words(json.loads(line))
        except (ValueError, RecursionError):
            return
        tell = _KINDS.get(said.get("type") if isinstance(said.get("type"), str) else "")
        if tell is not None and self._left > 0:
            tell(self, said)

    def _assistant(self, said: Mapping[str, Any]) -> None:
        """A reply may be printed in many lines, each with what is known of it by then."""
        message = words(said.get("message"))
        usage, reply = words(message.get("usage")), message.get("id")
        if isinstance(reply, str) and reply and usage:
            self._reply(reply, _claude(usage), message.get("model"))

    def _result(self, said: Mapping[str, Any]) -> None:
        """Of the whole run. Its replies have told their tokens, and what of them is new; this has
        the rest, such as the end of a reply that was printed before it was over."""
        usage = words(said.get("usage"))
        told = list(self._told.values())
        left: dict[str, object] = {}
        for name, total in _claude(usage).items():
            before = sum(whole(one[name]) or 0 for one in told)
            left[name] = max(total - before, 0) if total is not None else None
        cost = _amount(said.get("total_cost_usd"))
        if cost is not None or any(left.values()):
            self._note(**left, cost_usd=cost, of_run=True, turn=0)

    def _thread_started(self, said: Mapping[str, Any]) -> None:
        thread = said.get("thread_id")
        if isinstance(thread, str):
            self._thread = self._record.clean(thread, ID_BYTES)

    def _turn_completed(self, said: Mapping[str, Any]) -> None:
        """Codex tells the sums of its thread."""
        usage = words(said.get("usage"))
        names = ("input_tokens", "output_tokens", "cached_input_tokens")
        found = [whole(usage.get(name)) for name in names]
        sums = {ours: one for ours, one in zip(_NAMES, found, strict=True) if one is not None}
        if sums:
            self._note(thread=self._thread, sums=sums, raw=dict(sums))

    def _step_finish(self, said: Mapping[str, Any]) -> None:
        part = words(said.get("part"))
        tokens, reply = words(part.get("tokens")), part.get("id")
        if isinstance(reply, str) and reply and tokens:
            cached = words(tokens.get("cache")).get("read")
            found = (tokens.get("input"), tokens.get("output"), cached)
            figures = {name: whole(one) for name, one in zip(_NAMES, found, strict=True)}
            self._reply(reply, figures, None, cost_usd=_amount(part.get("cost")))

    def _windows(self, said: Mapping[str, Any]) -> None:
        info = words(said.get("rate_limit_info"))
        used, kind = info.get("utilization"), info.get("rateLimitType")
        if isinstance(kind, str) and kind:
            self._left -= 1
            share = used if isinstance(used, int | float) and not isinstance(used, bool) else None
            self._record.note(
                "quota",
                window=self._record.clean(kind, TYPE_BYTES),
                status=self._record.clean(str(info.get("status") or ""), TYPE_BYTES),
                used=share if share is not None and 0 <= share <= MOST else None,
                resets_at=whole(info.get("resetsAt")),
            )

    def _reply(
        self, reply: str, figures: Mapping[str, object], model: object, **more: object
    ) -> None:
        name = self._record.clean(reply, ID_BYTES)
        now = {**figures, **more}
        if self._told.get(name) != now:
            self._told[name] = now
            if isinstance(model, str):
                more["model"] = self._record.clean(model, ID_BYTES)
            self._note(reply=name, **figures, **more)

    def _note(self, **body: object) -> None:
        self._left -= 1
        self._record.note("usage", **body)


_NAMES = ("input_tokens", "output_tokens", "cached_tokens")


def _claude(usage: Mapping[str, Any]) -> dict[str, int | None]:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens")
    return {ours: whole(usage.get(theirs)) for ours, theirs in zip(_NAMES, names, strict=True)}


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < MOST else None


_KINDS: Mapping[object, Callable[[Printed, Mapping[str, Any]], None]] = {
    "assistant": Printed._assistant,
    "result": Printed._result,
    "thread.started": Printed._thread_started,
    "turn.completed": Printed._turn_completed,
    "step_finish": Printed._step_finish,
    "rate_limit_event": Printed._windows,
}

"""Reads and writes the demo agent's JSON-RPC lines, on one thread."""

import json
import os
import select
import time
from typing import Any

PIECE = 64 * 1024


class Closed(Exception):
    """Nobody is there any more."""


class Line:
    """begun: bytes that were read already."""

    def __init__(self, begun: bytes = b"") -> None:
        self._held = begun
        self._number = 0

    def send(self, **message: object) -> None:
        raw = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
        while raw:
            raw = raw[os.write(1, raw) :]

    def next_number(self) -> str:
        self._number += 1
        return f"demo-{self._number}"

    def receive(self, seconds: float | None = None) -> dict[str, Any] | None:
        """The next message; None when none came in time. Raises Closed."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            raw, newline, rest = self._held.partition(b"\n")
            if newline:
                self._held = rest
                if message := parse(raw):
                    return message
                continue
            left = None if until is None else max(0.0, until - time.monotonic())
            if not select.select([0], [], [], left)[0]:
                return None
            piece = os.read(0, PIECE)
            if not piece:
                raise Closed
            self._held += piece


def parse(raw: bytes) -> dict[str, Any] | None:
    """A message, or None for whatever else it is."""
    try:
        message = json.loads(raw)
    except ValueError:
        return None
    return message if isinstance(message, dict) and "jsonrpc" in message else None

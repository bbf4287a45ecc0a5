"""What the door says to an HTTP request, in values that any web framework can send."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from roundtable_desktop.phrases import sentence

INVALID_REQUEST = -32600
"""JSON-RPC's number for what never became a call."""


class Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes


def refusal(status: int, code: str, headers: Mapping[str, str] | None = None) -> Answer:
    """As JSON-RPC, which every client of `/mcp` reads; its `data.code` is for programs."""
    error = {"code": INVALID_REQUEST, "message": sentence(code), "data": {"code": code}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    return Answer(status, [("Content-Type", "application/json"), *(headers or {}).items()], body)

"""Reads the last line that coding agents print for programs, which says how their turn ended."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Final:
    """text: the answer, or what went wrong; "" where it is not there."""

    good: bool
    text: str


def final_of(printed: str) -> Final | None:
    """Of claude and qwen (`is_error`) and of gemini (`status`); None where the last line is no such
    one. `subtype` says success also of a failure."""
    last = printed.rstrip().rpartition("\n")[2]
    try:
        said = json.loads(last)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("type") != "result":
        return None
    fault = said.get("error")
    told = said.get("result") or (fault.get("message") if isinstance(fault, dict) else None)
    text = told if isinstance(told, str) else ""
    match said.get("is_error"), said.get("status"):
        case (False, _) | (None, "success"):
            return Final(True, text)
        case (True, _) | (None, "error"):
            return Final(False, text)
    return None

"""What of a value does not fit a model: a pointer, a code and values for each fault, none of the
library's own words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

MOST = 20
"""Faults that are told of one value."""
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")
_PLACE = re.compile(r"line (\d+) column (\d+)")


@dataclass(frozen=True, slots=True)
class Misfit:
    """pointer: RFC 6901 into the value. code: what `phrases.fields` has a sentence for; of a
    check of ours `field_value_error`, with its words as `text`."""

    pointer: str
    code: str
    values: Mapping[str, object]

    @property
    def unknown(self) -> bool:
        """There is no such key."""
        return self.code == "field_extra_forbidden"


def misfits(error: ValidationError, value: object) -> list[Misfit]:
    """value: what was given, by which union branches are told from its own keys."""
    found = error.errors(include_url=False, include_input=False)[:MOST]
    return [
        Misfit(
            _pointer(one["loc"], value, missing=one["type"] == "missing"),
            *_said(one["type"], one.get("ctx") or {}),
        )
        for one in found
    ]


def _said(kind: str, context: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    match kind:
        case "value_error" | "assertion_error":
            return "field_value_error", {"text": str(context.get("error", ""))}
        case "json_invalid":
            place = _PLACE.search(str(context.get("error", "")))
            if place:
                return "field_json_at", {"line": int(place[1]), "column": int(place[2])}
        case "literal_error" | "enum":
            expected = str(context.get("expected", ""))
            words = _QUOTED.findall(expected)
            return f"field_{kind}", {"expected": ", ".join(words) or expected}
        case "string_too_short" | "too_short" if context.get("min_length") == 1:
            return "field_empty", {}
    return f"field_{kind}", {name: _plain(one) for name, one in context.items()}


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float) else str(value)


def _pointer(location: tuple[int | str, ...], value: object, *, missing: bool) -> str:
    """pydantic's location without the names of union branches that it mixes in; only the last
    part of one that is missing is not found in `value`."""
    parts: list[str] = []
    here: Any = value
    for index, part in enumerate(location):
        inside = (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int) and part < len(here)
        )
        if inside:
            here = here[part]
        elif not missing or index != len(location) - 1:
            continue
        parts.append(escaped(str(part)))
    return "".join(f"/{part}" for part in parts)


def escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")

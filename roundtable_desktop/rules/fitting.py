"""What of an agent's own report does not fit, so that it can be told while it may still mend it.

`model/messages.WorkerResult` decides; this says why in the same words, with the standard library
alone, since the runner asks it too.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MOST = 20
"""Faults that are told of one report."""
POINTER = 200
"""Characters of a pointer: the names in it are the agent's."""
DEEPEST = 200
"""Lists and objects in each other that the reader's library follows."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""A half of a character, which JSON can name and no text can hold."""
NOT_TAKEN = "What you reported was not taken, because of this:"
STATUSES = ("completed", "failed", "blocked", "cancelled")


@dataclass(frozen=True, slots=True)
class Misfit:
    """pointer: RFC 6901 into the report, "" for all of it. code: what `phrases` has a sentence
    for; values: what that needs."""

    pointer: str
    code: str
    values: Mapping[str, object] = field(default_factory=dict)


Check = Callable[[object, str], Iterator[Misfit]]


def misfits(report: str) -> list[Misfit]:
    """Empty where it fits."""
    try:
        told = json.loads(report)
    except RecursionError:
        return [Misfit("", "field_json_invalid")]
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            return [Misfit("", "field_json_at", {"line": error.lineno, "column": error.colno})]
        return [Misfit("", "field_json_invalid")]
    if not _is_readable(told):
        return [Misfit("", "field_json_invalid")]
    found = list(_RESULT(told, ""))
    if not found and told["status"] == "blocked" and told.get("blocked") is None:
        found = [Misfit("/blocked", "blocked_on_nobody")]
    return found[:MOST]


def _is_readable(told: object) -> bool:
    """By a reader stricter than Python's."""
    waiting = [(told, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DEEPEST or (isinstance(one, str) and _LONE.search(one)):
            return False
        inside = [*one, *one.values()] if isinstance(one, dict) else one
        if isinstance(inside, list):
            waiting += [(each, depth + 1) for each in inside]
    return True


def kept(result: Mapping[str, object]) -> list[Misfit]:
    """As `result_json` has them, of a report that was not taken."""
    rows = result.get("misfits")
    return [
        Misfit(str(one["pointer"]), str(one["code"]), dict(one["values"]))
        for one in (rows if isinstance(rows, list) else ())
    ]


def told(found: Sequence[Misfit]) -> str:
    """A line for each, as its agent reads it."""
    return "\n".join(f"- {one.pointer or 'all of it'}: {_words(one)}" for one in found)


def _words(one: Misfit) -> str:
    return _TOLD.get(one.code, "does not fit").format_map(one.values)


_TOLD: Mapping[str, str] = {
    "field_json_invalid": "is not valid JSON",
    "field_json_at": "is not valid JSON: line {line}, column {column}",
    "field_model_type": "is to be a JSON object",
    "field_missing": "is missing",
    "field_extra_forbidden": "there is no such key in a result; take it out",
    "field_literal_error": "is to be one of: {expected}",
    "field_string_type": "is to be a text",
    "field_string_too_long": "has more than {max_length} characters",
    "field_empty": "is empty",
    "field_list_type": "is to be a list",
    "field_bool_type": "is to be true or false",
    "field_owner": "is to be user, coordinator, architect, debugger, or agent: with the id of one",
    "blocked_on_nobody": "is missing: say who has to do what (owner, action)",
    "report_too_large": "is larger than 64 KB",
    "report_not_text": "is no UTF-8 text",
    "report_no_file": "is a link, no ordinary file, or closed to readers",
}


def _text(least: int = 0, most: int = 0, shape: str = "") -> Check:
    def check(value: object, at: str) -> Iterator[Misfit]:
        if not isinstance(value, str):
            yield Misfit(at, "field_string_type")
        elif most and len(value) > most:
            yield Misfit(at, "field_string_too_long", {"max_length": most})
        elif len(value) < least:
            yield Misfit(at, "field_empty")
        elif shape and not re.search(shape, value):
            yield Misfit(at, "field_owner")

    return check


def _one_of(*words: str) -> Check:
    def check(value: object, at: str) -> Iterator[Misfit]:
        if value not in words:
            yield Misfit(at, "field_literal_error", {"expected": ", ".join(words)})

    return check


def _flag(value: object, at: str) -> Iterator[Misfit]:
    if not isinstance(value, bool):
        yield Misfit(at, "field_bool_type")


def _or_null(inner: Check) -> Check:
    return lambda value, at: iter(()) if value is None else inner(value, at)


def _every(inner: Check) -> Check:
    def check(value: object, at: str) -> Iterator[Misfit]:
        if not isinstance(value, list):
            yield Misfit(at, "field_list_type")
            return
        for number, one in enumerate(value):
            yield from inner(one, f"{at}/{number}")

    return check


def _keys(required: Sequence[str], *, open_: bool = False, **known: Check) -> Check:
    """open_: other keys are passed over."""

    def check(value: object, at: str) -> Iterator[Misfit]:
        if not isinstance(value, dict):
            yield Misfit(at, "field_model_type")
            return
        for name in required:
            if name not in value:
                yield Misfit(f"{at}/{name}", "field_missing")
        for name, inner in value.items():
            here = f"{at}/{_escaped(name)}"[:POINTER]
            if name in known:
                yield from known[name](inner, here)
            elif not open_:
                yield Misfit(here, "field_extra_forbidden")

    return check


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


_RESULT = _keys(
    ("status",),
    status=_one_of(*STATUSES),
    summary=_text(most=8 * 1024),
    evidence=_every(
        _keys(("kind",), kind=_one_of("command", "file", "note"), ref=_text(), text=_text())
    ),
    artifacts=_every(_keys(("path",), path=_text(), kind=_text())),
    next=_or_null(_text()),
    blocked=_or_null(
        _keys(
            ("owner", "action"),
            owner=_text(shape=r"^(user|coordinator|architect|debugger|agent:.+)\Z"),
            action=_text(least=1, most=2000),
        )
    ),
    error=_or_null(_keys(("kind",), open_=True, kind=_text(), text=_text())),
    resumable=_or_null(_flag),
)

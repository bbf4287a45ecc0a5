"""Variables of a routine: declared, given a value by whoever fires it, put into its texts once."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from roundtable_desktop.model.routines import Value, Variable
from roundtable_desktop.model.states import VariableType

VALUE_LIMIT = 4096
"""Bytes of one value (H6)."""
TEXT_LIMIT = 65_536
"""Characters of a text with its values: as long as one that somebody types may be."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_PLACE = re.compile(r"\{\{\s*(" + _NAME + r")\s*\}\}")
_LARGEST = 2**63
_LONGEST_NUMBER = 40  # characters
_SPOKEN = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Fault:
    """A code of `phrases`; `name` is the variable that is at fault."""

    code: str
    name: str

    def values(self) -> dict[str, object]:
        return {"name": self.name, "limit": VALUE_LIMIT // 1024}


class TooLong(ValueError):
    """A text would outgrow TEXT_LIMIT with these values."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """values: every known name that has one. missing: required and without. undeclared: given,
    but known to nobody, so not taken. Nothing fires while there are `missing` or `faults`."""

    values: Mapping[str, Value]
    missing: tuple[str, ...]
    faults: tuple[Fault, ...]
    undeclared: tuple[str, ...]


def declared_of(stored: Iterable[Mapping[str, Any]]) -> tuple[Variable, ...]:
    """Declarations as a routine keeps them."""
    return tuple(
        Variable(
            one["name"],
            VariableType(one.get("type", "text")),
            one.get("default"),
            bool(one.get("required", False)),
            tuple(one.get("options") or ()),
        )
        for one in stored
    )


def stored(declared: Iterable[Variable]) -> list[dict[str, object]]:
    return [{**asdict(one), "options": list(one.options)} for one in declared]


def built_in(scheduled_at: datetime) -> dict[str, Value]:
    """The instant that fires, in the zone that it comes in (C-69)."""
    return {
        "date": scheduled_at.date().isoformat(),
        "datetime": scheduled_at.isoformat(timespec="seconds"),
    }


def names_in(text: str) -> list[str]:
    """Each name that `text` has a place for, once, in order."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def declare(texts: Iterable[str], declared: Sequence[Variable]) -> tuple[Variable, ...]:
    """What was declared, and an optional text for every name that is new in the texts (K-23)."""
    known = {variable.name for variable in declared} | _BUILT_IN
    new = dict.fromkeys(name for text in texts for name in names_in(text) if name not in known)
    return (*declared, *(Variable(name) for name in new))


def declaration_faults(declared: Sequence[Variable]) -> list[Fault]:
    """Why these declarations cannot be saved."""
    found = []
    names = [variable.name for variable in declared]
    for place, variable in enumerate(declared):
        if not re.fullmatch(_NAME, variable.name):
            found.append(Fault("variable_bad_name", variable.name))
        if variable.name in names[:place]:
            found.append(Fault("variable_twice", variable.name))
        if (variable.type is VariableType.SELECT) != bool(variable.options):
            found.append(Fault("variable_options", variable.name))
        elif variable.default is not None:
            taken = _taken(variable, variable.default)
            found += [taken] if isinstance(taken, Fault) else []
    return found


def resolve(
    declared: Sequence[Variable], provided: Mapping[str, object], scheduled_at: datetime
) -> Resolved:
    """Built-ins, then declared defaults, then what was provided: the later wins (K-23).

    An empty text stands for no value; so does None.
    """
    values = built_in(scheduled_at)
    known = {name: Variable(name) for name in values} | {one.name: one for one in declared}
    faults = []
    for name, variable in known.items():
        for given in (variable.default, provided.get(name)):
            if given is None or given == "":
                continue
            taken = _taken(variable, given)
            if isinstance(taken, Fault):
                faults.append(taken)
            else:
                values[name] = taken
    wanting = (one.name for one in declared if one.required and values.get(one.name, "") == "")
    at_fault = {fault.name for fault in faults}
    missing = tuple(name for name in wanting if name not in at_fault)
    return Resolved(values, missing, tuple(faults), tuple(n for n in provided if n not in known))


def fill(text: str, values: Mapping[str, Value], declared: Iterable[Variable]) -> str:
    """Every place filled in one pass: what a value looks like is never read again.

    A declared name without a value leaves nothing; a name that nobody knows stays as it is.
    Raises TooLong, before it is made.
    """
    shown = {variable.name: "" for variable in declared}
    shown |= {name: _shown(value) for name, value in values.items()}
    places = [place for place in _PLACE.finditer(text) if place[1] in shown]
    if len(text) + sum(len(shown[place[1]]) - len(place[0]) for place in places) > TEXT_LIMIT:
        raise TooLong
    return _PLACE.sub(lambda place: shown.get(place[1], place[0]), text)


def _taken(variable: Variable, given: object) -> Value | Fault:
    """The value as the variable's type has it; texts of forms and webhooks are read."""
    value = _READ[variable.type](given)
    if value is None:
        return Fault(f"variable_no_{variable.type}", variable.name)
    if len(_shown(value).encode("utf-8", "surrogatepass")) > VALUE_LIMIT:
        return Fault("variable_too_long", variable.name)
    if variable.type is VariableType.SELECT and value not in variable.options:
        return Fault("variable_no_option", variable.name)
    return value


def _text(given: object) -> Value | None:
    if isinstance(given, str):
        return given
    value = given if isinstance(given, bool) else _finite(given)
    return None if value is None else _shown(value)


def _number(given: object) -> Value | None:
    if isinstance(given, str) and len(given) <= _LONGEST_NUMBER:
        try:
            given = json.loads(given)  # as JSON spells numbers, so no “1_000”
        except ValueError:
            return None
    return _finite(given)


def _boolean(given: object) -> Value | None:
    if isinstance(given, str):
        return _SPOKEN.get(given.lower())
    return given if isinstance(given, bool) else None


def _finite(given: object) -> int | float | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given if abs(given) <= _LARGEST else None  # not a number is not ≤ either


def _shown(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_READ = {
    VariableType.TEXT: _text,
    VariableType.NUMBER: _number,
    VariableType.BOOLEAN: _boolean,
    VariableType.SELECT: _text,
}
_BUILT_IN = frozenset({"date", "datetime"})

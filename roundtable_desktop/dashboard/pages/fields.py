"""Fields of the page of settings, made from the one list of them, and what was typed into them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from roundtable_desktop.dashboard.pages.filtering import Choice
from roundtable_desktop.model.settings import Scope
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.settings import CHOICES, FIELD, NAMES

Kind = Literal["switch", "choice", "number", "names", "text"]
ON, OFF = "on", "off"
QUOTED = re.compile(r"`([^`]+)`")
"""As the list of settings quotes a word."""


class Unfit(ValueError):
    """What was typed cannot be taken; its text is the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One setting on a page. value: as the form shows it, stored: as it is; default: in words, None
    where there is none. least, most: of a number. is_set: it is another one than the default.
    note: what is wrong with what was typed, or that it was changed meanwhile."""

    key: str
    kind: Kind
    value: str
    stored: str
    sentence: str
    default: str | None = None
    least: int | None = None
    most: int | None = None
    choices: Sequence[Choice] = ()
    is_set: bool = False
    note: str = ""

    @property
    def name(self) -> str:
        return _(NAMES[self.key])


def of(now: Scope) -> list[Field]:
    """Every setting that a person may set, as it is."""
    values, defaults = now.model_dump(), type(now)().model_dump()
    return [_field(type(now), key, values[key], defaults[key]) for key in now.persons_keys()]


def _field(scope: type[Scope], key: str, value: Any, default: Any) -> Field:
    info = scope.model_fields[key]
    kind = kind_of(info.annotation)
    least, most = _range(info.metadata)
    choices = _choices(key, info.annotation, kind)
    words = {one.value: one.word for one in choices}
    typed = as_typed(kind, default)
    return Field(
        key=key,
        kind=kind,
        value=as_typed(kind, value),
        stored=as_typed(kind, value),
        sentence=QUOTED.sub(r"“\1”", _(info.description or "")),
        default=words.get(typed, typed) or _("none"),
        least=least,
        most=most,
        choices=choices,
        is_set=value != default,
    )


def kind_of(annotation: Any) -> Kind:
    if annotation is bool:
        return "switch"
    if annotation is int:
        return "number"
    if get_origin(annotation) is Literal:
        return "choice"
    return "names" if get_origin(annotation) is dict else "text"


def _range(metadata: Iterable[Any]) -> tuple[int | None, int | None]:
    bounds = list(metadata)
    least = next((one.ge for one in bounds if hasattr(one, "ge")), None)
    return least, next((one.le for one in bounds if hasattr(one, "le")), None)


def _choices(key: str, annotation: Any, kind: Kind) -> list[Choice]:
    if kind == "switch":
        return [Choice(one, _(CHOICES[one])) for one in (ON, OFF)]
    given = get_args(annotation) if kind == "choice" else ()
    return [Choice(one, _(CHOICES[f"{key}.{one}"])) for one in given]


def as_typed(kind: Kind, value: Any) -> str:
    if kind == "switch":
        return ON if value else OFF
    if kind == "names":
        return "\n".join(f"{name} {one['model'] or ''}".rstrip() for name, one in value.items())
    return "" if value is None else str(value)


def read(scope: type[Scope] | None, now: Field, typed: str) -> object:
    """What the setting becomes; None is its default. scope: None for what is no setting, and has
    its own rules where it is kept. Raises Unfit."""
    typed = typed.strip()
    match now.kind:
        case "switch" | "choice":
            if typed not in {one.value for one in now.choices}:
                raise Unfit(say("field_no_choice", given=typed))
            return typed == ON if now.kind == "switch" else typed
        case "number":
            return _number(now, typed)
        case "names":
            value: object = _names(typed, now.stored)
        case _:
            value = typed or _nothing(scope, now.key)
    if scope is not None:
        # A name that is taken away is None, which is for the desk alone.
        given = {k: v for k, v in value.items() if v} if isinstance(value, dict) else value
        fit(scope.model_fields[now.key].rebuild_annotation(), given, typed)
    return value


def _nothing(scope: type[Scope] | None, key: str) -> str | None:
    """Some texts are empty by default; for the others nothing is no text."""
    return "" if scope is not None and scope.model_fields[key].default == "" else None


def fit(kind: Any, value: object, typed: str) -> None:
    """As the setting's own model takes it. Raises Unfit."""
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        raise Unfit(say("field_no_value", given=typed)) from None


def _number(now: Field, typed: str) -> int:
    digits = typed.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 16):
        raise Unfit(say("field_no_number", given=typed))
    number = int(typed)
    low = now.least is not None and number < now.least
    if low or (now.most is not None and number > now.most):
        raise Unfit(say("field_out_of_range", least=now.least, most=now.most))
    return number


def _names(typed: str, before: str) -> dict[str, object]:
    """`LABEL MODEL` a line; a label that stood there before and is gone is taken away."""
    made: dict[str, object] = {}
    for number, line in enumerate(typed.splitlines(), 1):
        words = line.split()
        if len(words) > 2:
            raise Unfit(say("field_no_line", line=number))
        if words:
            made[words[0]] = {"model": words[1] if len(words) == 2 else None}
    gone = {line.split()[0] for line in before.splitlines() if line.split()} - made.keys()
    return {**made, **dict.fromkeys(gone)}


def say(code: str, **values: object) -> str:
    return sentence(code, values, FIELD)


def is_stale(one: Field, given: Mapping[str, str]) -> bool:
    """Somebody else changed it since the page was made, to another value than this one."""
    now = one.stored.strip()
    return now not in (given[f"was_{one.key}"].strip(), given[one.key].strip())


def word_of(one: Field) -> str:
    """Its value as a person reads it."""
    words = {choice.value: choice.word for choice in one.choices}
    return words.get(one.stored, one.stored) or _("none")


def with_typed(
    fields: Sequence[Field], typed: Mapping[str, str], notes: Mapping[str, str]
) -> list[Field]:
    """What a person typed stays, with what is to be said at each field."""
    return [
        replace(one, value=typed.get(one.key, one.value), note=notes.get(one.key, ""))
        for one in fields
    ]

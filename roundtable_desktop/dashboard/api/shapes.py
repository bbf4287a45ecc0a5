"""What the API's answers have in common: instants, lists and who asks."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Self

from flask import g
from pydantic import AfterValidator, BeforeValidator, Field

from roundtable_desktop.dashboard.reading import Once, Words
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked
from roundtable_desktop.model.spans import instant_of
from roundtable_desktop.model.times import instant, rfc3339
from roundtable_desktop.phrases import _, sentence

Moment = Annotated[
    str,
    BeforeValidator(lambda value: rfc3339(value) if isinstance(value, datetime) else value),
    Field(json_schema_extra={"format": "date-time"}),
]
"""RFC 3339 in UTC with Z."""


def _instant(given: object) -> object:
    if not isinstance(given, str):
        return given
    moment = instant_of(given)
    if moment is None:
        raise ValueError(_("This is no time with a zone: write it as 2026-03-08T06:30:00Z."))
    return moment


Instant = Annotated[datetime, BeforeValidator(_instant)]
"""A time as RFC 3339, with its zone."""

Line = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
    ),
]
"""One line of text that says something."""

SAID_BYTES = 16 * 1024


def _short(text: str) -> str:
    """The model counts characters; what is stored are bytes."""
    if len(text.encode()) > SAID_BYTES:
        raise ValueError(_("This is too long: at most {most} KB.").format(most=SAID_BYTES // 1024))
    return text


Words16 = Annotated[str, Field(max_length=SAID_BYTES), AfterValidator(_short)]
"""What a person says to an agent."""

Text = Annotated[str, Field(max_length=65_536)]
Ref = Annotated[str, Field(min_length=6, max_length=64, pattern=r"^[0-9a-z]+$")]
Object = dict[str, Any]

_SINCE_1973 = 10**14
_INSTANTS = frozenset({"at", "since", "until", "first", "last"})
_APART = frozenset({"variables"})
"""What is under these names is a person's own."""


def _told(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: inner if key in _APART else _told(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_told(one, name) for one in value]
    is_instant = name in _INSTANTS or name.endswith(("_at", "_until"))
    if is_instant and isinstance(value, int) and value > _SINCE_1973:
        return rfc3339(instant(value))
    return value


Stored = Annotated[Object, BeforeValidator(_told)]
"""What rows keep in JSON, as answers tell it: its instants are no numbers there."""
Micros = Annotated[
    str,
    BeforeValidator(lambda value: rfc3339(instant(value)) if isinstance(value, int) else value),
    Field(json_schema_extra={"format": "date-time"}),
]
"""An instant that is kept as a number, told as any other."""


class Shown(Words):
    """An answer made from a record by its attributes; what has no field here is left out."""

    @classmethod
    def of(cls, record: object, **more: object) -> Self:
        known = {
            name: getattr(record, name)
            for name in cls.model_fields
            if name not in more and hasattr(record, name)
        }
        return cls.model_validate({**known, **more}, strict=False)


def asked(caller: Caller, once: Once | None = None, revision: int | None = None) -> Asked:
    request_id = str(g.get("request_id", ""))
    if once is None:
        return Asked(caller.actor, revision=revision, request_id=request_id)
    return Asked(caller.actor, once.key, once.fingerprint, revision, request_id)


Say = Callable[[str, object], str]
"""Makes the sentence of a code and its values."""


def said(code: str, values: object) -> str:
    return sentence(code, values if isinstance(values, dict) else {})

"""Forms of our own pages, read as strictly as the API reads its bodies."""

import hashlib
import json
from collections.abc import Mapping
from typing import TypeVar

from flask import g, request
from pydantic import ValidationError

from roundtable_desktop.dashboard.problems import Fault, Refusal
from roundtable_desktop.dashboard.reading import (
    Once,
    Words,
    faults_of,
    fingerprint,
    refuse_blemishes,
)
from roundtable_desktop.model.strict import KEY

Form = TypeVar("Form", bound=Words)

OURS = ("csrf", "once")
"""Fields of every form that are no part of what it says."""


def new_key(name: str) -> str:
    """For the hidden field `once` of the form `name` of this page: sent twice, it acts once."""
    return f"{g.request_id}.{name}"


def read_form(model: type[Form]) -> Form:
    """415 when it is no form, 422 with a sentence for each field at fault."""
    given = _given()
    refuse_blemishes(given, "invalid_form")
    try:
        return model.model_validate_strings(given, strict=False)
    except ValidationError as error:
        raise Refusal(422, "invalid_form", faults_of(error, given)) from None


def read_choice(model: type[Form], prefix: str) -> tuple[Form, list[str]]:
    """A form with boxes that were ticked: each has a name of its own, `prefix` and an id."""
    given = _given()
    refuse_blemishes(given, "invalid_form")
    ticked = [name.removeprefix(prefix) for name in given if name.startswith(prefix)]
    rest = {name: value for name, value in given.items() if not name.startswith(prefix)}
    try:
        return model.model_validate_strings(rest, strict=False), ticked
    except ValidationError as error:
        raise Refusal(422, "invalid_form", faults_of(error, rest)) from None


def read_any() -> dict[str, str]:
    """All that was filled in, for a form that is read field by field."""
    given = _given()
    refuse_blemishes(given, "invalid_form")
    return given


def filled(model: type[Form], given: Mapping[str, object]) -> Form:
    """A body of the API, filled by a form of ours: what was left empty is left out. Raises Refusal
    (422) with a fault for each field, so that the page can say them beside what was typed."""
    said = {name: value for name, value in given.items() if value not in ("", None)}
    try:
        return model.model_validate(said, strict=False)
    except ValidationError as error:
        raise Refusal(422, "invalid_form", faults_of(error, said)) from None


def fault_of_form(field: str, message: str) -> Refusal:
    return Refusal(422, "invalid_form", [Fault(f"/{field}", message)])


def seen_of(shown: object) -> str:
    """For the hidden field `seen`: what the person saw, so that nobody's change is written over."""
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


def form_once() -> Once:
    """W-30. Every form of ours has a key; one without is none of ours."""
    key = request.form.get("once", "")
    if not KEY.fullmatch(key):
        raise Refusal(400, "form_without_key")
    said = json.dumps(_given()).encode()
    return Once(key, fingerprint(request.method, request.path, said))


def _given() -> dict[str, str]:
    """Browsers send line ends as CR LF; a field that is there twice is taken as it came first."""
    if request.mimetype != "application/x-www-form-urlencoded":
        raise Refusal(415, "form_only")
    return {
        name: value.replace("\r\n", "\n")
        for name, value in request.form.items()
        if name not in OURS
    }

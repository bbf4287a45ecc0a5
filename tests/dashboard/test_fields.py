"""Every way in which a value does not fit has a sentence of ours; no library speaks to people."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import core_schema

import roundtable_desktop
from roundtable_desktop.dashboard.reading import faults_of
from roundtable_desktop.model.misfits import misfits
from roundtable_desktop.phrases.fields import FIELDS, PATTERNS, template
from roundtable_desktop.phrases.misfits import unfit

ROOMS = ("dashboard", "mcp", "model")


def models() -> list[type[BaseModel]]:
    """All that our rooms declare."""
    for room in ROOMS:
        package = importlib.import_module(f"{roundtable_desktop.__name__}.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    seen: list[type[BaseModel]] = []
    waiting = [BaseModel]
    while waiting:
        for one in waiting.pop().__subclasses__():
            waiting.append(one)
            if one.__module__.startswith(roundtable_desktop.__name__):
                seen.append(one)
    return seen


def patterns(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(pattern := schema.get("pattern"), str):
            yield pattern
        for inner in schema.values():
            yield from patterns(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from patterns(inner)


@pytest.mark.proves("N-12 words")
@pytest.mark.parametrize("kind", get_args(core_schema.ErrorType))
def test_each_kind_of_misfit_that_pydantic_knows_has_words(kind: str) -> None:
    assert f"field_{kind}" in FIELDS


@pytest.mark.proves("N-12 words")
def test_each_pattern_of_our_models_is_said_in_words() -> None:
    known = models()
    assert len(known) > 100
    found = {one for model in known for one in patterns(model.model_json_schema())}
    assert {r"^/", r"^[0-9a-z]+$"} <= found
    assert found <= set(PATTERNS), found - set(PATTERNS)
    for pattern in PATTERNS:
        re.compile(pattern)


class Colour(Enum):
    RED = "red"


GIVEN = [
    (int, "x", "This must be a whole number."),
    (Literal["a", "b"], "c", "This must be one of: a, b."),
    (Colour, "blue", "This must be one of: red."),
    (Annotated[str, Field(min_length=1)], "", "This must not be empty."),
    (Annotated[str, Field(min_length=3)], "a", "This is too short: at least 3 characters."),
    (Annotated[int, Field(ge=1)], 0, "This must be 1 or more."),
    (Annotated[list[int], Field(max_length=1)], [1, 2], "There are too many of these: at most 1."),
    (Annotated[str, Field(pattern=r"^/")], "a", "This must be a whole path, beginning with “/”."),
]


@pytest.mark.proves("N-12 words")
@pytest.mark.parametrize(("form", "given", "words"), GIVEN)
def test_a_misfit_is_said_with_its_values(form: Any, given: object, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(form).validate_python(given)
    assert [one.message for one in faults_of(caught.value, given)] == [words]


@pytest.mark.proves("N-12 words")
def test_one_that_nobody_foresaw_says_nothing_of_the_library() -> None:
    assert unfit("field_brand_new", {}) == "This value cannot be taken here."
    assert template("field_string_pattern_mismatch", {"pattern": "^q$"}).startswith("This text")


@pytest.mark.proves("N-12 words")
def test_the_place_in_broken_json_is_told() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[int]).validate_json("[1,\n 2,,]")
    (one,) = misfits(caught.value, None)
    assert (one.code, one.values) == ("field_json_at", {"line": 2, "column": 4})

"""Filters of lists: they stand in the address, so a list can be kept, sent and gone back to."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator

from roundtable_desktop.dashboard.reading import Paging
from roundtable_desktop.engine.desk.look import Look

MOST = 200
"""Choices of one filter."""

NUMBER = re.compile(r"[Tt]-?(\d{1,9})")

Numbered = Annotated[str, AfterValidator(str.strip), Field(max_length=200)]
"""A task: T-3, or an id."""


class Filtered(Paging):
    """A field that is left empty in a form is no filter."""

    @model_validator(mode="before")
    @classmethod
    def _empty_is_none(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value != ""}

    def chosen(self) -> dict[str, str]:
        """What is filtered by, as the address says it."""
        own = self.model_dump(mode="json", exclude=set(Paging.model_fields) | NOT_FILTERS)
        return {name: str(value) for name, value in own.items() if value not in (None, "")}


F = TypeVar("F", bound=Filtered)

NOT_FILTERS = {"before", "since_id"}
"""Where a list goes on."""


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    word: str


def address(path: str, chosen: dict[str, str], **more: object) -> str:
    """The list as it is filtered. more: where it goes on."""
    kept = {**chosen, **{name: value for name, value in more.items() if value is not None}}
    return f"{path}?{urlencode(kept)}" if kept else path


def again(model: type[F], path: str) -> F:
    """The filters of an address of ours; what they cannot be is none."""
    try:
        return model.model_validate(dict(parse_qsl(urlsplit(path).query)))
    except ValidationError:
        return model()


@dataclass(frozen=True, slots=True)
class Offered:
    """What is there to filter by. agents: also those that are retired: what they did is there."""

    agents: list[Choice]
    workspaces: list[Choice]
    routines: list[Choice]


def offered(look: Look) -> Offered:
    found = look.choices(MOST)
    kinds = (found.agents, found.workspaces, found.routines)
    return Offered(*([Choice(*one) for one in kind] for kind in kinds))


def tasks(look: Look, given: str | None) -> tuple[str, ...] | None:
    """The ids of a filter's task: a number means that one of each workspace."""
    if not given:
        return None
    numbered = NUMBER.fullmatch(given)
    if numbered is None:
        return (given,)
    return tuple(one.id for one in look.lists.tasks_numbered(int(numbered[1]))) or ("",)

"""The words in which routines are given: policies, triggers, variables, the task of each firing."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from roundtable_desktop.dashboard.api.shapes import Line, Ref, Text
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.model import routines as records

_SPELT = {"always_create": "always_enqueue", "cron": "schedule"}
"""Other spellings of the seeds, taken on input (C-17)."""


def _canonical(given: object) -> object:
    return _SPELT.get(given, given) if isinstance(given, str) else given


canon = BeforeValidator(_canonical)

Kind = Annotated[
    Literal["schedule", "webhook", "manual"],
    BeforeValidator(
        _canonical, json_schema_input_type=Literal["schedule", "cron", "webhook", "manual"]
    ),
]
Policy = Annotated[
    Literal["coalesce_if_active", "skip_if_active", "always_enqueue"],
    BeforeValidator(
        _canonical,
        json_schema_input_type=Literal[
            "coalesce_if_active", "skip_if_active", "always_enqueue", "always_create"
        ],
    ),
]
CatchUp = Literal["enqueue_missed_with_cap", "skip_missed"]
Cap = Annotated[int, Field(ge=0, le=100)]
Priority = Annotated[int, Field(ge=-1000, le=1000)]
Short = Annotated[str, Field(max_length=64)]


class TriggerWanted(Words):
    """With an id it is one that is there; what is left out of it stays.

    Of a webhook: without a secret one is made, and shown once in the answer. rotate: a new secret,
    and that of before counts for 24 hours as well. accept_unsigned goes with the mode `none`:
    everybody may who knows the address.
    """

    id: Ref | None = None
    kind: Kind | None = None
    cron_expression: str | None = None
    timezone: Annotated[str, Field(max_length=200)] | None = None
    enabled: bool | None = None
    signing_mode: Literal["none", "bearer", "hmac_sha256"] | None = None
    secret: Annotated[str, Field(max_length=4096)] | None = None
    rotate: bool = False
    accept_unsigned: bool = False


class VariableWanted(Words):
    name: Short
    type: Literal["text", "number", "boolean", "select"] = "text"
    default: records.Value | None = None
    required: bool = False
    options: list[Annotated[str, Field(max_length=4096)]] = Field(
        default_factory=list, max_length=100
    )


class TemplateWanted(Words):
    """The task of each firing; {{name}} in its texts is a variable."""

    title: Line
    description: Text = ""


def _template(given: object) -> object:
    """The seed writes "" for a routine without a task."""
    return None if given in ("", {}) else given


class NoTemplate(Words):
    """Nothing in it: as null."""


Template = Annotated[
    TemplateWanted | None,
    BeforeValidator(
        _template, json_schema_input_type=TemplateWanted | NoTemplate | Literal[""] | None
    ),
]
ProbeWord = Literal["none", "workspace_events"]
Triggers = Annotated[list[TriggerWanted], Field(max_length=100)]
Variables = Annotated[list[VariableWanted], Field(max_length=200)]

"""The only list of settings: key, default, range and a sentence for each, one model per scope."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class GlobalSettings(BaseModel):
    """Scope `global`: one value for the whole home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        default=7117, description="The port of the dashboard; a restart takes the last one."
    )
    browser_host: Literal["name", "address"] = Field(
        default="name",
        description=(
            "Where browsers go: `name` is rt-….localhost, whose cookie no other port can read; "
            "`address` is 127.0.0.1, for browsers that cannot resolve that name."
        ),
    )
    intake: Literal["open", "paused", "stopped"] = Field(
        default="open",
        description=(
            "Whether waiting wakeups are taken up; pause and force-stop close it, resume opens it."
        ),
    )
    coalescing_window_sec: Annotated[int, Field(ge=0, le=300)] = Field(
        default=5,
        description=(
            "Seconds that a wake which can repeat (a comment, an approval, an error) waits for "
            "others like it, so that they become one run."
        ),
    )
    installation: Annotated[str, Field(pattern=r"^([0-9a-z]{12})?$")] = Field(
        default="", description="The random part of this installation's name; made once."
    )


PRODUCTS_OWN = frozenset({"installation", "intake"})
"""Written by the product's own acts; nobody sets them by name."""


def persons_keys() -> list[str]:
    """What a person may set, in the order of the list above."""
    return [key for key in GlobalSettings.model_fields if key not in PRODUCTS_OWN]


def clamped(values: Mapping[str, object]) -> dict[str, object]:
    """Numbers brought into the range of their key (the house, Settings)."""
    return {key: _clamped(key, value) for key, value in values.items()}


def _clamped(key: str, value: object) -> object:
    if not isinstance(value, int):
        return value
    for bound in GlobalSettings.model_fields[key].metadata:
        value = max(value, getattr(bound, "ge", value))
        value = min(value, getattr(bound, "le", value))
    return value

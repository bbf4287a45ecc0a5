"""The only list of settings: key, default, range and a sentence for each, one model per scope."""

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
    installation: Annotated[str, Field(pattern=r"^([0-9a-z]{12})?$")] = Field(
        default="", description="The random part of this installation's name; made once."
    )

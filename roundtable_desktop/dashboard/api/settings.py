"""The API's routes about settings, made from the one list of them."""

from typing import Any, cast

from pydantic import Field, create_model

from roundtable_desktop.dashboard.api.shapes import Shown, asked
from roundtable_desktop.dashboard.reading import Listed, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, settings
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.settings import GlobalSettings, persons_keys


class Setting(Shown):
    """One key with what it means; default is what holds while nobody has set it."""

    key: str
    value: Any
    default: Any
    description: str


def _field(key: str) -> Any:
    """Without its range: a number beyond it is clamped, not refused (K-37)."""
    field = GlobalSettings.model_fields[key]
    kind: Any = field.annotation
    return (kind | None, Field(default=None, description=field.description))


Change = cast(
    type[Words],
    create_model("Change", __base__=Words, **{key: _field(key) for key in persons_keys()}),
)
"""Any of the keys; those that are left out stay as they are."""


def rows(now: GlobalSettings) -> Listed[Setting]:
    fields = GlobalSettings.model_fields
    items = [
        Setting(
            key=key,
            value=getattr(now, key),
            default=fields[key].default,
            description=fields[key].description or "",
        )
        for key in persons_keys()
    ]
    return Listed[Setting](items=items, next_cursor=None)


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/settings")
    def show_settings() -> Listed[Setting]:
        """Every setting with its value, its default and what it means."""
        return rows(look.settings())

    @api.route("PATCH", "/api/v1/settings")
    def change_settings(caller: Caller, body: Change) -> Listed[Setting]:  # type: ignore[valid-type]
        """Sets some of them; numbers are brought into their range."""
        given = cast(Words, body).model_dump(exclude_unset=True, exclude_none=True)
        return rows(settings.change(desk, asked(caller), given))

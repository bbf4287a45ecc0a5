"""The API's routes about settings, made from the one list of them."""

from typing import Any, cast, get_args, get_origin

from pydantic import Field, create_model

from roundtable_desktop.dashboard.api.shapes import Shown, asked
from roundtable_desktop.dashboard.reading import Listed, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, settings
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.settings import GlobalSettings, Scope, WorkspaceSettings


class Setting(Shown):
    """One key with what it means; default is what holds while nobody has set it."""

    key: str
    value: Any
    default: Any
    description: str


class Settings(Listed[Setting]):
    """All of one scope."""

    revision: int


def _field(scope: type[Scope], key: str) -> Any:
    """Without its range: a number beyond it is clamped, not refused (K-37). In a key that holds
    names, null takes one of them away."""
    field = scope.model_fields[key]
    kind: Any = field.annotation
    if get_origin(kind) is dict:
        of_name, of_value = get_args(kind)
        kind = dict.__class_getitem__((of_name, of_value | None))
    return (kind | None, Field(default=None, description=field.description))


def _change(name: str, scope: type[Scope]) -> type[Words]:
    """Any of the keys; those that are left out stay as they are, null is the default again."""
    fields = {key: _field(scope, key) for key in scope.persons_keys()}
    return cast(type[Words], create_model(name, __base__=Words, **fields))


Change = _change("Change", GlobalSettings)
WorkspaceChange = _change("WorkspaceChange", WorkspaceSettings)


def rows(now: Scope, revision: int) -> Settings:
    shown, defaults = now.model_dump(), type(now)().model_dump()
    items = [
        Setting(
            key=key,
            value=shown[key],
            default=defaults[key],
            description=type(now).model_fields[key].description or "",
        )
        for key in now.persons_keys()
    ]
    return Settings(items=items, next_cursor=None, revision=revision)


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/settings")
    def show_settings() -> Settings:
        """Every setting with its value, its default and what it means."""
        return rows(*look.settings())

    @api.route("PATCH", "/api/v1/settings", errors=(409,))
    def change_settings(
        caller: Caller,
        body: Change,  # type: ignore[valid-type]
        expected_revision: int | None,
    ) -> Settings:
        """Sets some of them; numbers are brought into their range."""
        given = cast(Words, body).model_dump(exclude_unset=True)
        settings.change(desk, asked(caller, revision=expected_revision), given)
        return rows(*look.settings())

    @api.route("GET", "/api/v1/workspaces/<ref>/settings")
    def show_workspace_settings(ref: str) -> Settings:
        """Those of one workspace."""
        return rows(*look.workspace_settings(look.workspace(ref)))

    @api.route("PATCH", "/api/v1/workspaces/<ref>/settings", errors=(404, 409))
    def change_workspace_settings(
        caller: Caller,
        ref: str,
        body: WorkspaceChange,  # type: ignore[valid-type]
        expected_revision: int | None,
    ) -> Settings:
        """Sets some of them for one workspace."""
        given = cast(Words, body).model_dump(exclude_unset=True)
        workspace = look.workspace(ref)
        by = asked(caller, revision=expected_revision)
        settings.change_in(desk, by, workspace.id, given)
        return rows(*look.workspace_settings(workspace))

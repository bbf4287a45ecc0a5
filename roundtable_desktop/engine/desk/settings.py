"""Commands about settings."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, done_before, remember
from roundtable_desktop.model.errors import Absent, Invalid
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.settings import GlobalSettings, Scope, WorkspaceSettings
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import journal, settings, workspaces
from roundtable_desktop.store.db import Tx

S = TypeVar("S", bound=Scope)

MOST_NAMES = 200
"""In one key that holds names."""


def change(desk: Desk, asked: Asked, values: Mapping[str, object]) -> GlobalSettings:
    """Sets these keys; a number beyond its range becomes the nearest that is allowed, None the
    default. Raises Conflict when the caller saw an older revision."""
    with desk.store.transaction() as tx:
        return _change(tx, asked, settings.of_home(tx), values)


def change_in(
    desk: Desk, asked: Asked, workspace_id: str, values: Mapping[str, object]
) -> WorkspaceSettings:
    """Those of one workspace. A key that holds names (`projects`) keeps those that are not named;
    None takes one away."""
    with desk.store.transaction() as tx:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace")
        now = settings.of_workspace(tx, workspace_id)
        return _change(tx, asked, now, values, workspace_id)


def mute(desk: Desk, asked: Asked, until: datetime | None) -> GlobalSettings:
    """No notification until then; None: they come again."""
    with desk.store.transaction() as tx:
        muted = None if until is None else micros(until)
        return _change(tx, asked, settings.of_home(tx), {"muted_until": muted})


def _change(
    tx: Tx, asked: Asked, now: S, values: Mapping[str, object], workspace_id: str | None = None
) -> S:
    subject = Subject("settings", workspace_id or now.name)
    if done_before(tx, asked) is not None:
        return now
    remember(tx, asked, subject)
    check_revision(asked, settings.revision(tx, now, workspace_id))
    before = now.model_dump()
    defaults = type(now)().model_dump()
    wanted = {
        key: defaults[key] if value is None else _merged(before[key], value)
        for key, value in now.clamped(values).items()
    }
    changed = {key: value for key, value in wanted.items() if before[key] != value}
    if not changed:
        return now
    scope_id = workspace_id or ""
    for key, value in changed.items():
        if isinstance(value, dict) and len(value) > MOST_NAMES:
            raise Invalid("too_many_names", f"/{key}", most=MOST_NAMES)
    tx.nudge("queue")  # the scheduler looks what holds now
    after = settings.put(tx, now, asked.actor, changed, scope_id)
    journal.tell(
        tx,
        Kind.SETTINGS_CHANGED,
        subject,
        workspace_id=workspace_id,
        actor=asked.actor,
        data=changed,
    )
    return after


def _merged(before: object, value: object) -> object:
    if not (isinstance(before, dict) and isinstance(value, dict)):
        return value
    return {name: one for name, one in {**before, **value}.items() if one is not None}

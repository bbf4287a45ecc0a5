"""Commands about settings."""

from collections.abc import Mapping

from roundtable_desktop.engine.desk import Asked, Desk
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.settings import GlobalSettings, clamped
from roundtable_desktop.store import journal, settings


def change(desk: Desk, asked: Asked, values: Mapping[str, object]) -> GlobalSettings:
    """Sets these keys; a number beyond its range becomes the nearest that is allowed."""
    wanted = clamped(values)
    with desk.store.transaction() as tx:
        before = settings.of_home(tx).model_dump()
        changed = {key: value for key, value in wanted.items() if before[key] != value}
        if not changed:
            return settings.of_home(tx)
        now = settings.put_home(tx, asked.actor, **changed)
        subject = Subject("settings", "global")
        kind = Kind.SETTINGS_CHANGED
        journal.tell(tx, kind, subject, workspace_id=None, actor=asked.actor, data=changed)
        return now

"""What works while nobody owns the home: it takes the home, acts, and releases it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.app import lay_ground
from roundtable_desktop.dashboard import api as routes
from roundtable_desktop.engine.desk import Asked, workspaces
from roundtable_desktop.model.errors import Absent, Broken
from roundtable_desktop.model.records import PERSON
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.store import backups, migrate, restoring
from roundtable_desktop.store.restoring import Restored


def register(home: Home, wanted: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """`roundtable init`: the workspace as the API shows it, and whether it is new."""
    ground = lay_ground(home)
    try:
        mode = wanted.get("delivery")
        made, is_new = workspaces.register_or_find(
            ground.desk,
            Asked(PERSON),
            wanted["path"],
            name=wanted.get("name"),
            base_branch=wanted.get("base_branch"),
            delivery=DeliveryMode(mode) if mode else None,
        )
    finally:
        ground.close()
    return routes.workspaces.Workspace.of(made).model_dump(), is_new


def back_up(home: Home, file: Path) -> None:
    """Into a new file; beside a running owner too, for it only reads."""
    if not home.database.exists():
        raise Absent("nothing_to_back_up", path=str(home.database))
    migrate.version_of(home.database)
    try:
        backups.back_up_sound(home.database, file)
    except FileExistsError:
        raise Broken("backup_exists", path=str(file)) from None


def restore(home: Home, file: Path) -> Restored:
    """The present database is set aside. Raises Busy (`home_is_owned`) while an owner runs."""
    if file.is_symlink():
        raise Broken("backup_is_link", path=str(file))
    home.prepare()
    home.lock()
    try:
        restoring.finish(home.database)
        restoring.check(file)
        now = SystemClock().now()
        return restoring.put_in_place(home.database, file, restoring.as_of(file), now, why="asked")
    finally:
        home.unlock()

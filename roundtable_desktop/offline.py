"""What works while nobody owns the home: it takes the home, acts, and releases it."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters.git import HardenedGit
from roundtable_desktop.adapters.home import Home, write_private
from roundtable_desktop.adapters.reviewed import bundles
from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.app import lay_ground, look_at
from roundtable_desktop.dashboard import api as routes
from roundtable_desktop.engine.desk import Asked, Desk, config, workspaces
from roundtable_desktop.engine.desk.welcome import add_found
from roundtable_desktop.mcp.tools import describe
from roundtable_desktop.model.errors import Absent, Broken, Busy, Conflict, Refused
from roundtable_desktop.model.findings import Door, Finding, Standing
from roundtable_desktop.model.programs import Found
from roundtable_desktop.model.records import PERSON, Workspace
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import backups, migrate, restoring
from roundtable_desktop.store.db import Reader
from roundtable_desktop.store.restoring import Restored
from roundtable_desktop.surroundings import doctor_of


def register(
    home: Home, wanted: Mapping[str, Any]
) -> tuple[Mapping[str, Any], bool, Mapping[str, Any]]:
    """`roundtable init`: the workspace as the API shows it, whether it is new, and its file."""
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
        file = _config(ground.desk, made)
    finally:
        ground.close()
    return routes.workspaces.Workspace.of(made).model_dump(), is_new, file


def add_agents(home: Home, workspace_id: str, wanted: Sequence[Found]) -> list[str]:
    """Those that `init` was told to add; the names of those that are new."""
    with contextlib.closing(lay_ground(home)) as ground:
        added = (add_found(ground.desk, Asked(PERSON), workspace_id, one) for one in wanted)
        return [one.name for one in added if one is not None]


def _config(desk: Desk, workspace: Workspace) -> Mapping[str, Any]:
    try:
        seen, wrote = config.write(desk, Asked(PERSON), workspace)
    except Conflict as refused:
        problem = sentence(refused.code, refused.values)
        return {"state": "absent", "wrote": False, "problem": problem}
    return routes.config.shown(seen, wrote=wrote).model_dump()


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


def practice_git(home: Home) -> HardenedGit:
    """What practice mode makes its sample repository with, and looks at it afterwards."""
    home.prepare()
    return HardenedGit(home.empty, Path.home(), home.users_umask)


def doctor(home: Home, *, fix: bool) -> Mapping[str, Any]:
    """As the API says it. Nothing is brought up or restored; an owner that holds the home and does
    not answer is a finding, and then nothing is mended."""
    if not home.root.is_dir():
        return _said([_about("home", Standing.OK, "doctor_no_home", path=str(home.root))])
    try:
        home.lock()
    except Busy:
        pid = (home.owner() or {}).get("pid")
        hangs = _about("owner", Standing.CRITICAL, "doctor_owner_hangs", pid=pid)
        return _said([hangs, *_looked(home, Door.SILENT, fix=False)])
    try:
        nobody = _about("owner", Standing.OK, "doctor_no_owner")
        return _said([nobody, *_looked(home, Door.CLOSED, fix=fix)])
    finally:
        home.unlock()


def _looked(home: Home, door: Door, *, fix: bool) -> list[Finding]:
    clock = SystemClock()
    with contextlib.ExitStack() as stack:
        reader, older = None, False
        if home.database.exists():
            with contextlib.suppress(Refused):
                older = migrate.version_of(home.database) < len(migrate.migrations())
                if not older:
                    reader = stack.enter_context(contextlib.closing(Reader(home.database, clock)))
        looking = doctor_of(home, clock, reader, door)
        found = looking.fix() if fix else looking.findings()
    older_one = [_about("schema", Standing.NOTICE, "doctor_older")] if older else []
    return [*older_one, *found]


def _about(check: str, standing: Standing, code: str, **values: object) -> Finding:
    return Finding(check=check, standing=standing, code=code, values=values)


def export(home: Home, *, redacted: bool) -> Mapping[str, Any]:
    """How everything is set up, as the API says it."""
    if not home.database.exists():
        raise Absent("nothing_to_back_up", path=str(home.database))
    with contextlib.closing(lay_ground(home)) as ground:
        return routes.bundles.pack(ground.desk, look_at(ground), redacted=redacted)


def take(home: Home, given: object, *, dry_run: bool) -> Mapping[str, Any]:
    """Likewise: what was done, or would be."""
    bundle = routes.bundles.read(given)
    with contextlib.closing(lay_ground(home)) as ground:
        looking = look_at(ground)
        done = routes.bundles.take(ground.desk, looking, Asked(PERSON), bundle, dry_run=dry_run)
    return done.model_dump()


def write_bundle(folder: Path, bundle: Mapping[str, Any]) -> list[Path]:
    return bundles.write(folder, bundle, write_private)


def tools() -> list[dict[str, object]]:
    """What agents are told of each of their tools."""
    return describe()


def read_bundle(folder: Path) -> Mapping[str, Any]:
    return bundles.read(folder)


def _said(found: list[Finding]) -> Mapping[str, Any]:
    return routes.doctor.shown(found).model_dump()

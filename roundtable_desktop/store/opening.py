"""What lies at the database's place becomes a sound one of this version, or is refused as it is."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store import backups, migrate, restoring
from roundtable_desktop.store.fields import Table
from roundtable_desktop.store.restoring import Restored
from roundtable_desktop.store.soundness import faults
from roundtable_desktop.store.tables import TABLES

LOOK_SECONDS = 1.0
"""For the look through the file that every start waits for; housekeeping does the rest."""
LOST = ("database_damaged", "database_unreadable", "database_empty")
"""What the newest sound backup can take the place of."""


@dataclass(frozen=True, slots=True)
class Opened:
    """applied: the numbers of migrations. restored: where the file was damaged."""

    applied: list[int]
    restored: Restored | None


def make_ready(
    path: Path,
    folder: Path,
    at: datetime,
    monotonic: Callable[[], float],
    say: migrate.Say = migrate.quietly,
) -> Opened:
    """folder: of the backups. say: hears of an upgrade. The home is ours alone (D-06).

    Damage is mended by the newest state that is sound, and what was there is kept; what is no
    database of ours, or not ours alone, is refused and stays as it is (F-20, F-21).
    """
    restoring.finish(path)
    restored = None
    if os.path.lexists(path):
        if path.is_dir():  # which has more than one name by nature
            raise Broken("database_foreign", path=str(path))
        if path.stat().st_nlink > 1:
            raise Broken("database_hard_linked", path=str(path))
        restored = _mended(path, folder, at, monotonic)
    elif found := backups.kept(folder, at):
        raise Broken("database_gone", path=str(path), backup=str(found[0].path))
    return Opened(migrate.migrate(path, folder, at, say), restored)


def _mended(
    path: Path, folder: Path, at: datetime, monotonic: Callable[[], float]
) -> Restored | None:
    try:
        migrate.version_of(path)
    except Broken as refused:
        return restoring.best(path, folder, at, harm_of(path, folder, refused))
    until = monotonic() + LOOK_SECONDS
    whole = _suspect(path).exists()
    text = faults(path, may_go_on=lambda: whole or monotonic() < until)
    restored = restoring.best(path, folder, at, _damaged(path, folder, text)) if text else None
    _suspect(path).unlink(missing_ok=True)
    return restored


def harm_of(path: Path, folder: Path, refused: Broken) -> Broken:
    """Of a file that was ours, what can be mended: damaged, empty, or without its head. Another
    program's database is nothing of ours, as long as it is sound; that is raised."""
    if refused.code in LOST:
        return Broken(refused.code, **{**refused.values, "backups": str(folder)})
    if refused.code == "database_foreign" and (text := faults(path)):
        return _damaged(path, folder, text)
    raise refused


def _damaged(path: Path, folder: Path, text: str) -> Broken:
    return Broken("database_damaged", path=str(path), text=text, backups=str(folder))


def damaged_tables(path: Path) -> str | None:
    """What is wrong first, for a look that may take its time; a snapshot lasts for one table."""
    return next((text for table in TABLES if (text := _faults_of(path, table))), None)


def _faults_of(path: Path, table: type[Table]) -> str | None:
    return faults(path, table=table._meta.table_name)


def suspect(path: Path) -> None:
    """The next start looks through all of it, however long that takes."""
    _suspect(path).touch(mode=0o600)


def _suspect(path: Path) -> Path:
    return path.with_name(path.name + ".suspect")

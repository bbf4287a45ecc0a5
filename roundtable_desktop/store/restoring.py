"""Puts another database in the place of the present one, whole or not at all, and loses neither."""

import json
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import backups, migrate
from roundtable_desktop.store.soundness import faults, read_only

PARTS = ("", "-wal", "-shm", "-journal")
_PENDING = "restoring-"
MARK = {"scope": "owner", "key": "restored"}
"""The row of `settings` that tells the next start that its past is an older one."""


@dataclass(frozen=True, slots=True)
class Restored:
    """source: what it came from. at: as of when it is. aside: the folder in which what was there
    lies now; None where nothing was."""

    source: Path
    at: datetime
    aside: Path | None


def best(path: Path, folder: Path, at: datetime, harm: Broken) -> Restored:
    """For a file that cannot be gone on with: itself without the log beside it, or the newest
    backup; of those that are sound, the one in which something happened last. Raises Broken
    (`database_…_lost`) with nothing changed when there is neither."""
    why = harm.code.removeprefix("database_")
    backup = newest_sound(folder, at)
    if sound_alone(path):
        written = as_of(path, alone=True)
        if backup is None or written >= as_of(backup.path):
            return put_in_place(path, path, written, at, why=why, alone=True)
    if backup is not None:
        return put_in_place(path, backup.path, backup.at, at, why=why)
    raise Broken(f"{harm.code}_lost", **harm.values)


def newest_sound(folder: Path, at: datetime) -> backups.Backup | None:
    """The one that a start goes on from."""
    for one in backups.kept(folder, at):
        with suppress(Broken):
            check(one.path)
            return one
    return None


def sound_alone(path: Path) -> bool:
    """Whether it can be gone on with without the log that lies beside it. An empty file is a sound
    database to SQLite; it is none of ours."""
    if not path.with_name(path.name + "-wal").exists():
        return False
    with suppress(Broken):
        return migrate.version_of(path, alone=True) > 0 and faults(path, alone=True) is None
    return False


def check(source: Path) -> None:
    """Raises Broken: it is no database of ours, a newer one, or damaged."""
    if not source.is_file():
        raise Broken("backup_not_there", path=str(source))
    try:
        found, known = migrate.version_of(source), len(migrate.migrations())
    except Broken as refused:
        raise _of_backup(source, refused) from None
    if found > known:
        raise Broken("backup_newer", path=str(source), found=found, known=known)
    if text := faults(source):
        raise Broken("backup_damaged", path=str(source), text=text)
    with closing(read_only(source)) as connection:
        acts = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger'").fetchone()
    if acts or not migrate.has_its_tables(source, found):
        raise Broken("backup_foreign", path=str(source))


def _of_backup(source: Path, refused: Broken) -> Broken:
    """The sentences about the home's own file would be wrong for another one."""
    if refused.code == "database_damaged":
        return Broken("backup_damaged", path=str(source), text=refused.values["text"])
    foreign = ("database_empty", "database_unreadable", "database_foreign")
    return Broken("backup_foreign", path=str(source)) if refused.code in foreign else refused


def as_of(source: Path, *, alone: bool = False) -> datetime:
    """When something happened last in it."""
    with closing(read_only(source, alone=alone)) as connection:
        at = connection.execute("SELECT max(at) FROM events").fetchone()[0]
    return datetime.fromtimestamp(source.stat().st_mtime, UTC) if at is None else instant(int(at))


def put_in_place(
    path: Path,
    source: Path,
    as_of: datetime,
    at: datetime,
    *,
    why: str,
    alone: bool = False,
) -> Restored:
    """`source` becomes the database at `path`; what was there is set aside in `aside/`.

    Once the folder has its last name it is done at the next start at the latest (`finish`).
    """
    stamp = backups.stamp(at)
    beside = path.parent / f".{_PENDING}{stamp}"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    aside = path.parent / "aside" / stamp if _parts(path) else None
    told = {
        "why": why,
        "source": str(source),
        "as_of": micros(as_of),
        "aside": str(aside) if aside else None,
        "last_event": _last_event(path),
    }
    try:
        _copy(source, beside / path.name, alone=alone)
        _mark(beside / path.name, told, at)
        backups.sync_folder(beside)
        pending = path.parent / f"{_PENDING}{stamp}"
        beside.rename(pending)
        backups.sync_folder(path.parent)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    finish(path)
    return Restored(source, as_of, aside)


def finish(path: Path) -> None:
    """What was broken off between the decision to restore and its last rename; any number of
    times. Begun ones that were not decided are dropped."""
    for begun in path.parent.glob(f".{_PENDING}*"):
        shutil.rmtree(begun, ignore_errors=True)
    for pending in sorted(path.parent.glob(f"{_PENDING}*")):
        ready = pending / path.name
        if ready.exists():
            aside = path.parent / "aside" / pending.name.removeprefix(_PENDING)
            _set_aside(path, aside)
            ready.rename(path)
            backups.sync_folder(path.parent)
        shutil.rmtree(pending, ignore_errors=True)


def _set_aside(path: Path, aside: Path) -> None:
    """The log first: without it the main file is an older state, but the log goes with no other."""
    for part in reversed(_parts(path)):
        for folder in (aside.parent, aside):
            folder.mkdir(mode=0o700, exist_ok=True)
        part.rename(aside / part.name)
    if aside.exists():
        backups.sync_folder(aside)


def _parts(path: Path) -> list[Path]:
    parts = [path.with_name(path.name + ending) for ending in PARTS]
    return [part for part in parts if os.path.lexists(part)]


def _copy(source: Path, target: Path, *, alone: bool) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    try:
        with (
            closing(read_only(source, alone=alone)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode = delete")
    except sqlite3.Error as error:
        raise Broken("backup_failed", path=str(target), text=str(error)) from error


def _mark(path: Path, told: dict[str, object], at: datetime) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT OR REPLACE INTO settings (scope, scope_id, key, value, updated_at, actor)"
            " VALUES (?, '', ?, ?, ?, 'system:roundtable')",
            (MARK["scope"], MARK["key"], json.dumps(told), micros(at)),
        )


def _last_event(path: Path) -> int | None:
    """Of the present file, as far as it can still be read: cursors of clients go that far. Beside
    an empty one SQLite takes the log away, and that may be all that is left."""
    try:
        if not path.exists() or path.stat().st_size == 0:
            return None
        with closing(read_only(path)) as connection:
            found = connection.execute("SELECT max(id) FROM events").fetchone()[0]
            return None if found is None else int(found)
    except (sqlite3.Error, ValueError):
        return None

"""Copies of the database: made whole by SQLite's own backup, looked through, kept in number."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.store.soundness import faults

KEPT = 7
KEPT_BYTES = 2 << 30
_NAME = re.compile(r"roundtable-(?P<at>\d{8}T\d{6}Z)-v(?P<schema>\d{4})\.db")
_OLDER_NAME = re.compile(r"before-(?P<schema>\d{4})-(?P<at>\d{8}T\d{6}Z)\.db")
_STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Backup:
    """schema: the number of the database's version."""

    path: Path
    at: datetime
    schema: int
    size: int


def stamp(at: datetime) -> str:
    return f"{at:{_STAMP}}"


def back_up(source: Path, target: Path) -> None:
    """A whole copy, complete or not there at all (F-25); one file that needs none beside it.

    Raises Broken (`backup_failed`), and FileExistsError when `target` is there, link or not.
    """
    partial = target.with_name(target.name + ".part")
    with _told(target, partial):
        if os.path.lexists(target):
            raise FileExistsError(target)
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(partial)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode = delete")
        partial.rename(target)
        sync_folder(target.parent)


def back_up_sound(source: Path, target: Path) -> None:
    """The same, and nothing is left of a copy that is damaged: it must not be taken for one that
    somebody can go back to. Raises Broken (`database_damaged`)."""
    beside = target.with_name(target.name + ".unchecked")
    with _told(target, beside):
        if os.path.lexists(target):
            raise FileExistsError(target)
        beside.unlink(missing_ok=True)
        back_up(source, beside)
        if found := faults(beside):
            raise Broken("database_damaged", path=str(source), text=found)
        beside.rename(target)


@contextmanager
def _told(target: Path, partial: Path) -> Iterator[None]:
    """Whatever keeps the backup from being made is Broken, and nothing is left of it."""
    try:
        yield
    except FileExistsError:
        raise
    except Broken as failed:
        _drop(partial)
        if failed.code != "backup_failed":
            raise
        raise Broken(failed.code, **{**failed.values, "path": str(target)}) from failed
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            _drop(partial)
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Broken("backup_failed", path=str(target), text=text) from error
    except BaseException:
        _drop(partial)
        raise


def keep(source: Path, folder: Path, at: datetime, schema: int, *, sound: bool = False) -> Path:
    """One more in `folder`, and no more of the old ones than are to be kept."""
    target = folder / f"roundtable-{stamp(at)}-v{schema:04d}.db"
    with suppress(FileExistsError):  # of this very second
        (back_up_sound if sound else back_up)(source, target)
    prune(folder, at)
    return target


def kept(folder: Path, now: datetime | None = None) -> list[Backup]:
    """The newest first. What else lies there is none of ours. now: those of a time to come, made
    while the clock was wrong, count as the oldest."""
    found = []
    for path in folder.glob("*.db"):
        named, older = _NAME.fullmatch(path.name), _OLDER_NAME.fullmatch(path.name)
        match = named or older
        if match is None or path.is_symlink() or not path.is_file():
            continue
        at = datetime.strptime(match["at"], _STAMP).replace(tzinfo=UTC)
        schema = int(match["schema"]) - (1 if older else 0)
        found.append(Backup(path, at, schema, path.stat().st_size))
    found.sort(key=lambda one: (one.at, one.path.name), reverse=True)
    return sorted(found, key=lambda one: now is not None and one.at > now)


def prune(folder: Path, now: datetime | None = None) -> None:
    """At most seven and 2 GB of them, and always the newest (F-25)."""
    size = 0
    for number, one in enumerate(kept(folder, now)):
        size += one.size
        if number and (number >= KEPT or size > KEPT_BYTES):
            _drop(one.path)


def sync_folder(folder: Path) -> None:
    """A name that was given holds after a power failure too."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _drop(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)

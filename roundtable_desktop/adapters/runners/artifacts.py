"""Keeps files that an agent named: regular ones of its copy alone, whoever moves them meanwhile."""

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from roundtable_desktop.model.artifacts import MOST, MOST_BYTES, MOST_IN_ALL, KeptFile

FOLDER = "artifacts"
PIECE = 1 << 20
PART = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class _NotKept(Exception):
    """The code of why."""


def keep(folder: Path, copy: str, paths: Sequence[str]) -> list[KeptFile]:
    """In `folder`, by their numbers; what was there before is made anew."""
    place = folder / FOLDER
    with suppress(OSError):  # without it nothing can be kept, and each says so
        place.mkdir(mode=0o700, exist_ok=True)
    left, found = MOST_IN_ALL, []
    for number, path in enumerate(paths, start=1):
        try:
            if number > MOST:
                raise _NotKept("artifact_too_many")
            size, digest = _copied(copy, path, place / str(number), min(left, MOST_BYTES))
            found.append(KeptFile(path=path, size=size, sha256=digest))
            left -= size
        except _NotKept as why:
            found.append(KeptFile(path=path, fault=str(why)))
        except OSError as failed:
            gone = failed.errno in GONE
            fault = "artifact_absent" if gone else "artifact_unreadable"
            found.append(KeptFile(path=path, fault=fault))
    return found


def kept(folder: Path, number: int) -> bytes | None:
    try:
        descriptor = os.open(folder / FOLDER / str(number), PART | os.O_NONBLOCK)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        return file.read(MOST_BYTES) if stat.S_ISREG(facts.st_mode) else None


def _copied(copy: str, path: str, target: Path, most: int) -> tuple[int, str]:
    """(bytes, sha256). A file that grows meanwhile is cut off where it is too large."""
    digest, size = hashlib.sha256(), 0
    with _plain(_opened(copy, path)) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _NotKept("artifact_too_large")
        with suppress(FileNotFoundError):
            os.unlink(target)
        new = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(new, "wb") as saved:
            while piece := file.read(PIECE):
                size += len(piece)
                if size > most:
                    os.unlink(target)
                    raise _NotKept("artifact_too_large")
                digest.update(piece)
                saved.write(piece)
    return size, digest.hexdigest()


def _plain(descriptor: int) -> BinaryIO:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _NotKept("artifact_no_file")
    return open(descriptor, "rb")


def _opened(copy: str, path: str) -> int:
    """A descriptor, part by part below the copy: a link anywhere on the way ends it, also one that
    is put there between two looks (S-40)."""
    parts = path.removeprefix(f"{copy}/").split("/")
    if path.startswith("/") and not path.startswith(f"{copy}/"):
        raise _NotKept("artifact_outside")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise _NotKept("artifact_outside")
    here = os.open(copy, PART | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, PART | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = below
        found = os.open(parts[-1], PART | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)
    return found

"""What git tells of the files of a commit, and how a patch becomes one: a part of `Git`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from roundtable_desktop.model.repository import Repository


class EntryKind(StrEnum):
    """`binary` is a file whose bytes are no text, `submodule` a commit of another repository."""

    FILE = "file"
    BINARY = "binary"
    LINK = "link"
    FOLDER = "folder"
    SUBMODULE = "submodule"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """size: bytes; None for what has none."""

    path: str
    kind: EntryKind
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Of one path of a commit. text: from the byte that was asked for, of a file, or where a link
    points; entries: of a folder. next_offset: where the rest begins, in bytes; None where that is
    all. whole: whether these are all entries."""

    entry: FileEntry
    text: str | None = None
    next_offset: int | None = None
    entries: Sequence[FileEntry] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One that has what was looked for; number: from 1; text: cut where it is long."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patched:
    """head: the commit, None where the patch changes nothing. held: as of `Collected`."""

    head: str | None
    held: Mapping[str, object] | None = None


class Contents(Protocol):
    """A part of the port `Git`."""

    def content(
        self, repository: Repository, commit: str, path: str, *, offset: int, limit: int
    ) -> Content | None:
        """path: "" is the top folder; None: the commit has nothing there. limit: bytes of text, or
        entries. A link is never followed."""

    def search(
        self,
        repository: Repository,
        commit: str,
        words: str,
        path: str,
        *,
        any_case: bool,
        limit: int,
    ) -> tuple[Sequence[Line], bool]:
        """Lines of text files below `path` that have these words as they stand, and whether that
        is all of them."""

    def patch(
        self,
        repository: Repository,
        patch: bytes,
        *,
        base: str,
        ref: str,
        message: str,
        at: datetime,
    ) -> Patched:
        """The patch as one commit on `base`, kept under `ref`; no file is written anywhere. The
        same input gives the same commit. Raises Invalid
        (`patch_does_not_apply`, `patch_not_text`, `patch_too_large`, `patch_names_git`,
        `patch_mode`), pointer /patch."""

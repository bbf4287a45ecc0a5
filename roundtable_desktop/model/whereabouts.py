"""Where a home lies: by what a start knows whether it is the home that it was, or a copy of it."""

from dataclasses import dataclass

UNSTEADY = ("fuse", "vfat", "exfat", "msdos")
"""File systems that may number their files anew each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """root: the folder's path. machine: a name for it that lasts; "" where it has none. kind: of
    the file system; "" where the system does not tell. volume: its number, where that tells a
    snapshot from what it was taken of.

    database, lock, folder: the numbers of these files, which others get when they are gone;
    lock_made, folder_made differ then, where they are told.
    """

    root: str
    machine: str = ""
    kind: str = ""
    volume: int | None = None
    database: int = 0
    lock: int = 0
    folder: int = 0
    lock_made: int | None = None
    folder_made: int | None = None

    @property
    def numbers_last(self) -> bool:
        """`fuseblk` is a disk, `fuse.…` a program."""
        return self.kind.partition(".")[0] not in UNSTEADY

"""Tells a home that was copied from one that was moved, by where it lay when it ran last; and what
began after the last that a database knows."""

from datetime import datetime

from roundtable_desktop.model.whereabouts import Whereabouts


def is_copy(was: Whereabouts, now: Whereabouts, *, still_there: bool) -> bool:
    """A move within a file system keeps the numbers of the files, a copy has new ones; neither a
    start of the machine nor another path to the same files changes them. still_there: whether a
    database lies where it lay; asked where numbers do not last.

    The lock alone is no sign, for people remove locks; nor is the folder, into which the files may
    have been moved.
    """
    if was.machine and now.machine and was.machine != now.machine:
        return True
    if not (was.numbers_last and now.numbers_last):
        return was.root != now.root and still_there
    lock = was.lock != now.lock or _differ(was.lock_made, now.lock_made)
    folder = was.folder != now.folder or _differ(was.folder_made, now.folder_made)
    other = was.database != now.database or _differ(was.volume, now.volume)
    return other or (lock and folder)


def _differ(was: int | None, now: int | None) -> bool:
    return was is not None and now is not None and was != now


_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def is_id(name: str) -> bool:
    return len(name) == 26 and not set(name) - set(_DIGITS)


def first_id_after(at: datetime) -> str:
    """Ids rise with time: no id of up to that millisecond comes after this one."""
    value = (int(at.timestamp() * 1000) + 1) << 80
    return "".join(_DIGITS[value >> shift & 31] for shift in range(125, -1, -5))

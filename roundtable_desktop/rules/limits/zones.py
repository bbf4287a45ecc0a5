"""Reads a time zone at one place of a text: an IANA name, an offset, or what people call it."""

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from roundtable_desktop.rules.zones import MEANT

_OFFSET = re.compile(r"\s?\(?(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?(?![\d:])\)?")
_NAME = re.compile(r",?\s?\(?([A-Za-z]{1,20}(?:/[A-Za-z0-9_+-]{1,30}){0,2})(?![\w/])\)?")
_FURTHEST = timedelta(hours=14)


def zone_at(text: str, start: int) -> tuple[tzinfo, int] | None:
    """None where no zone is named, or one that nobody knows: then it is the writer's own."""
    return _offset(text, start) or _name(text, start)


def _offset(text: str, start: int) -> tuple[tzinfo, int] | None:
    """`+05:30`, `GMT-3` (three hours behind, other than Etc/GMT-3)."""
    found = _OFFSET.match(text, start)
    if found is None:
        return None
    size = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    if size > _FURTHEST:
        return None
    return timezone(-size if found[1] == "-" else size), found.end()


def _name(text: str, start: int) -> tuple[tzinfo, int] | None:
    found = _NAME.match(text, start)
    zone = known_zone(found[1]) if found else None
    return (zone, found.end()) if found and zone else None


def known_zone(name: str) -> tzinfo | None:
    """`EST`, `Pacific`, `utc`; in small letters an abbreviation may be a word of some language."""
    called = name.upper() if name in ("utc", "z") or len(name) > len("AEST") else name
    name = MEANT.get(called, name)
    if name == "UTC":
        return UTC
    if "/" not in name:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # a folder of zones is an OSError
        return None

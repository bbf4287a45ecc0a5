"""Time zones by name, and the instants at which their clocks are changed."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from roundtable_desktop.model.errors import Invalid

_LONGEST_NAME = 64
_NAME = re.compile(
    r"(?!(?:Factory|localtime|posixrules)$|(?:posix|right)/)[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*"
)
"""Left out are the files beside the zones that stand for none, or for another way of counting."""

_LOOK = timedelta(days=7)  # no zone changes its clock twice within it
_EXAMPLE = "Europe/Berlin"
_MEANT = {
    "America/Los_Angeles": ("PACIFIC", "PT", "PST", "PDT"),
    "America/Denver": ("MOUNTAIN", "MT", "MST", "MDT"),
    "America/Chicago": ("CENTRAL", "CT", "CST", "CDT"),
    "America/New_York": ("EASTERN", "ET", "EST", "EDT"),
    "America/Anchorage": ("AKST", "AKDT"),
    "Europe/London": ("BST",),
    "Europe/Lisbon": ("WET", "WEST"),
    _EXAMPLE: ("CET", "CEST"),
    "Europe/Helsinki": ("EET", "EEST"),
    "Asia/Kolkata": ("IST",),
    "Asia/Tokyo": ("JST",),
    "Asia/Seoul": ("KST",),
    "Australia/Sydney": ("AEST", "AEDT"),
    "UTC": ("UTC", "GMT", "Z"),
}
MEANT = {called: name for name, many in _MEANT.items() for called in many}
"""What people write for a zone, in capitals, and the region that they mean all the year by it. In
a setting it is only offered; a provider's text is read by it."""


def zone(name: str, otherwise: str = "UTC", pointer: str = "") -> ZoneInfo:
    """The zone called `name`, the caller's own (`otherwise`) when it is empty (B-009).

    Old names are taken as well, on systems that have dropped them too (B-011).
    """
    wanted = name.strip() or otherwise
    if _NAME.fullmatch(wanted) and len(wanted) <= _LONGEST_NAME:
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):  # OSError: half a name
            return ZoneInfo(wanted)
    given, suggestion = wanted[:_LONGEST_NAME], _suggestion(wanted)
    raise Invalid("unknown_timezone", pointer, timezone=given, suggestion=suggestion)


@cache
def _known() -> frozenset[str]:
    return frozenset(name for name in available_timezones() if _NAME.fullmatch(name))


def _suggestion(wanted: str) -> str:
    """The nearest name; its last part counts alone too, so that a city is enough."""
    if len(wanted) > _LONGEST_NAME:
        return _EXAMPLE
    spelt = wanted.replace(" ", "_")
    if spelt.upper() in MEANT:
        return MEANT[spelt.upper()]
    names = {name.rpartition("/")[2].lower(): name for name in sorted(_known())}
    names.update({name.lower(): name for name in _known()})
    near = get_close_matches(spelt.lower(), names, n=1)
    return names[near[0]] if near else _EXAMPLE


def offset(at: datetime, zone: ZoneInfo) -> timedelta:
    """How far the zone's clock is ahead of UTC at this instant."""
    ahead = at.astimezone(zone).utcoffset()
    assert ahead is not None  # a ZoneInfo always knows
    return ahead


def wall(at: datetime, zone: ZoneInfo) -> datetime:
    """What the zone's clock shows at this instant, without its zone."""
    return at.astimezone(zone).replace(tzinfo=None)


def change(after: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
    """The first instant in (after, until] at which the clock goes other than at `after`."""
    before = offset(after, zone)
    while after < until:
        look = min(after + _LOOK, until)
        if offset(look, zone) != before:
            return _first(after, look, zone)
        after = look
    return None


def _first(same: datetime, other: datetime, zone: ZoneInfo) -> datetime:
    """Halves the stretch until the second of the change is left; changes are at whole seconds."""
    start = same.replace(microsecond=0)
    low, high = 0, int((other - start).total_seconds()) + 1
    before = offset(same, zone)
    while high - low > 1:
        middle = (low + high) // 2
        if offset(start + timedelta(seconds=middle), zone) == before:
            low = middle
        else:
            high = middle
    return (start + timedelta(seconds=high)).astimezone(UTC)

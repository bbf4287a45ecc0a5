"""Times and spans as programs and people write them; each face reads them by the same rule."""

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PART = re.compile(r"(\d{1,7})\s*(min|[smhdw])\s*", re.IGNORECASE)


def span_of(text: str) -> timedelta | None:
    """`90m`, `1h 30m`, `2d`; None for what is no span."""
    given, seconds, place = text.strip(), 0, 0
    while place < len(given):
        part = _PART.match(given, place)
        if part is None:
            return None
        seconds += int(part[1]) * _UNITS[part[2].lower()]
        place = part.end()
    return timedelta(seconds=seconds) if given else None


def instant_of(text: str) -> datetime | None:
    """RFC 3339, with its zone; None for what is no such time."""
    try:
        moment = datetime.fromisoformat(text.strip().upper())
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None

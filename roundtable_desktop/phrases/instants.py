"""An instant within what is said: where this machine is, to the second, with its offset."""

import re
from datetime import UTC, datetime

_EXACT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def is_exact(text: str) -> bool:
    """Whether it is an instant as rows and answers have them; nobody writes one like that."""
    return _EXACT.fullmatch(text) is not None


def stamp(text: str) -> str:
    """`2026-11-29 18:57:07+01:00`, or with Z in UTC."""
    moment = datetime.fromisoformat(text)
    try:
        local = moment.astimezone()
    except (OverflowError, OSError, ValueError):  # beyond what the machine's calendar has
        local = moment.astimezone(UTC)
    return local.isoformat(" ", "seconds").replace("+00:00", "Z")

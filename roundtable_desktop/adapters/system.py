"""The machine's clock and randomness; nothing else in the house reads them (law 6)."""

import os
import secrets
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import available_timezones

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base32


class SystemClock:
    """Fulfils `ports.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class SystemIds:
    """Fulfils `ports.Ids`: UUIDv7 with a counter in its 12 bits, so that ids of one process rise
    even within a millisecond (RFC 9562, 6.2 method 1)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def new(self) -> str:
        with self._lock:
            stamp = max((time.time_ns() // 1_000_000) << 12, self._last + 1)
            self._last = stamp
        milliseconds, counter = stamp >> 12, stamp & 0xFFF
        value = milliseconds << 80 | 0x7 << 76 | counter << 64 | 0b10 << 62 | secrets.randbits(62)
        return base32(value, 26)

    def start_after(self, moment: datetime) -> None:
        """Ids go on rising across a restart, though the wall clock was set back meanwhile."""
        with self._lock:
            self._last = max(self._last, int(moment.timestamp() * 1000) << 12 | 0xFFF)

    def secret(self) -> str:
        return secrets.token_urlsafe(32)


def local_zone(environ: Mapping[str, str]) -> str:
    """The IANA name of this machine's zone, "UTC" when it cannot be told."""
    named = environ.get("TZ", "").lstrip(":")
    linked = os.path.realpath("/etc/localtime").rpartition("zoneinfo/")[2]
    for name in (named, linked):
        if name in available_timezones():
            return name
    return "UTC"


def base32(value: int, length: int) -> str:
    """The lowest 5 bits for each of `length` characters, most significant first."""
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(5 * (length - 1), -1, -5))

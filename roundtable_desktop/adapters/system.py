"""The machine's clock and randomness; nothing else in the house reads them (law 6)."""

import functools
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from zoneinfo import available_timezones

log = logging.getLogger(__name__)

_TOLD_SECONDS = 2.0

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base32


class SystemClock:
    """Fulfils `ports.RowClock`. Its time never runs backwards and never stands still (F-29).

    When the machine's clock is set back, this one goes on from where it was at half the speed until
    the two agree: what waits for a moment waits twice as long at most, and no instant comes twice.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._lock = threading.Lock()
        self._last, self._at = float("-inf"), monotonic()
        self._told = False

    def now(self) -> datetime:
        with self._lock:
            at, wall = self._monotonic(), self._wall()
            now = max(wall, self._last + (at - self._at) / 2)
            self._last, self._at = now, at
            self._tell(now - wall)
        return datetime.fromtimestamp(now, UTC)

    def _tell(self, ahead: float) -> None:
        """Once each time that it is set back by more than what a correction of the net is."""
        if ahead > _TOLD_SECONDS and not self._told:
            log.warning("the machine's clock was set back seconds=%.1f", ahead)
        self._told = ahead > _TOLD_SECONDS

    def start_after(self, moment: datetime) -> None:
        """Time goes on from here across a restart, though the wall clock was set back meanwhile."""
        with self._lock:
            self._last, self._at = max(self._last, moment.timestamp()), self._monotonic()

    def monotonic(self) -> float:
        return self._monotonic()

    @property
    def stands(self) -> bool:
        return False

    def seconds_until(self, moment: datetime) -> float | None:
        return max(0.0, (moment - self.now()).total_seconds())

    def here(self, at: datetime) -> datetime:
        return at

    def outside(self, at: datetime) -> datetime:
        return at


class StandingClock:
    """Fulfils `ports.MovableClock`: the time of day stands until it is moved, processes live on.

    It begins at a whole second of the machine's clock.
    """

    def __init__(self) -> None:
        self._now = datetime.now(UTC).replace(microsecond=0)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return time.monotonic()

    @property
    def stands(self) -> bool:
        return True

    def seconds_until(self, moment: datetime) -> float | None:
        return 0.0 if moment <= self._now else None

    def here(self, at: datetime) -> datetime:
        """Whatever happens outside happens now, while this clock stands."""
        return self._now

    def outside(self, at: datetime) -> datetime:
        """When it stood there is not known: not later than now."""
        return datetime.now(UTC)

    def move_to(self, moment: datetime) -> None:
        self._now = moment


TEST_CLOCK = "ROUNDTABLE_TEST_CLOCK"


def clock_for(environ: Mapping[str, str]) -> SystemClock | StandingClock:
    """The standing one is for tests of one's own routines (contract, Test clock)."""
    return StandingClock() if environ.get(TEST_CLOCK) == "1" else SystemClock()


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
    return next((name for name in (named, linked) if name and name in _zones()), "UTC")


@functools.cache
def _zones() -> frozenset[str]:
    """Asked for once: it opens each of six hundred files, and an owner asks at several places."""
    return frozenset(available_timezones())


def base32(value: int, length: int) -> str:
    """The lowest 5 bits for each of `length` characters, most significant first."""
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(5 * (length - 1), -1, -5))

"""Instants: whole UTC microseconds in the database, aware datetimes in code (law 7)."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Exact: floats lose microseconds after the year 2255, and rounding can go either way."""
    return (moment - EPOCH) // MICROSECOND


def instant(value: int) -> datetime:
    return EPOCH + timedelta(microseconds=value)


def rfc3339(moment: datetime) -> str:
    """`2026-11-29T13:58:05.000123Z`, as every JSON answer shows an instant (contract, HTTP)."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

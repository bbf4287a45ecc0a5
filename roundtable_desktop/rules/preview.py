"""What a schedule means to a person: its words, its next fires, and what a clock change does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import Cron, parse

AHEAD = timedelta(days=366)
"""How far remarks look: every change of the clock that a year brings."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A code of `phrases` with its values; `at` is the change of the clock that it is about."""

    code: str
    values: Mapping[str, object]
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    words: str
    zone: ZoneInfo
    fires: tuple[datetime, ...]
    remarks: tuple[Remark, ...]


def preview(text: str, zone_name: str, own_zone: str, after: datetime, count: int) -> Preview:
    """after: without a zone it is meant in the schedule's. Raises Invalid, as `parse` and `zone`
    do, and when nothing is left before the end of the calendar."""
    cron, zone = parse(text), zones.zone(zone_name, own_zone)
    start = (after if after.tzinfo else after.replace(tzinfo=zone)).astimezone(UTC)
    fires = tuple(cron.first(count, start, zone))
    if not fires:
        raise Invalid("cron_ended", given=cron.text)
    return Preview(cron.words(), zone, fires, tuple(remarks(cron, zone, start)))


def uneven(text: str) -> Iterator[Remark]:
    """A step that does not divide the hour, the day or the month is not what it seems (B-018)."""
    for field, step in parse(text).uneven():
        yield Remark(f"cron_uneven_{field}", {"step": str(step)})


def remarks(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[Remark]:
    """What a reader of the expression would not expect, in the order in which it comes."""
    yield from uneven(cron.text)
    if cron.either_day():
        yield Remark("cron_either_day", {})
    if not cron.fixed and cron.every_hour():
        return  # it follows real time, and so does its reader
    until = after + AHEAD
    changed = zones.change(after, until, zone)
    while changed is not None:
        yield from _of_change(cron, zone, changed)
        changed = zones.change(changed, until, zone)


def _of_change(cron: Cron, zone: ZoneInfo, changed: datetime) -> Iterator[Remark]:
    behind = zones.wall(changed, zone)
    before = zones.wall(changed - timedelta(seconds=1), zone) + timedelta(seconds=1)
    gap = behind > before
    hit = list(cron.walls(min(before, behind), max(before, behind)))
    if not hit:
        return
    values = {"wall": _span(hit[0], hit[-1]), "date": hit[0].date().isoformat()}
    if cron.fixed and gap:
        yield Remark("cron_moved", {**values, "at": f"{behind:%H:%M}"}, changed)
    elif cron.fixed:
        yield Remark("cron_first_only", values, changed)
    else:
        yield Remark("cron_left_out" if gap else "cron_twice", values, changed)


def _span(first: datetime, last: datetime) -> str:
    return f"{first:%H:%M}" if first == last else f"{first:%H:%M}–{last:%H:%M}"  # noqa: RUF001

"""Instants, spans and sizes as pages show them; what is not known is said to be unknown."""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from markupsafe import Markup

from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _

MOMENTS = 2048
"""Instants that are kept as they are shown: a page that renews itself shows the same ones again."""


class Figures:
    """zone: the one of the person who looks."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)
        self._marked = lru_cache(MOMENTS)(self._mark)

    def moment(self, at: datetime | str, *, seconds: bool = False) -> Markup:
        """`29 Nov 17:16`, with the whole of it for machines and on hovering."""
        instant = datetime.fromisoformat(at) if isinstance(at, str) else at
        return self._marked(instant.astimezone(UTC), seconds)

    def _mark(self, instant: datetime, seconds: bool) -> Markup:
        local = instant.astimezone(self._zone)
        shown = f"{local.day} {local:%b %H:%M:%S}" if seconds else self.plain_moment(instant)
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            rfc3339(instant), f"{local:%Y-%m-%d %H:%M:%S} {self._zone.key}", shown
        )

    def plain_moment(self, at: datetime | str) -> str:
        """The same within a sentence, which is text."""
        instant = datetime.fromisoformat(at) if isinstance(at, str) else at
        local = instant.astimezone(self._zone)
        return f"{local.day} {local:%b %H:%M}"

    def midnight(self, day: date) -> datetime:
        """When that day begins where the person is."""
        return datetime(day.year, day.month, day.day, tzinfo=self._zone).astimezone(UTC)

    def clock(self, micros: int | None) -> str:
        """`17:16:50`, of microseconds since 1970."""
        if micros is None:
            return ""
        return f"{datetime.fromtimestamp(micros / 1_000_000, self._zone):%H:%M:%S}"


def span(begin: datetime | None, end: datetime | None) -> str:
    """How long; "" when it never began."""
    return "" if begin is None or end is None else lasted(end - begin)


def lasted(length: timedelta) -> str:
    exact = max(0.0, length.total_seconds())
    seconds = round(exact)
    if seconds < 60:
        return _("{n} s").format(n=f"{exact:.1f}" if exact < 10 else seconds)
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return _("{n} min {s} s").format(n=minutes, s=seconds)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return _("{n} h {m} min").format(n=hours, m=minutes)
    days, hours = divmod(hours, 24)
    return _("{n} d {h} h").format(n=days, h=hours)


def aged(length: timedelta) -> str:
    """For how long something is so, as far as one wants to know it at a glance."""
    minutes = int(length.total_seconds()) // 60
    if minutes < 1:
        return _("just now")
    if minutes < 60:
        return _("for {n} min").format(n=minutes)
    return _("for {span}").format(span=lasted(timedelta(minutes=minutes)))


def spelled(seconds: int) -> str:
    """A length that somebody set, in full: `4 h`, `1 min 30 s`."""
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    parts = (
        _("{n} h").format(n=hours) if hours else "",
        _("{n} min").format(n=minutes) if minutes else "",
        _("{n} s").format(n=rest) if rest or not seconds else "",
    )
    return " ".join(filter(None, parts))


def known(value: object) -> object:
    """Unknown is never 0."""
    return _("unknown") if value is None else value

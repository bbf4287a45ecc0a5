"""How a time is written at the command line."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import click

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import plain
from roundtable_desktop.model.spans import span_of
from roundtable_desktop.phrases import _


def shown_in(text: str, zone: ZoneInfo) -> str:
    """An instant of the API as people read it where they are."""
    return f"{datetime.fromisoformat(text).astimezone(zone):%a %Y-%m-%d %H:%M}"


def utc(text: str) -> str:
    """An instant of the API in UTC, to the second."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M:%SZ}"


class Moment(click.ParamType[datetime]):
    """A time as people and programs write it; by_itself: its zone must stand in it."""

    name = "time"

    def __init__(self, *, by_itself: bool = False) -> None:
        self._by_itself = by_itself

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            moment = datetime.fromisoformat(str(value).strip())
        except ValueError:
            moment = None
        if moment is None:
            said = _("“{given}” is no time; write it as 2026-03-08T06:30:00Z")
            self.fail(plain(said.format(given=value)), param, ctx)
        if self._by_itself and moment.tzinfo is None:
            said = _("“{given}” may be any hour: say its zone, as in 2026-03-08T06:30:00Z")
            self.fail(plain(said.format(given=value)), param, ctx)
        return moment


def clock_of(client: Client) -> datetime:
    """What its owner's clock shows, which may be a test's."""
    stands: str | None = client.get("/status")["test_clock"]
    return datetime.fromisoformat(stands) if stands else SystemClock().now()


def moment_of(client: Client, given: datetime | timedelta) -> datetime:
    """The instant that `Later` read."""
    return clock_of(client) + given if isinstance(given, timedelta) else given


class Later(click.ParamType[datetime | timedelta]):
    """A time to come, or how long it is until then, which its owner's clock says; a time without
    a zone is one of this machine."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime | timedelta:
        span = span_of(str(value))
        if span is not None:
            return span
        try:
            return datetime.fromisoformat(str(value).strip()).astimezone(UTC)
        except (ValueError, OverflowError):
            said = _("“{given}” is no time; write 2h, 1d or 2026-03-08T06:30")
            self.fail(plain(said.format(given=value)), param, ctx)

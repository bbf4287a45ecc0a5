"""How a time is written at the command line."""

from datetime import datetime

import click

from roundtable_desktop.cli.output import plain
from roundtable_desktop.phrases import _


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

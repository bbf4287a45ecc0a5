"""`roundtable cron`: a schedule in words, with its next fires; it asks no owner."""

import os
from datetime import datetime
from typing import TYPE_CHECKING

import click

from roundtable_desktop.adapters.system import SystemClock, local_zone
from roundtable_desktop.cli.moments import Moment
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.phrases import _, sentence

if TYPE_CHECKING:
    from roundtable_desktop.rules.preview import Preview

_MOST = 200


@click.command()
@click.argument("expression", metavar="EXPR")
@click.option("--tz", "zone", default="", metavar="ZONE", help=_("Default: this machine's zone."))
@click.option("--from", "start", type=Moment(), metavar="TIME", help=_("Default: now."))
@click.option("--count", type=click.IntRange(1, _MOST), default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
def cron(expression: str, zone: str, start: datetime | None, count: int, as_json: bool) -> None:
    """A schedule in words, and when it fires next.

    EXPR has five fields (minute, hour, day, month, weekday), or is one of @hourly, @daily,
    @weekly, @monthly, @yearly. Where a change of the clock takes a time away, a schedule with
    fixed hours and minutes fires right after it; where a time comes twice, the first one counts.
    """
    from roundtable_desktop.rules.preview import preview

    own_zone = local_zone(os.environ)
    seen = preview(expression, zone, own_zone, start or SystemClock().now(), count)
    if as_json:
        return show_json({"words": seen.words, "fires": _fires(seen)})
    click.echo(_("{words} ({zone})").format(words=seen.words, zone=seen.zone.key))
    click.echo()
    table([_row(fire, seen) for fire in seen.fires], ["local", "utc"])
    if seen.remarks:
        click.echo()
    for remark in seen.remarks:
        click.echo(sentence(remark.code, remark.values))
    return None


def _fires(seen: "Preview") -> list[dict[str, str]]:
    return [
        {
            "at": at.isoformat().replace("+00:00", "Z"),
            "local": at.astimezone(seen.zone).isoformat(),
        }
        for at in seen.fires
    ]


def _row(at: datetime, seen: "Preview") -> dict[str, str]:
    shown = "%a %Y-%m-%d %H:%M %Z"
    return {"local": at.astimezone(seen.zone).strftime(shown), "utc": f"{at:%Y-%m-%d %H:%M}"}


COMMANDS = [cron]

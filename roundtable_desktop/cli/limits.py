"""`roundtable parse-limit`: how a provider's message about a limit is understood."""

import os
import sys
from datetime import datetime

import click

from roundtable_desktop.adapters.system import SystemClock, local_zone
from roundtable_desktop.cli.moments import Moment
from roundtable_desktop.cli.output import show_json
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _

_YEARS = range(1971, 9000)  # beyond them there is no room for a day before, or a month after


@click.command("parse-limit")
@click.option(
    "--now",
    type=Moment(by_itself=True),
    metavar="TIME",
    help=_("When it was said; else it is now."),
)
@click.option(
    "--tz", "zone", default="", metavar="ZONE", help=_("Where; else this machine's zone.")
)
@click.option("--json", is_flag=True, expose_value=False, help=_("For programs; it is always so."))
def parse_limit(now: datetime | None, zone: str) -> None:
    """Understand a provider's message about a limit, given on standard input."""
    from roundtable_desktop.rules import zones
    from roundtable_desktop.rules.limits import Said, limit_verdict

    if now is not None and now.year not in _YEARS:
        raise click.BadParameter(_("no provider lives in that year"), param_hint="--now")
    here = zones.zone(zone, local_zone(os.environ))
    text = sys.stdin.buffer.read().decode(errors="replace")
    verdict = limit_verdict(Said(text), now or SystemClock().now(), here)
    show_json(
        {
            "kind": verdict.meaning,
            "reset_at": rfc3339(verdict.reset_at) if verdict.reset_at else None,
            "retry_at": rfc3339(verdict.retry_at) if verdict.retry_at else None,
            "matched": verdict.matched,
        }
    )


COMMANDS = [parse_limit]

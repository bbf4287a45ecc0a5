"""`roundtable parse-limit`: how a provider's message about a limit is understood."""

import os
import sys
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

import click

from roundtable_desktop.adapters.system import SystemClock, local_zone
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _

_YEARS = range(1971, 9000)  # beyond them there is no room for a day before, or a month after


def _instant(context: click.Context, option: click.Parameter, given: str | None) -> datetime | None:
    """RFC 3339, with its offset."""
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment.year not in _YEARS:
        said = _("“{given}” is no time; give one like 2026-11-29T17:00:00Z")
        raise click.BadParameter(plain(said.format(given=given)))
    return moment


def _zone(context: click.Context, option: click.Parameter, given: str | None) -> ZoneInfo | None:
    if given is None:
        return None
    if given not in available_timezones():
        said = _("“{given}” is no time zone; give one like Europe/Berlin or UTC")
        raise click.BadParameter(plain(said.format(given=given)))
    return ZoneInfo(given)


@click.command("parse-limit")
@click.option(
    "--now", metavar="TIME", callback=_instant, help=_("When it was said; else it is now.")
)
@click.option(
    "--tz", "zone", metavar="ZONE", callback=_zone, help=_("Where; else this machine's zone.")
)
def parse_limit(now: datetime | None, zone: ZoneInfo | None) -> None:
    """Understand a provider's message about a limit, given on standard input."""
    from roundtable_desktop.rules.limits import Said, limit_verdict

    text = sys.stdin.buffer.read().decode(errors="replace")
    here = zone or ZoneInfo(local_zone(os.environ))
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

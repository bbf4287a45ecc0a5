"""`roundtable agenda`: what is due in the days to come, and whether it will run."""

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.system import local_zone
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import shown_in
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.model.spans import instant_of
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.agenda import KINDS


@click.command()
@click.option("--days", type=click.FloatRange(0, 31, min_open=True), default=7, show_default=True)
@click.option("--workspace", "named", help=_("Only this one, in its zone. Default: all of them."))
@click.option("--all", "each", is_flag=True, help=_("Also each time of what comes often in a day."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def agenda(home: Home, days: float, named: str | None, each: bool, as_json: bool) -> None:
    """What is due in the days to come: fires of routines, wakes for later and retries.

    Each with whether it will run, by the rules that decide then, as things stand now. What would
    come of all that, run by run, shows “roundtable simulate”.
    """
    client = Client(home)
    where = names.workspace(client, named) if named else None
    zone = ZoneInfo((where and where["timezone"]) or local_zone(os.environ))
    asked = {"days": days, "workspace_id": where and where["id"], "zone": zone.key}
    seen = client.get("/agenda", **asked, each=str(each or as_json).lower())
    if as_json:
        return show_json(seen)
    for line in _lines(seen["items"], zone):
        click.echo(plain(line))
    if not seen["items"]:
        click.echo(_("Nothing is due in that time."))
    if not seen["whole"]:
        until = shown_in(seen["until"], zone)
        said = _("There is more after {until}; ask for fewer days or one workspace.")
        click.echo(said.format(until=until))
    return None


def _lines(items: Sequence[Answer], zone: ZoneInfo) -> Iterator[str]:
    for day, group in groupby(items, lambda one: _local(one, zone).date()):
        yield f"{day:%a %Y-%m-%d} ({zone.key})"
        for one in group:
            yield from _told(one, zone)


def _told(one: Answer, zone: ZoneInfo) -> Iterator[str]:
    mark = "  " if one["will_run"] else _("no")
    times = _(" ({times} times)").format(times=one["times"]) if one["times"] > 1 else ""
    name = one["name"] or one["agent"]
    how = _(KINDS[one["kind"]])
    yield f"  {_local(one, zone):%H:%M}  {mark}  {name}{times}, {how}: {one['sentence']}"
    if one["asleep"]:
        yield f"             {one['asleep']['sentence']}"


def _local(one: Answer, zone: ZoneInfo) -> datetime:
    at = instant_of(one["at"])
    assert at is not None, "the API's instants have a zone"
    return at.astimezone(zone)


COMMANDS = [agenda]

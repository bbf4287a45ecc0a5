"""`roundtable simulate`: the days to come, as the scheduler would go through them."""

import os
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.system import local_zone
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import shown_in
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _


@click.command()
@click.option("--days", type=click.FloatRange(0, 31, min_open=True), default=7, show_default=True)
@click.option("--workspace", "named", help=_("Only this one. Default: all of them."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def simulate(home: Home, days: float, named: str | None, as_json: bool) -> None:
    """What would happen in the days to come, by the scheduler itself on a copy of its data.

    Every run is taken to go well and to last as long as its agent's usually do. Nothing is changed
    and no agent is started.
    """
    client = Client(home)
    chosen = names.workspace(client, named)["id"] if named else None
    seen = client.post("/simulate", {"days": days, "workspace_id": chosen})
    if as_json:
        return show_json(seen)
    zone = ZoneInfo(local_zone(os.environ))
    for one in seen["items"]:
        click.echo(plain(f"{shown_in(one['at'], zone)}  {one['sentence']}"))
    for line in what_is_left_out(seen, zone):
        click.echo(line)
    return None


def what_is_left_out(seen: Answer, zone: ZoneInfo) -> Iterator[str]:
    if not seen["complete"]:
        said = _("Cut here: its time was over when it had come to {until}. Ask for fewer days.")
        yield said.format(until=shown_in(seen["until"], zone))
    elif not seen["items"]:
        yield _("Nothing would happen by itself in that time.")
    if not seen["whole"]:
        yield _("There is more; ask for fewer days or one workspace.")


COMMANDS = [simulate]

"""The command about files that an agent named in its report."""

from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.cli.transcripts import save
from roundtable_desktop.phrases import _


@click.command()
@click.argument("given", metavar="RUN")
@click.option(
    "--save",
    "saved",
    nargs=2,
    metavar="NUMBER FILE",
    help=_("Write that one of them into a new file."),
)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def artifacts(home: Home, given: str, saved: tuple[str, str] | None, as_json: bool) -> None:
    """Files that the agent named in its report, as they were when it ended. RUN is the end of its
    id."""
    client = Client(home)
    found = client.get(f"/runs/{names.ref(given)}/artifacts")["items"]
    if saved is None:
        if as_json:
            return show_json(found)
        return table(found, ["number", "path", "kind", "size", "sentence"])
    number, file = saved
    wanted = next((one for one in found if str(one["number"]) == number), None)
    if wanted is None:
        raise click.UsageError(_("this run has no artifact of that number"))
    return save(client, f"/artifacts/{wanted['id']}", Path(file))

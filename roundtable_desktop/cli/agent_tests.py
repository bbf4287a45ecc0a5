"""The command that tests an agent."""

import sys

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_TESTED = ("passed", "failed")


@click.command()
@click.argument("given", metavar="NAME")
@click.option(
    "--seconds",
    type=click.IntRange(0, 3600),
    default=120,
    show_default=True,
    help=_("How long to wait for what comes of it. 0: not at all."),
)
@_workspace
@_json
@click.pass_obj
def test(home: Home, given: str, seconds: int, named: str | None, as_json: bool) -> None:
    """Launches it once with a tiny prompt, and says whether it answers."""
    client = Client(home)
    found = names.agent(client, names.workspace(client, named)["id"], given)
    path = f"/agents/{found['id']}/test"
    seen = client.post(path, {})
    if seconds:
        seen = client.until(path, lambda one: one["state"] in _TESTED, seconds)
    if as_json:
        show_json(seen)
    else:
        click.echo(plain(seen["sentence"]))
    if seconds and seen["state"] != "passed":
        sys.exit(1)

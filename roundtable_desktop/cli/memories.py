"""Commands about what agents wrote down for a workspace."""

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))


@click.group()
def memory() -> None:
    """What agents wrote down for those who work there later."""


@memory.command(name="list")
@click.option("--workspace", "named", help=_("Only this one's. Default: of all of them."))
@click.option("--query", "words", default="", help=_("Only those that have these words."))
@_json
@click.pass_obj
def list_(home: Home, named: str | None, words: str, as_json: bool) -> None:
    """Newest first."""
    client = Client(home)
    chosen = names.workspace(client, named)["id"] if named else None
    found = list(client.every("/memories", workspace_id=chosen, q=words or None))
    return show_json(found) if as_json else table(found, ["id", "agent", "topic", "text"])


@memory.command()
@click.argument("given", metavar="MEMORY")
@click.pass_obj
def forget(home: Home, given: str) -> None:
    """For good: no agent is told it again. MEMORY is the end of its id."""
    Client(home).delete(f"/memories/{names.ref(given)}")
    click.echo(plain(_("It is forgotten.")))


COMMANDS = (memory,)

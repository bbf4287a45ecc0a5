"""Commands about the tools that agents have."""

import sys

import click

from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.mcp import bridge
from roundtable_desktop.phrases import _

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))


@click.group()
def mcp() -> None:
    """The tools that agents have, and their way to them."""


@mcp.command()
def stdio() -> None:
    """Carries an agent's MCP messages to the owner and back, for as long as its input lasts. The
    agent's run has $ROUNDTABLE_MCP_URL and $ROUNDTABLE_MCP_TOKEN for it."""
    sys.exit(bridge.main(()))


@mcp.command()
@_json
def inspect(as_json: bool) -> None:
    """Each tool with what an agent is told of it. No owner is needed."""
    from roundtable_desktop import offline

    described = offline.tools()
    if as_json:
        return show_json(described)
    for tool in described:
        click.echo(plain(str(tool["name"])))
        for line in str(tool["description"]).splitlines():
            click.echo(plain(f"    {line}".rstrip()))


COMMANDS = (mcp,)

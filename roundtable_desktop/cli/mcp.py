"""Commands about the tools that agents have."""

import sys
import textwrap
from typing import Any

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
    if missing := bridge.missing():
        names = ", ".join(f"${name}" for name in missing)
        raise click.UsageError(
            _(
                "missing: {names}. Roundtable sets them for each agent that it starts, and the"
                " token is good as long as that run lives. A client of your own uses the API, or"
                " the commands with --json."
            ).format(names=names)
        )
    sys.exit(bridge.main(()))


@mcp.command()
@_json
def inspect(as_json: bool) -> None:
    """Each tool with what an agent is told of it; what is in brackets may be left out. No owner is
    needed."""
    from roundtable_desktop import offline

    described = offline.tools()
    if as_json:
        return show_json(described)
    for tool in described:
        click.echo(_heading(str(tool["name"]), tool["input_schema"]))
        for line in str(tool["description"]).splitlines():
            click.echo(plain(f"    {line}".rstrip()))


def _heading(name: str, schema: Any) -> str:
    """The tool and its arguments, those that it needs first."""
    needed = schema.get("required", [])
    rest = [one for one in schema["properties"] if one not in needed]
    words = [plain(name), *needed, *(f"[{one}]" for one in rest)]
    return textwrap.fill(" ".join(words), 100, subsequent_indent="        ")


COMMANDS = (mcp,)

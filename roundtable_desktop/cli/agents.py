"""Commands about agents."""

import os

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.phrases import _


@click.group()
def agent() -> None:
    """Who can be woken."""


@agent.command()
@click.option("--adapter", type=click.Choice(["acp", "command", "demo"]), required=True)
@click.option("--name", help=_("Default: the program's name."))
@click.option("--role", default="worker", show_default=True)
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help=_("Kept out of the database. NAME alone: the value that it has here."),
)
@click.option("--sessions", type=click.IntRange(1, 64), help=_("How many runs at once."))
@click.option("--cooldown", type=click.IntRange(0, 86_400), help=_("Seconds between two runs."))
@click.option("--permission", type=click.Choice(["ask", "allow", "deny"]), default="ask")
@click.argument("command", nargs=-1)
@click.pass_obj
def add(
    home: Home,
    adapter: str,
    name: str | None,
    role: str,
    named: str | None,
    env: tuple[str, ...],
    sessions: int | None,
    cooldown: int | None,
    permission: str,
    command: tuple[str, ...],
) -> None:
    """Adds an agent.

    acp: a program that speaks the Agent Client Protocol on its stdin and stdout.
    command: any program; it gets the prompt on stdin, or as {prompt} or {prompt_file}.
    demo: the built-in one, without a model; it needs no COMMAND.

    Example: roundtable agent add --adapter command -- sh -c 'cat > NOTE.md'
    """
    client = Client(home)
    workspace = names.workspace(client, named)
    made = client.post(
        "/agents",
        {
            "workspace_id": workspace["id"],
            "name": name or _free_name(client, workspace["id"], command[0] if command else adapter),
            "role": role,
            "adapter": adapter,
            "command": list(command),
            "env": _pairs(env),
            "permission_policy": permission,
            "max_concurrent_sessions": sessions,
            "cooldown_sec": cooldown,
        },
    )
    said = _("Agent {name} can be woken in {workspace}.")
    click.echo(plain(said.format(name=made["name"], workspace=workspace["name"])))
    click.echo(_('Next: roundtable task add "…"'))


def _free_name(client: Client, workspace_id: str, program: str) -> str:
    base = program.rpartition("/")[2] or "agent"
    taken = {one["name"] for one in client.every("/agents", workspace_id=workspace_id)}
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    """NAME alone takes the value from here: a command line is everybody's to read (S-28)."""
    pairs = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not name or not (equals or name in os.environ):
            raise click.BadParameter(
                _("write NAME=VALUE, or NAME for a variable that is set here"), param_hint="--env"
            )
        pairs[name] = value if equals else os.environ[name]
    return pairs


@agent.command(name="list")
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Those of a workspace."""
    client = Client(home)
    workspace = names.workspace(client, named)
    found = list(client.every("/agents", workspace_id=workspace["id"]))
    if as_json:
        return show_json(found)
    return table(found, ["name", "role", "adapter", "status", "command"])


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def show(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """One of them."""
    client = Client(home)
    seen = names.agent(client, names.workspace(client, named)["id"], given)
    return show_json(seen) if as_json else fields(seen)


COMMANDS = [agent]

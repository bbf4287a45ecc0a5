"""Commands about settings."""

import json
from copy import copy

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.phrases import _

_workspace = click.option(
    "--workspace", "named", help=_("Those of this workspace. Default: those of the whole home.")
)


_WORDS = {"true": True, "on": True, "false": False, "off": False}


@click.group()
def settings() -> None:
    """What can be set, and to what it is set."""


@settings.command(name="list")
@_workspace
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Every setting with its value and what it means."""
    client = Client(home)
    found = client.get(_path(client, named))["items"]
    if as_json:
        return show_json(found)
    table(found, ["key", "value", "default"])
    for one in found:
        click.echo(f"\n{one['key']}: {one['description']}")
    return None


@settings.command()
@click.argument("key")
@_workspace
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def show(home: Home, key: str, named: str | None, as_json: bool) -> None:
    """One setting with its value and what it means."""
    client = Client(home)
    known = {one["key"]: one for one in client.get(_path(client, named))["items"]}
    if key not in known:
        said = _("there is no setting “{key}”; roundtable settings list names them all")
        raise click.UsageError(plain(said.format(key=key)))
    return show_json(known[key]) if as_json else fields(known[key])


@settings.command(name="set")
@click.argument("key")
@click.argument("value")
@_workspace
@click.pass_obj
def set_(home: Home, key: str, value: str, named: str | None) -> None:
    """Sets KEY to VALUE; a number beyond its range becomes the nearest that is allowed.

    A part is named with dots: roundtable settings set --workspace app projects.web.model opus
    """
    number = value.lstrip("-").isdecimal()
    _change(home, named, key, int(value) if number else _WORDS.get(value.lower(), value))


@settings.command()
@click.argument("key")
@_workspace
@click.pass_obj
def clear(home: Home, key: str, named: str | None) -> None:
    """Takes back what was set: the default holds again."""
    _change(home, named, key, None)


def _change(home: Home, named: str | None, key: str, value: object) -> None:
    client = Client(home)
    first, *parts = key.split(".")
    for part in reversed(parts):
        value = {part: value}
    now = client.patch(_path(client, named), {first: value})["items"]
    kept = next(one["value"] for one in now if one["key"] == first)
    shown = json.dumps(kept, ensure_ascii=False)
    click.echo(plain(_("{key} is {value} now.").format(key=first, value=shown)))


def _path(client: Client, named: str | None) -> str:
    if named is None:
        return "/settings"
    return f"/workspaces/{names.workspace(client, named)['id']}/settings"


settings.add_command(copy(set_), "edit")  # as with every other noun
COMMANDS = [settings]

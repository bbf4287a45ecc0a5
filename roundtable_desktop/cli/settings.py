"""Commands about settings."""

import json

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.phrases import _


@click.group()
def settings() -> None:
    """What can be set, and to what it is set."""


@settings.command(name="list")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(home: Home, as_json: bool) -> None:
    """Every setting with its value and what it means."""
    found = Client(home).get("/settings")["items"]
    if as_json:
        return show_json(found)
    table(found, ["key", "value", "default"])
    for one in found:
        click.echo(f"\n{one['key']}: {one['description']}")
    return None


@settings.command(name="set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_(home: Home, key: str, value: str) -> None:
    """Sets KEY to VALUE; a number beyond its range becomes the nearest that is allowed."""
    wanted = int(value) if value.lstrip("-").isdecimal() else value
    now = Client(home).patch("/settings", {key: wanted})["items"]
    kept = next(one["value"] for one in now if one["key"] == key)
    click.echo(_("{key} is {value} now.").format(key=key, value=json.dumps(kept)))


COMMANDS = [settings]

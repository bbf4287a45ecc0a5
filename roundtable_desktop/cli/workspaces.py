"""Commands about workspaces; `init` also works while no owner is running."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Client, Unreachable
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--name", help=_("Default: the folder's name."))
@click.option("--base", "base_branch", help=_("Where work starts and lands. Default: this branch."))
@click.option("--delivery", type=click.Choice(["approval", "auto"]), default=None)
@click.pass_obj
def init(
    home: Home, path: Path, name: str | None, base_branch: str | None, delivery: str | None
) -> None:
    """Registers the git repository at PATH. Nothing is written into it."""
    wanted = {
        "path": os.path.abspath(path),
        "name": name,
        "base_branch": base_branch,
        "delivery": delivery,
    }
    try:
        made: Mapping[str, Any] = Client(home).post("/workspaces", wanted)
    except Unreachable:
        from roundtable_desktop.app import register_offline

        made = register_offline(home, wanted)
    said = _("Registered {path} as {name}; work starts from {branch} and lands there.")
    click.echo(plain(said.format(path=made["path"], name=made["name"], branch=made["base_branch"])))
    click.echo(_("Next: roundtable agent add --adapter command -- PROGRAM …"))


@click.group()
def workspace() -> None:
    """Your registered repositories."""


@workspace.command(name="list")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(home: Home, as_json: bool) -> None:
    """All of them."""
    found = list(Client(home).every("/workspaces"))
    if as_json:
        return show_json(found)
    return table(found, ["number", "name", "path", "base_branch", "delivery"])


COMMANDS = [init, workspace]

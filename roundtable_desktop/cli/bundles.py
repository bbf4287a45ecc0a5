"""Commands that write down how workspaces are set up, and take that over."""

import os
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client, Unreachable
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _

_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.command()
@_folder
@click.option("--redacted", is_flag=True, help=_("To be shown to others; cannot be imported."))
@click.pass_obj
def export(home: Home, folder: Path, redacted: bool) -> None:
    """Writes settings, workspaces, agents and routines into DIR as YAML that you can review.

    No value of an agent's variable is in it, and no webhook: its secret could not go along.
    --redacted also takes out what looks like a key or an
    address, and where your folder is.
    """
    from roundtable_desktop import offline

    try:
        bundle = Client(home).get("/export", redacted="true" if redacted else "false")
    except Unreachable:
        bundle = dict(offline.export(home, redacted=redacted))
    for path in offline.write_bundle(Path(os.path.abspath(folder)), bundle):
        click.echo(plain(str(path)))


@click.command(name="import")
@_folder
@click.option("--dry-run", is_flag=True, help=_("Only say what it would do."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def import_(home: Home, folder: Path, dry_run: bool, as_json: bool) -> None:
    """Takes over what “roundtable export” wrote: adds what is missing, changes what differs.

    Nothing is removed, and doing it twice changes nothing. Agents' commands run as you: read the
    files first, when they come from somebody else.
    """
    from roundtable_desktop import offline

    bundle = offline.read_bundle(Path(os.path.abspath(folder)))
    try:
        done = Client(home).post("/import", {"bundle": bundle, "dry_run": dry_run})
    except Unreachable:
        done = dict(offline.take(home, bundle, dry_run=dry_run))
    if as_json:
        return show_json(done)
    table(map(_row, done["items"]), ["what", "name", "did", "fields"])
    for one in done["items"]:
        if one["needs"]:
            said = _("{name} needs values for {needs}: roundtable agent edit {name} --env NAME=…")
            click.echo(plain(said.format(name=one["name"], needs=", ".join(one["needs"]))))
    if dry_run:
        click.echo(_("Nothing was changed: this only said what it would do."))
    return None


def _row(one: Answer) -> Answer:
    return {**one, "fields": ", ".join(one["fields"])}


COMMANDS = [export, import_]

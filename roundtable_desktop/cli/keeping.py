"""Commands that keep the database safe: a backup, and going back to one."""

import os
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.output import plain
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.instants import stamp

_file = click.argument("file", type=click.Path(path_type=Path))


@click.command()
@_file
@click.pass_obj
def backup(home: Home, file: Path) -> None:
    """Copies the whole database into a new FILE, also while Roundtable runs.

    Roundtable makes one each day itself, in the home's folder "backups". Secrets are not in it:
    agents' variables and webhooks keep theirs in the home's folder "secrets".
    """
    from roundtable_desktop import offline

    made = Path(os.path.abspath(file))
    offline.back_up(home, made)
    click.echo(plain(_("The database is in {file} now. It is whole.").format(file=made)))


@click.command()
@_file
@click.pass_obj
def restore(home: Home, file: Path) -> None:
    """Goes back to the backup FILE. The present database is kept aside; no owner may run.

    What ran since then may wait again: nothing is started until “roundtable resume”. Secrets stay
    those of this home; “roundtable doctor” says where one is missing.
    """
    from roundtable_desktop import offline

    done = offline.restore(home, Path(os.path.abspath(file)))
    said = _("The database is that of {at} now, from {file}.")
    when = stamp(rfc3339(done.at))
    click.echo(plain(said.format(at=when, file=done.source)))
    if done.aside:
        click.echo(plain(_("What was there lies in {aside}.").format(aside=done.aside)))
    click.echo(_("Start it: roundtable start. Nothing is started until: roundtable resume"))


COMMANDS = [backup, restore]

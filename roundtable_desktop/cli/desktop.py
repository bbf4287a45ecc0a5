"""`roundtable-desktop`: the tray with scheduler and dashboard; without a display, `start`."""

import os
from pathlib import Path

import click

import roundtable_desktop
from roundtable_desktop.adapters.home import Home, default_home
from roundtable_desktop.cli import loading, owner
from roundtable_desktop.cli import main as roundtable
from roundtable_desktop.phrases import _


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(roundtable_desktop.__version__, prog_name="roundtable-desktop")
@click.option("--hidden", is_flag=True, help=_("Do not open the dashboard: for a start at login."))
@roundtable.HOME
@click.option("--port", type=click.IntRange(0, 65535), help=_("Default: the last one, or 7117."))
@click.option(
    "--autostart",
    type=click.Choice(["on", "off"]),
    help=_("Only say whether it starts at login from now on."),
)
@click.pass_context
def desktop(
    context: click.Context,
    hidden: bool,
    home: Path | None,
    port: int | None,
    autostart: str | None,
) -> None:
    """Runs scheduler and dashboard with an icon in the tray. Quitting ends it; agents go on."""
    place = Home((home or default_home(os.environ)).absolute())
    if autostart is not None:
        return _at_login(place, autostart == "on")
    with loading.for_good():
        from roundtable_desktop.app import run_tray

    why = run_tray(place, port=port, hidden=hidden)
    if not why:
        return owner.hear_no_more()
    click.echo(_("{why} Going on as “roundtable start”.").format(why=why), err=True)
    context.obj = place
    context.invoke(roundtable.cli.commands["start"], host="127.0.0.1", port=port)


def _at_login(home: Home, on: bool) -> None:
    """What is said is what the file says after it."""
    from roundtable_desktop.tray import autostart

    if not autostart.is_possible():
        raise click.ClickException(_("Starting at login cannot be turned on here yet."))
    path = autostart.file()
    try:
        autostart.turn(on, home.root)
    except OSError as error:
        said = _("{path} cannot be changed: {text}.").format(path=path, text=error.strerror)
        raise click.ClickException(said) from None
    if autostart.found(home.root) is autostart.AtLogin.ON:
        click.echo(_("Roundtable starts at login from now on, by {path}.").format(path=path))
    else:
        click.echo(_("Roundtable does not start at login: {path} is gone.").format(path=path))


def main(words: list[str]) -> None:
    roundtable.run(desktop, words, "roundtable-desktop")

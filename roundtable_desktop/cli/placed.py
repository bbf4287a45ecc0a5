"""`--home` after the command, where people also write it: it means what it means before it."""

from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home


def attach(command: click.Command) -> None:
    """Gives the command, or each below it, a `--home`, unless it has one of its own. It is not in
    its help: that of `roundtable` tells of it once."""
    if isinstance(command, click.Group):
        for one in command.commands.values():
            attach(one)
    elif not any("--home" in param.opts for param in command.params):
        command.params.append(_option())


def _option() -> click.Option:
    folder = click.Path(file_okay=False, path_type=Path)
    return click.Option(
        ["--home"], type=folder, expose_value=False, hidden=True, callback=_lives_there
    )


def _lives_there(context: click.Context, _param: click.Parameter, home: Path | None) -> None:
    if home is not None:
        context.obj = Home(home.absolute())

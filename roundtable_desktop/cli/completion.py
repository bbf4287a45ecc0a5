"""The command that prints what a shell needs to complete our words."""

import click
from click.shell_completion import get_completion_class

from roundtable_desktop.phrases import _

PROGRAM = "roundtable"
VARIABLE = "_ROUNDTABLE_COMPLETE"
"""click's own: with it in the environment the program completes words, and does nothing else."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Prints what makes SHELL complete commands and options.

    Put it where your shell reads it when it starts.
    """
    made = get_completion_class(shell)
    if made is None:
        raise click.ClickException(_("This shell cannot be served here."))
    source = made(context.find_root().command, {}, PROGRAM, VARIABLE).source()
    click.echo(source, nl=not source.endswith("\n"))


COMMANDS = [completion]

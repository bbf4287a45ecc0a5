"""`roundtable`: the command line; most commands are thin clients of the running owner.

A client is there at once: `app`, which loads everything, is imported by the commands that become
an owner, and only when they run.
"""

import gc
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

import roundtable_desktop
from roundtable_desktop.adapters.home import Home, default_home
from roundtable_desktop.cli.client import Said, Unreachable
from roundtable_desktop.cli.output import plain
from roundtable_desktop.cli.rooms import Rooms
from roundtable_desktop.model.errors import Invalid, Refused
from roundtable_desktop.phrases import _, sentence

FAILED, USAGE, NO_OWNER, OWNED = 1, 2, 3, 4
_EXIT = {"home_is_owned": OWNED, "host_not_loopback": USAGE}


HOME = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help=_("Where the data lives; else $ROUNDTABLE_HOME, else your user data folder."),
)


@click.group(commands=Rooms(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(roundtable_desktop.__version__, prog_name="roundtable")
@HOME
@click.pass_context
def cli(context: click.Context, home: Path | None) -> None:
    """Leaves coding agents working on your repositories, and tells you only what needs you."""
    context.obj = Home((home or default_home(os.environ)).absolute())


def main(words: list[str] | None = None) -> None:
    run(cli, words, "roundtable")


def run(program: click.Command, words: list[str] | None, name: str) -> None:
    """Exit codes: 0 done, 1 failed, 2 usage, 3 no owner, 4 another owner holds the home."""
    try:
        program.main(words, prog_name=name, standalone_mode=True)
    except Said as refused:
        _say_refused(str(refused), refused.problem.get("errors", []))
        sys.exit(USAGE if refused.problem.get("status") == 422 else FAILED)
    except Unreachable as where:
        said = _("No owner is running in {home}. Start one with: {command}")
        if where.why:
            said = _("The owner of {home} does not answer: {why}.")
        _say(said.format(home=where, why=where.why, command=_start(where.home)))
        sys.exit(NO_OWNER)
    except Refused as refused:
        _say(sentence(refused.code, refused.values))
        otherwise = USAGE if isinstance(refused, Invalid) else FAILED
        sys.exit(_EXIT.get(refused.code, otherwise))
    except OSError as error:  # the machine's word; what is meant to be survived never comes here
        known = {"path": error.filename or "", "text": error.strerror or str(error)}
        _say(sentence("machine_refuses" if error.filename else "machine_refuses_it", known))
        sys.exit(FAILED)
    finally:
        gc.freeze()  # else the interpreter looks through all that was loaded before it ends


def _start(home: Home) -> str:
    """The command that starts an owner there; a home that was named is named again."""
    usual = home.root == default_home(os.environ).absolute()
    return "roundtable start" if usual else f"roundtable --home {shlex.quote(str(home.root))} start"


def _say_refused(why: str, faults: Sequence[Mapping[str, str]]) -> None:
    """With what is at fault, unless that is the same sentence again."""
    _say(why)
    for fault in faults:
        if fault.get("message") != why:
            _say(f"  {fault.get('pointer', '')}: {fault.get('message', '')}")


def _say(text: str) -> None:
    click.echo(plain(text), err=True)

"""Programs of agents that are on this machine, as `roundtable init` offers them."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from roundtable_desktop.cli.output import plain, table
from roundtable_desktop.model.programs import Found
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.programs import sign_in, version

AUTO, NONE = "auto", "none"


def found() -> Sequence[Found]:
    from roundtable_desktop.surroundings import programs_here

    return programs_here().found()


def wanted(here: Sequence[Found], given: str | None) -> list[Found] | None:
    """Those to add; None: nobody said so far. Raises UsageError for one that cannot be added."""
    ready = {one.name: one for one in here if not one.missing}
    if given is None:
        return None
    if given in (AUTO, NONE):
        return list(ready.values()) if given == AUTO else []
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in names:
        if name not in ready:
            offered = ", ".join(ready) or NONE
            said = _("{name} cannot be added; what can: {offered}.")
            raise click.UsageError(plain(said.format(name=name, offered=offered)))
    return [ready[name] for name in names]


def asked(here: Sequence[Found]) -> list[Found]:
    """A person at a terminal is asked, once; in a pipe the commands are printed instead."""
    ready = [one for one in here if not one.missing]
    if not ready:
        return []
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for one in ready:
            click.echo(_("To add it: {command}").format(command=command(one)))
        return []
    names = ", ".join(one.name for one in ready)
    said = _("Add as agents of this repository: {names}?").format(names=names)
    return ready if click.confirm(said, default=True) else []


def show(here: Sequence[Found]) -> None:
    """What was found, and what is missing where one cannot be added yet."""
    if not here:
        return click.echo(_("No agent program that is known was found on this machine."))
    click.echo(_("Agents found on this machine:"))
    table(map(_row, here), ["program", "version", "sign-in", "place"])
    for one in here:
        for line in _hints(one):
            click.echo(line)
    return None


def as_rows(here: Sequence[Found]) -> list[dict[str, Any]]:
    """For programs."""
    return [
        {
            "name": one.name,
            "place": one.place,
            "version": one.version or None,
            "sign_in": one.sign_in.value,
            "variable": one.variable or None,
            "command": list(one.command),
            "missing": one.missing or None,
            "package": one.package or None,
        }
        for one in here
    ]


def command(one: Found) -> str:
    return f"roundtable agent add --adapter acp --name {one.name} -- {shlex.join(one.command)}"


def _row(one: Found) -> dict[str, str]:
    said = {"program": one.name, "version": version(one)}
    return {**said, "sign-in": sign_in(one), "place": one.place}


def _hints(one: Found) -> Iterator[str]:
    if one.missing:
        said = _("{program} works here through {bridge}, which is not here: {get}")
        get = f"npm install --global {one.package}"
        yield said.format(program=one.name, bridge=one.missing, get=get)
    if one.variable:
        said = _("No agent gets a key by itself. When it is added: {command}")
        hand_on = f"roundtable agent edit {one.name} --env {one.variable}"
        yield said.format(command=hand_on)

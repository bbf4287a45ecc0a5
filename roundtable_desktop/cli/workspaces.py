"""Commands about workspaces; `init` also works while no owner is running."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import installed, names
from roundtable_desktop.cli.client import Client, Said, Unreachable
from roundtable_desktop.cli.config import config, told_at_first, written
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.model.programs import Found
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.transcripts import size


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--name", help=_("Default: the folder's name."))
@click.option("--base", "base_branch", help=_("Where work starts and lands. Default: this branch."))
@click.option("--delivery", type=click.Choice(["approval", "auto"]), default=None)
@click.option(
    "--agents",
    "chosen",
    metavar="auto|none|NAME,…",
    help=_("Which of the agents found here are added. Default: a terminal is asked, a pipe told."),
)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def init(
    home: Home,
    path: Path,
    name: str | None,
    base_branch: str | None,
    delivery: str | None,
    chosen: str | None,
    as_json: bool,
) -> None:
    """Registers the git repository at PATH, and writes .roundtable/config.yaml where there is none.

    What is written changes nothing. What stands there already is left alone, and nothing in it
    takes effect before you accept it. Then it says which agents are on this machine, and adds
    those that you want.
    """
    here = installed.found()
    to_add = installed.wanted(here, chosen)
    wanted = {
        "path": os.path.abspath(path),
        "name": name,
        "base_branch": base_branch,
        "delivery": delivery,
    }
    told: Mapping[str, Any]
    try:
        client = Client(home)
        made, is_new = _register(client, wanted)
        told = written(client, made)
    except Unreachable:
        from roundtable_desktop import offline

        made, is_new, told = offline.register(home, wanted)
    if as_json:
        added = _add(home, made, to_add or [])
        about = {"programs": installed.as_rows(here), "agents": added}
        return show_json({**made, "config": told, **about})
    said = _("Registered {path} as {name}; work starts from {branch} and lands there.")
    if not is_new:
        said = _("{path} is registered already, as {name}; work starts from {branch}.")
    click.echo(plain(said.format(path=made["path"], name=made["name"], branch=made["base_branch"])))
    told_at_first(told)
    installed.show(here)
    chosen_ones = installed.asked(here) if to_add is None else to_add
    for agent in _add(home, made, chosen_ones):
        click.echo(plain(_("Added the agent {name}.").format(name=agent)))
    return _say_next(any(not one.missing for one in here), bool(chosen_ones))


def _add(home: Home, workspace: Mapping[str, Any], wanted: Sequence[Found]) -> list[str]:
    """The names of those that were added now; one that has the name is left as it is."""
    if not wanted:
        return []
    try:
        client = Client(home)
        there = client.every("/agents", workspace_id=workspace["id"])
        names_there = {one["name"] for one in there if one["status"] != "retired"}
        new = [one for one in wanted if one.name not in names_there]
        for one in new:
            body = {"adapter": "acp", "name": one.name, "command": list(one.command)}
            client.post("/agents", {"workspace_id": workspace["id"], **body})
        return [one.name for one in new]
    except Unreachable:
        from roundtable_desktop import offline

        return offline.add_agents(home, str(workspace["id"]), wanted)


def _say_next(found: bool, added: bool) -> None:
    """Three lines, each a command and what it is for."""
    third = 'roundtable task add "…"', _("gives an agent something to do")
    if not added and found:
        third = "roundtable init --agents auto", _("adds the agents that were found")
    elif not added:
        third = "roundtable agent add --adapter command -- …", _("any program can be an agent")
    lines = [
        ("roundtable-desktop", _("starts it; where there is no desktop: roundtable start")),
        ("roundtable open /welcome", _("leads on, to a test of the agent and a first routine")),
        third,
    ]
    click.echo(_("Next:"))
    for command, what_for in lines:
        click.echo(f"  {command:<30}  # {what_for}")


def _register(client: Client, wanted: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The workspace, and whether it is new."""
    try:
        return client.post("/workspaces", wanted), True
    except Said as refused:
        there = names.containing(client, str(wanted["path"]))
        if refused.problem.get("code") != "path_registered" or there is None:
            raise
        return there, False


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


@workspace.command()
@click.argument("given", metavar="NAME", required=False)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def show(home: Home, given: str | None, as_json: bool) -> None:
    """One of them. NAME: default, the one of this folder."""
    client = Client(home)
    seen = client.get(f"/workspaces/{names.workspace(client, given)['id']}")
    if as_json:
        return show_json(seen)
    return fields({**seen, "counts": None, **seen["counts"]})


@workspace.command()
@click.argument("given", metavar="NAME", required=False)
@click.option("--name", help=_("A new name."))
@click.option("--timezone", help=_("Such as Europe/Berlin."))
@click.option(
    "--recovery-lookback-hours",
    type=int,
    help=_("How old a task may be whose lost wakeup is made again: 1 to 720."),
)
@click.option("--delivery", type=click.Choice(["approval", "auto"]), help=_("Of tasks to come."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def edit(home: Home, /, given: str | None, as_json: bool, **words: object) -> None:
    """Changes a workspace. What is not named stays. NAME: default, the one of this folder."""
    changes = {name: value for name, value in words.items() if value is not None}
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    client = Client(home)
    found = names.workspace(client, given)
    changed = client.patch(f"/workspaces/{found['id']}", changes, revision=found["revision"])
    if as_json:
        return show_json(changed)
    told = ", ".join(f"{name.replace('_', ' ')} {changed[name]}" for name in sorted(changes))
    said = _("{name} has now: {told}.")
    return click.echo(plain(said.format(name=changed["name"], told=told)))


@workspace.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--name", help=_("Default: the folder's name."))
@click.option("--base", "base_branch", help=_("Where work starts and lands. Default: this branch."))
@click.option("--timezone", help=_("Such as Europe/Berlin. Default: this machine's."))
@click.option("--delivery", type=click.Choice(["approval", "auto"]), default=None)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def add(home: Home, /, path: Path, as_json: bool, **words: str | None) -> None:
    """Registers the git repository at PATH, and writes nothing into it; “roundtable init” also
    writes a configuration that you can share."""
    made = Client(home).post("/workspaces", {"path": os.path.abspath(path), **words})
    if as_json:
        return show_json(made)
    said = _("Registered {path} as {name}; work starts from {base_branch} and lands there.")
    return click.echo(plain(said.format(**made)))


@workspace.command()
@click.argument("given", metavar="NAME")
@click.pass_obj
def remove(home: Home, given: str) -> None:
    """Takes one off the list in which nothing was ever run. The repository is not touched."""
    client = Client(home)
    found = names.workspace(client, given)
    client.delete(f"/workspaces/{found['id']}")
    click.echo(plain(_("{name} is no workspace any more.").format(name=found["name"])))


@workspace.command()
@click.argument("given", metavar="NAME", required=False)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def copies(home: Home, given: str | None, as_json: bool) -> None:
    """Where its agents work, how large that is, and what each is kept for."""
    client = Client(home)
    seen = client.get(f"/workspaces/{names.workspace(client, given)['id']}/copies")
    if as_json:
        return show_json(seen)
    rows = [{**one, "size": size(one["bytes"]), "copy": one["name"]} for one in seen["items"]]
    table(rows, ["copy", "size", "state", "agent", "sentence"])
    return click.echo(_("{size} in all.").format(size=size(seen["total_bytes"])))


workspace.add_command(config)
COMMANDS = [init, workspace]

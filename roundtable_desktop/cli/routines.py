"""Commands about routines."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import differences, names, routine_words
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.names import OFFICE
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.cli.routine_words import when, words
from roundtable_desktop.cli.webhooks import webhook
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.instants import stamp

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_given = click.argument("given", metavar="ROUTINE")
_OPTIONS = (
    ("--description", "description", str, _("What the agent is told; - reads stdin.")),
    ("--task-title", "title", str, _("Makes a task each time, with this title.")),
    ("--task-description", "task_text", str, _("The task's description; - reads stdin.")),
    (
        "--policy",
        "concurrency_policy",
        click.Choice(["coalesce_if_active", "skip_if_active", "always_enqueue"]),
        _("What a fire does while the last one is at work."),
    ),
    (
        "--catch-up",
        "catch_up_policy",
        click.Choice(["enqueue_missed_with_cap", "skip_missed"]),
        _("What becomes of fires that were missed."),
    ),
    ("--catch-up-max", "catch_up_max", click.IntRange(0, 100), _("How many of them, at most.")),
    ("--priority", "priority", click.IntRange(-1000, 1000), _("The lower comes first.")),
    (
        "--probe",
        "probe",
        click.Choice(["none", "workspace_events"]),
        _("workspace_events: time alone wakes it only after something happened."),
    ),
)
_cron = click.option("--cron", "crons", multiple=True, metavar="EXPR", help=_("When it fires."))
_zone = click.option("--tz", "zone", metavar="ZONE", help=_("Default: the workspace's zone."))

_preview = click.option(
    "--preview", is_flag=True, help=_("Shows what it would change, and saves nothing.")
)
_var = click.option("--var", "variables", multiple=True, metavar="NAME=DEFAULT")
_require = click.option(
    "--require", "required", multiple=True, metavar="NAME", help=_("Asked for.")
)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option, name, kind, text in reversed(_OPTIONS):
        command = click.option(option, name, type=kind, help=text)(command)
    return command


@click.group()
def routine() -> None:
    """What is done again and again."""


@routine.command()
@click.argument("name")
@_cron
@_zone
@click.option("--agent", "agent_name", help=_("Default: the workspace's only agent."))
@_var
@_require
@_options
@_workspace
@_json
@click.pass_obj
def add(
    home: Home,
    /,
    name: str,
    crons: tuple[str, ...],
    zone: str | None,
    agent_name: str | None,
    variables: tuple[str, ...],
    required: tuple[str, ...],
    named: str | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Adds a routine. Without --cron it fires when you tell it to; with --task-title each fire
    makes a task, else the agent works without one.

    {{name}} in its texts is a variable; {{date}} and {{datetime}} are always there.
    """
    client = Client(home)
    workspace = names.workspace(client, named)
    assignee = names.agent(client, workspace["id"], agent_name)
    declared = _declared(variables, required)
    made = client.post(
        OFFICE,
        {
            "workspace_id": workspace["id"],
            "name": name,
            "assignee_agent_id": assignee["id"],
            "variables": declared or None,
            "triggers": [_schedule(one, zone) for one in crons],
            **_texts(more),
        },
    )
    if as_json:
        return show_json(made)
    said = _("{name} wakes {agent}. {when}")
    told = {"name": made["name"], "agent": assignee["name"], "when": when(made)}
    click.echo(plain(said.format(**told)))
    routine_words.coming(made)
    return _beware(client, made, {one["name"] for one in declared})


@routine.command(name="list")
@_workspace
@_json
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Those of a workspace, newest first."""
    client = Client(home)
    found = names.routines(client, named)
    return show_json(found) if as_json else table(map(_row, found), _COLUMNS)


_COLUMNS = ["name", "status", "when", "next_run", "last", "id"]


def _row(one: Answer) -> Answer:
    due = one["next_run_at"] and stamp(one["next_run_at"])
    last = routine_words.missed(one["missed"]) or one["last_status"]
    return {**one, "when": words(one), "next_run": due, "last": last}


@routine.command()
@_given
@_workspace
@_json
@click.pass_obj
def show(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """One routine, its next fires and its last ones. ROUTINE is a name or the end of an id."""
    client = Client(home)
    seen = client.get(f"{OFFICE}/{names.routine(client, given, named)['id']}")
    if as_json:
        return show_json(seen)
    return routine_words.show(seen, _agent_of(client, seen))


@routine.command()
@_given
@click.option("--name", help=_("A new name."))
@_cron
@_zone
@click.option("--agent", "agent_name", help=_("Another agent."))
@click.option("--light", is_flag=True, help=_("Makes no task any more."))
@_var
@_require
@_options
@_preview
@_workspace
@_json
@click.pass_obj
def edit(
    home: Home,
    /,
    given: str,
    name: str | None,
    crons: tuple[str, ...],
    zone: str | None,
    agent_name: str | None,
    light: bool,
    variables: tuple[str, ...],
    required: tuple[str, ...],
    preview: bool,
    named: str | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Changes a routine; what is not named stays. --cron replaces all its schedules."""
    client = Client(home)
    seen = names.routine(client, given, named)
    changes: Answer = {"name": name, **_texts(more, seen)}
    if light:
        changes["task_template"] = ""
    if agent_name is not None:
        changes["assignee_agent_id"] = names.agent(client, seen["workspace_id"], agent_name)["id"]
    changes = {key: value for key, value in changes.items() if value is not None}
    if variables or required:
        changes["variables"] = _declared(variables, required, seen["variables"])
    if crons or zone is not None:
        changes["triggers"] = _triggers(seen, crons, zone)
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    if preview:
        return differences.show(client, {"routine_id": seen["id"], "change": changes}, as_json)
    changed = client.patch(f"{OFFICE}/{seen['id']}", changes, revision=seen["revision"])
    if as_json:
        return show_json(changed)
    said = _("Changed {name}. {when}")
    click.echo(plain(said.format(name=changed["name"], when=when(changed))))
    if crons or zone is not None:
        routine_words.coming(changed)
    return _beware(client, changed, {one["name"] for one in seen["variables"]})


def _triggers(seen: Answer, crons: tuple[str, ...], zone: str | None) -> list[Answer]:
    """New schedules in place of the old ones, or the old ones in another zone; webhooks stay."""
    hooks = [{"id": one["id"]} for one in seen["triggers"] if one["kind"] == "webhook"]
    if crons:
        old = [one["timezone"] for one in seen["triggers"] if one["kind"] == "schedule"]
        return [*(_schedule(one, zone or next(iter(old), None)) for one in crons), *hooks]
    there = [one["id"] for one in seen["triggers"] if one["kind"] == "schedule"]
    return [*({"id": one, "timezone": zone} for one in there), *hooks]


@routine.command()
@_given
@_workspace
@click.pass_obj
def pause(home: Home, given: str, named: str | None) -> None:
    """Fires no more until it is resumed; that time does not count as missed."""
    changed = _move(home, given, named, "paused")
    click.echo(plain(_("{name} is paused.").format(name=changed["name"])))


@routine.command()
@_given
@_workspace
@click.pass_obj
def resume(home: Home, given: str, named: str | None) -> None:
    """Fires again, from now on."""
    changed = _move(home, given, named, "active")
    click.echo(plain(f"{changed['name']}: {when(changed)}"))


@routine.command()
@_given
@_workspace
@click.pass_obj
def archive(home: Home, given: str, named: str | None) -> None:
    """Fires no more, for good; its history stays to be seen."""
    changed = _move(home, given, named, "archived")
    click.echo(plain(_("{name} is archived.").format(name=changed["name"])))


def _move(home: Home, given: str, named: str | None, status: str) -> Answer:
    client = Client(home)
    seen = names.routine(client, given, named)
    return client.patch(f"{OFFICE}/{seen['id']}", {"status": status})


@routine.command()
@_given
@_workspace
@click.pass_obj
def remove(home: Home, given: str, named: str | None) -> None:
    """Takes it away, with its schedules."""
    client = Client(home)
    seen = names.routine(client, given, named)
    client.delete(f"{OFFICE}/{seen['id']}")
    click.echo(plain(_("{name} is gone.").format(name=seen["name"])))


@routine.command()
@_given
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE")
@_workspace
@_json
@click.pass_obj
def fire(
    home: Home, given: str, variables: tuple[str, ...], named: str | None, as_json: bool
) -> None:
    """Runs it now, with these values of its variables."""
    client = Client(home)
    seen = names.routine(client, given, named)
    fired = client.post(f"{OFFICE}/{seen['id']}/fire", {"variables": _pairs(variables)})
    if as_json:
        return show_json(fired)
    return routine_words.fired(client, seen, fired, given=bool(variables))


@routine.command()
@_given
@_workspace
@_json
@click.pass_obj
def explain(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """When it fires next, and whether that will really run."""
    client = Client(home)
    why = client.get(f"{OFFICE}/{names.routine(client, given, named)['id']}/explain")
    return show_json(why) if as_json else click.echo(plain(why["sentence"]))


@routine.command(name="install-heartbeat")
@click.argument("agent_name", metavar="AGENT")
@_workspace
@click.pass_obj
def install_heartbeat(home: Home, agent_name: str, named: str | None) -> None:
    """Gives a coordinator the routine that it began with, where that is gone."""
    client = Client(home)
    agent = names.agent(client, names.workspace(client, named)["id"], agent_name)
    made = client.post(f"{OFFICE}/heartbeat", {"agent_id": agent["id"]})
    click.echo(plain(f"{made['name']}: {when(made)}"))


def _agent_of(client: Client, seen: Answer) -> Answer:
    return client.get(f"/agents/{seen['assignee_agent_id']}")


def _beware(client: Client, seen: Answer, known: set[str]) -> None:
    """known: the variables that the person has named or seen before."""
    new = routine_words.new_variables(seen, known)
    if new is not None:
        click.echo(plain(new))
    for said in routine_words.warnings(seen, _agent_of(client, seen)):
        click.echo(plain(said), err=True)


def _schedule(expression: str, zone: str | None) -> Answer:
    trigger = {"kind": "schedule", "cron_expression": expression}
    return trigger if zone is None else {**trigger, "timezone": zone}


def _texts(words: dict[str, Any], seen: Answer | None = None) -> Answer:
    """The options that both `add` and `edit` have; what is not named is left out."""
    title, text = words.pop("title"), _read(words.pop("task_text"))
    words["description"] = _read(words["description"])
    before = (seen or {}).get("task_template") or {}
    if title is not None or text is not None:
        if title is None and not before:
            raise click.UsageError(_("a task needs a title: --task-title"))
        words["task_template"] = {
            "title": before.get("title") if title is None else title,
            "description": before.get("description", "") if text is None else text,
        }
    return {name: value for name, value in words.items() if value is not None}


def _read(text: str | None) -> str | None:
    return sys.stdin.read() if text == "-" else text


def _declared(
    given: tuple[str, ...], required: tuple[str, ...], there: Sequence[Answer] = ()
) -> list[Answer]:
    """there: those that it has already, which stay but for what is named."""
    declared: dict[str, Answer] = {one["name"]: one for one in there}
    named: list[Answer] = [{"name": name, "default": v} for name, v in _pairs(given).items()]
    named += [{"name": name, "required": True} for name in required]
    for one in named:
        declared[one["name"]] = {**declared.get(one["name"], {}), **one}
    return [*declared.values()]


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise click.BadParameter(_("write NAME=VALUE"), param_hint="--var")
        pairs[name] = value
    return pairs


routine.add_command(webhook)
COMMANDS = [routine]

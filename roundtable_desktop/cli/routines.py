"""Commands about routines."""

import sys
from collections.abc import Callable
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.phrases import _

OFFICE = "/api/office/routines"
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
    ("--catch-up-max", "catch_up_max", click.IntRange(0, 1000), _("How many of them, at most.")),
    ("--priority", "priority", click.IntRange(-1000, 1000), _("The lower comes first.")),
)
_cron = click.option("--cron", "crons", multiple=True, metavar="EXPR", help=_("When it fires."))
_zone = click.option("--tz", "zone", metavar="ZONE", help=_("Default: the workspace's zone."))


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
@click.option("--var", "variables", multiple=True, metavar="NAME=DEFAULT")
@click.option("--require", "required", multiple=True, metavar="NAME", help=_("Asked for."))
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
    **words: Any,
) -> None:
    """Adds a routine. Without --cron it fires when you tell it to; with --task-title each fire
    makes a task, else the agent works without one.

    {{name}} in its texts is a variable; {{date}} and {{datetime}} are always there.

    Example: roundtable routine add Deps --cron "0 9 * * 1-5" --tz Europe/Berlin
    --task-title "Daily Dep Update - {{date}}"
    """
    client = Client(home)
    workspace = names.workspace(client, named)
    assignee = names.agent(client, workspace["id"], agent_name)
    made = client.post(
        OFFICE,
        {
            "workspace_id": workspace["id"],
            "name": name,
            "assignee_agent_id": assignee["id"],
            "variables": _declared(variables, required) or None,
            "triggers": [_schedule(one, zone) for one in crons],
            **_texts(words),
        },
    )
    if as_json:
        return show_json(made)
    said = _("{name} wakes {agent}. {when}")
    when = _when(made)
    return click.echo(plain(said.format(name=made["name"], agent=assignee["name"], when=when)))


@routine.command(name="list")
@_workspace
@_json
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Those of a workspace, newest first."""
    client = Client(home)
    found = _known(client, named)
    return show_json(found) if as_json else table(map(_row, found), _COLUMNS)


_COLUMNS = ["name", "status", "when", "next_run_at", "last", "id"]


def _row(one: Answer) -> Answer:
    return {**one, "when": _words(one), "last": one["last_status"]}


def _words(one: Answer) -> str:
    said = [trigger["words"] for trigger in one["triggers"] if trigger["words"]]
    return "; ".join(said) or _("by hand")


@routine.command()
@_given
@_workspace
@_json
@click.pass_obj
def show(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """One routine, its next fires and its last ones. ROUTINE is a name or the end of an id."""
    client = Client(home)
    seen = client.get(f"{OFFICE}/{_find(client, given, named)['id']}")
    if as_json:
        return show_json(seen)
    fields({name: seen[name] for name in _SHOWN})
    for trigger in seen["triggers"]:
        if trigger["words"]:
            about = (trigger["cron_expression"], trigger["timezone"], trigger["words"])
            click.echo(plain("{}  {}: {}".format(*about)))
    if seen["next_fires"]:
        click.echo()
        table([{"next": fire["words"], "utc": fire["at"]} for fire in seen["next_fires"]], _NEXT)
    if seen["recent_runs"]:
        click.echo()
        table(seen["recent_runs"], ["scheduled_at", "source", "status", "reason", "id"])
    return None


_NEXT = ["next", "utc"]
_SHOWN = (
    "id",
    "name",
    "status",
    "description",
    "task_template",
    "concurrency_policy",
    "catch_up_policy",
    "catch_up_max",
    "last_fired_at",
    "last_started_at",
    "last_succeeded_at",
)


@routine.command()
@_given
@click.option("--name", help=_("A new name."))
@_cron
@_zone
@click.option("--agent", "agent_name", help=_("Another agent."))
@click.option("--light", is_flag=True, help=_("Makes no task any more."))
@_options
@_workspace
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
    named: str | None,
    **words: Any,
) -> None:
    """Changes a routine; what is not named stays. --cron replaces all its schedules."""
    client = Client(home)
    seen = _find(client, given, named)
    changes: Answer = {"name": name, **_texts(words, seen)}
    if light:
        changes["task_template"] = ""
    if agent_name is not None:
        changes["assignee_agent_id"] = names.agent(client, seen["workspace_id"], agent_name)["id"]
    changes = {key: value for key, value in changes.items() if value is not None}
    if crons or zone is not None:
        changes["triggers"] = _triggers(seen, crons, zone)
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    changed = client.patch(f"{OFFICE}/{seen['id']}", changes)
    said = _("Changed {name}. {when}")
    click.echo(plain(said.format(name=changed["name"], when=_when(changed))))


def _triggers(seen: Answer, crons: tuple[str, ...], zone: str | None) -> list[Answer]:
    """New schedules in place of the old ones, or the old ones in another zone."""
    if crons:
        old = [one["timezone"] for one in seen["triggers"] if one["kind"] == "schedule"]
        return [_schedule(one, zone or next(iter(old), None)) for one in crons]
    there = [one["id"] for one in seen["triggers"] if one["kind"] == "schedule"]
    return [{"id": one, "timezone": zone} for one in there]


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
    click.echo(plain(f"{changed['name']}: {_when(changed)}"))


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
    seen = _find(client, given, named)
    return client.patch(f"{OFFICE}/{seen['id']}", {"status": status})


@routine.command()
@_given
@_workspace
@click.pass_obj
def remove(home: Home, given: str, named: str | None) -> None:
    """Takes it away, with its schedules."""
    client = Client(home)
    seen = _find(client, given, named)
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
    seen = _find(client, given, named)
    fired = client.post(f"{OFFICE}/{seen['id']}/fire", {"variables": _pairs(variables)})
    if as_json:
        return show_json(fired)
    said = _("{name} was fired: {status}. See how it goes: roundtable routine show {end}")
    end = seen["id"][-8:]
    return click.echo(plain(said.format(name=seen["name"], status=fired["status"], end=end)))


@routine.command()
@_given
@_workspace
@_json
@click.pass_obj
def explain(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """When it fires next, and whether that will really run."""
    client = Client(home)
    why = client.get(f"{OFFICE}/{_find(client, given, named)['id']}/explain")
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
    click.echo(plain(f"{made['name']}: {_when(made)}"))


def _known(client: Client, named: str | None) -> list[Answer]:
    workspace = names.workspace(client, named)
    return list(client.every(OFFICE, workspace_id=workspace["id"]))


def _find(client: Client, given: str, named: str | None) -> Answer:
    otherwise = _("no routine is called {given}").format(given=given)
    return names.called(_known(client, named), given, otherwise)


def _when(seen: Answer) -> str:
    fires = seen["next_fires"]
    if fires:
        return _("It fires next on {words}.").format(words=fires[0]["words"])
    return _("It fires when you say so: roundtable routine fire {end}").format(end=seen["id"][-8:])


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


def _declared(given: tuple[str, ...], required: tuple[str, ...]) -> list[Answer]:
    defaults: dict[str, Answer] = {
        name: {"name": name, "default": value} for name, value in _pairs(given).items()
    }
    asked = {name: {**defaults.get(name, {}), "name": name, "required": True} for name in required}
    return [*({**defaults, **asked}.values())]


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise click.BadParameter(_("write NAME=VALUE"), param_hint="--var")
        pairs[name] = value
    return pairs


COMMANDS = [routine]

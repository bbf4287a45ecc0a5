"""Commands about budgets."""

from collections.abc import Callable
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.phrases import _

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_given = click.argument("given", metavar="BUDGET")
_SAYS = (
    ("--agent", "agent", None, _("Whose runs it counts: one agent's.")),
    ("--project", "project", None, _("Whose runs it counts: those for tasks with this label.")),
    (
        "--meter",
        "meter",
        click.Choice(["money", "tokens", "runs", "quota"]),
        _("What it counts: US dollars, tokens, runs, or percent of a provider's own window."),
    ),
    (
        "--period",
        "period",
        click.Choice(["day", "month", "rolling", "total"]),
        _("How long it counts; rolling: always the last hours."),
    ),
    ("--hours", "hours", click.IntRange(1, 8784), _("Of rolling.")),
    ("--limit", "limit", click.FloatRange(0), _("How much may be used.")),
    (
        "--on-exceed",
        "action_on_exceed",
        click.Choice(["notify_only", "pause_agent", "block_new_tasks"]),
        _("What happens beyond it."),
    ),
)


def _says(command: Callable[..., None]) -> Callable[..., None]:
    for option, name, kind, text in reversed(_SAYS):
        command = click.option(option, name, type=kind, help=text)(command)
    return command


@click.group()
def budget() -> None:
    """What may be used, and what happens beyond it."""


@budget.command(name="list")
@click.option("--workspace", "named", help=_("Only this one's. Default: of all of them."))
@_json
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Each with how much of it is used."""
    client = Client(home)
    chosen = names.workspace(client, named)["id"] if named else None
    found = list(client.every("/budgets", workspace_id=chosen))
    if as_json:
        return show_json(found)
    rows = [{**one, "of": one["named"], **_words(one)} for one in found]
    return table(rows, ["id", "of", "meter", "period", "limit", "used", "beyond it"])


@budget.command()
@_given
@_json
@click.pass_obj
def show(home: Home, given: str, as_json: bool) -> None:
    """One of them. BUDGET is the end of its id."""
    seen = Client(home).get(f"/budgets/{names.ref(given)}")
    return show_json(seen) if as_json else fields({**seen, "used": used(seen)})


@budget.command()
@_says
@_workspace
@_json
@click.pass_obj
def add(home: Home, /, named: str | None, as_json: bool, **words: Any) -> None:
    """From now on no run starts beyond it. Without --agent or --project it counts all runs of the
    workspace; without --period a month."""
    if words["meter"] is None or words["limit"] is None:
        raise click.UsageError(_("say what it counts and how much: --meter and --limit"))
    client = Client(home)
    workspace = names.workspace(client, named)
    body = {"workspace_id": workspace["id"], **_body(client, workspace["id"], words)}
    made = client.post("/budgets", body)
    if as_json:
        return show_json(made)
    said = _("The budget of {named} is set: {used}.")
    return click.echo(plain(said.format(named=made["named"], used=used(made))))


@budget.command()
@_given
@_says
@click.option("--on/--off", "enabled", default=None, help=_("Off: it is kept and counts nothing."))
@_json
@click.pass_obj
def edit(home: Home, /, given: str, as_json: bool, enabled: bool | None, **words: Any) -> None:
    """Changes it. Where there is room then, what it held back runs."""
    client = Client(home)
    seen = client.get(f"/budgets/{names.ref(given)}")
    body = _body(client, seen["workspace_id"], words)
    body |= {} if enabled is None else {"enabled": enabled}
    if not body:
        raise click.UsageError(_("say what to change; --help names what can be"))
    changed = client.patch(f"/budgets/{seen['id']}", body)
    if as_json:
        return show_json(changed)
    said = _("The budget of {named} is changed: {used}.")
    return click.echo(plain(said.format(named=changed["named"], used=used(changed))))


@budget.command()
@_given
@click.pass_obj
def remove(home: Home, given: str) -> None:
    """Takes it away; what it held back runs."""
    client = Client(home)
    seen = client.get(f"/budgets/{names.ref(given)}")
    client.delete(f"/budgets/{seen['id']}")
    click.echo(plain(_("The budget of {named} is gone.").format(named=seen["named"])))


def _body(client: Client, workspace_id: str, words: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in words.items() if value is not None}
    agent = given.pop("agent", None)
    if agent is not None:
        given |= {"scope": "agent", "agent_id": names.agent(client, workspace_id, agent)["id"]}
    elif "project" in given:
        given["scope"] = "project"
    return given


def _words(one: Answer) -> dict[str, object]:
    period = f"{one['hours']} h" if one["hours"] else one["period"]
    return {"period": period, "used": used(one), "beyond it": one["action_on_exceed"]}


def used(one: Answer) -> str:
    """How much of it is used, and how many runs it cannot see."""
    if one["degraded"]:
        return _("it cannot be read")
    if one["spent"] is None:
        return _("unknown")
    most = amount(one["meter"], one["allowed"])
    said = _("{spent} of {most} ({percent} %)").format(
        spent=amount(one["meter"], one["spent"]), most=most, percent=one["percent"]
    )
    if one["unknown_runs"]:
        said += _(", and {count} runs that nobody knows").format(count=one["unknown_runs"])
    if one["included_runs"]:
        said += _(", {count} included in a flat rate").format(count=one["included_runs"])
    return said if one["enabled"] else _("{said}, switched off").format(said=said)


def amount(meter: str, value: float) -> str:
    match meter:
        case "money":
            return f"${value:,.2f}"
        case "quota":
            return f"{value:g} %"
        case _:
            return f"{value:,.0f}"


COMMANDS = [budget]

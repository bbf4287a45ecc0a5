"""Commands about approvals."""

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import spelled

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_note = click.option("--note", default="", help=_("Kept with the answer, and told to the agent."))


@click.group()
def approval() -> None:
    """What waits for your yes or no."""


@approval.command(name="list")
@click.option("--all", "everything", is_flag=True, help=_("Decided ones too."))
@click.option("--status", "status_", metavar="STATUS", help=_("Default: requested."))
@click.option("--task", "task_given", metavar="TASK", help=_("Only those of this task."))
@click.option("--workspace", "named", help=_("Only this one's. Default: of all of them."))
@_json
@click.pass_obj
def list_(
    home: Home,
    everything: bool,
    status_: str | None,
    task_given: str | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Newest first."""
    client = Client(home)
    query = {
        "status": status_ or (None if everything else "requested"),
        "workspace_id": names.workspace(client, named)["id"] if named else None,
        "task_id": names.task(client, task_given, named)["id"] if task_given else None,
    }
    found = list(client.every("/approvals", **query))
    if as_json:
        return show_json(found)
    rows = []
    for one in found:
        task = client.get(f"/tasks/{one['task_id']}")
        about = one["text"] or task["title"]
        rows.append({**one, "task": f"T-{task['number']}", "about": about})
    return table(rows, ["id", "status", "task", "about"])


@approval.command()
@click.argument("given", metavar="APPROVAL")
@_json
@click.pass_obj
def show(home: Home, given: str, as_json: bool) -> None:
    """One of them. APPROVAL is the end of its id."""
    seen = Client(home).get(f"/approvals/{names.ref(given)}")
    return show_json(seen) if as_json else fields(seen)


@approval.command()
@click.argument("given", metavar="APPROVAL")
@_note
@click.pass_obj
def approve(home: Home, given: str, note: str) -> None:
    """Yes: the task is done, or the agent that asked goes on."""
    _decide(home, given, "approve", note)


@approval.command()
@click.argument("given", metavar="APPROVAL")
@_note
@click.pass_obj
def reject(home: Home, given: str, note: str) -> None:
    """No: the task goes back to its agent, who reads the note."""
    _decide(home, given, "reject", note)


def _decide(home: Home, given: str, answer: str, note: str) -> None:
    client = Client(home)
    decided = client.post(f"/approvals/{names.ref(given)}/{answer}", {"note": note})
    task = client.get(f"/tasks/{decided['task_id']}")
    said = _("{answer}. T-{number} is {status}.")
    word = _("Approved") if answer == "approve" else _("Rejected")
    status = spelled(task["status"])
    click.echo(plain(said.format(answer=word, number=task["number"], status=status)))


COMMANDS = [approval]

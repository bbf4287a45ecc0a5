"""Commands that move a task, and tell what was said about it."""

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import as_typed, spelled
from roundtable_desktop.phrases.instants import stamp

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))


def numbers(tasks: list[Answer]) -> str:
    return ", ".join(f"T-{one['number']}" for one in tasks)


@click.command()
@click.argument("given", metavar="TASK")
@click.option("--after", multiple=True, metavar="TASK", help=_("It waits for this one too."))
@click.option("--not-after", multiple=True, metavar="TASK", help=_("And for this one no more."))
@_workspace
@click.pass_obj
def depend(
    home: Home, given: str, after: tuple[str, ...], not_after: tuple[str, ...], named: str | None
) -> None:
    """Changes what the task waits for."""
    client = Client(home)
    seen = names.task(client, given, named)
    gone = {names.task(client, one, named)["id"] for one in not_after}
    kept = [one for one in seen["depends_on"] if one["depends_on_task_id"] not in gone]
    more = [names.task(client, one, named)["id"] for one in after]
    seen = client.patch(f"/tasks/{seen['id']}", {"depends_on": kept, "blocked_by": more})
    if not seen["waiting_for"]:
        return click.echo(_("T-{number} waits for nothing.").format(number=seen["number"]))
    told = _("T-{number} waits for {tasks}.")
    return click.echo(told.format(number=seen["number"], tasks=numbers(seen["waiting_for"])))


@click.command()
@click.argument("given", metavar="TASK")
@click.argument("status", metavar="STATUS")
@click.option("--note", default="", help=_("Kept as a comment; sent back, the agent reads it."))
@_workspace
@click.pass_obj
def move(home: Home, given: str, status: str, note: str, named: str | None) -> None:
    """Moves the task as on the board: to todo, in_progress, in_review, done or cancelled. A run
    that works on it is ended when it leaves in_progress."""
    client = Client(home)
    seen = names.task(client, given, named)
    seen = client.post(f"/tasks/{seen['id']}/move", {"status": as_typed(status), "note": note})
    said = _("T-{number} is {status} now.")
    click.echo(said.format(number=seen["number"], status=spelled(seen["status"])))


@click.command()
@click.argument("given", metavar="TASK")
@click.option("--note", default="", help=_("Why; kept as a comment."))
@_workspace
@click.pass_obj
def cancel(home: Home, given: str, note: str, named: str | None) -> None:
    """Cancels the task for good, and ends the run that works on it."""
    client = Client(home)
    seen = names.task(client, given, named)
    seen = client.post(f"/tasks/{seen['id']}/cancel", {"note": note})
    click.echo(_("T-{number} is cancelled.").format(number=seen["number"]))


@click.command()
@click.argument("given", metavar="TASK")
@click.option("--action", required=True, help=_("What has to be done first."))
@click.option(
    "--owner",
    default="user",
    help=_("By whom: user, coordinator, architect, debugger or agent:<id>."),
)
@click.option("--reason", default="", help=_("Why it cannot go on."))
@_workspace
@click.pass_obj
def block(home: Home, given: str, action: str, owner: str, reason: str, named: str | None) -> None:
    """Says what must be done before the task goes on; nothing works on it until then."""
    client = Client(home)
    seen = names.task(client, given, named)
    said = {"reason": reason, "owner": owner, "action": action}
    client.post(f"/tasks/{seen['id']}/block", said)
    click.echo(_("T-{number} is blocked until then.").format(number=seen["number"]))


@click.command()
@click.argument("given", metavar="TASK")
@click.option("--text", help=_("What you want to add for this run."))
@_workspace
@click.pass_obj
def run(home: Home, given: str, text: str | None, named: str | None) -> None:
    """Runs the task now, before everything else, also if it failed or is blocked."""
    client = Client(home)
    seen = names.task(client, given, named)
    client.post(f"/tasks/{seen['id']}/run", {"text": text})
    click.echo(_("T-{number} runs as soon as its agent is free.").format(number=seen["number"]))


@click.command()
@click.argument("given", metavar="TASK")
@_workspace
@_json
@click.pass_obj
def restore(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """Has the task done after all, when it was over or stood still. What was cancelled stays so: a
    new task takes its place, for all that wait for it."""
    client = Client(home)
    before = names.task(client, given, named)
    seen = client.post(f"/tasks/{before['id']}/restore", {})
    if as_json:
        return show_json(seen)
    if seen["id"] == before["id"]:
        return click.echo(_("T-{number} is to be done.").format(number=seen["number"]))
    told = _("T-{anew} is to be done in place of T-{number}, which stays cancelled.")
    return click.echo(told.format(anew=seen["number"], number=before["number"]))


@click.command()
@click.argument("given", metavar="TASK")
@_workspace
@_json
@click.pass_obj
def comments(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """What was said about the task, the oldest first."""
    client = Client(home)
    seen = names.task(client, given, named)
    found = list(client.every(f"/tasks/{seen['id']}/comments"))
    if as_json:
        return show_json(found)
    for one in found:
        who = _("you") if one["author_type"] == "person" else one["author_type"]
        if one["via"]:
            who = _("you, by {channel}").format(channel=one["via"])
        click.echo(plain(f"{stamp(one['created_at'])}  {who}: {one['text']}"))
    return None


COMMANDS = [depend, move, cancel, block, run, restore, comments]

"""Commands about the inbox."""

from datetime import datetime, timedelta

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.config import change
from roundtable_desktop.cli.moments import Later, moment_of
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.cli.proposals import PATIENCE, settled
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _, n_, sentence
from roundtable_desktop.phrases.instants import stamp
from roundtable_desktop.phrases.moved import code_of

_PATIENCE = 10.0  # seconds until the agent has the answer


_STATUSES = ("open", "snoozed", "resolved")


@click.group()
def inbox() -> None:
    """Questions of agents that wait for your answer."""


@inbox.command(name="list")
@click.option("--all", "everything", is_flag=True, help=_("Resolved and snoozed ones too."))
@click.option("--status", "status_", type=click.Choice(_STATUSES), help=_("Default: open."))
@click.option("--kind", metavar="KIND", help=_("Only of this kind."))
@click.option("--severity", type=click.Choice(["info", "attention", "critical"]))
@click.option("--workspace", "named", help=_("Only this one's. Default: of all of them."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(
    home: Home,
    /,
    everything: bool,
    status_: str | None,
    named: str | None,
    as_json: bool,
    **of: str | None,
) -> None:
    """Newest first."""
    if everything and status_:
        raise click.UsageError(_("Use either --all or --status."))
    client, chosen = Client(home), None if everything else status_ or "open"
    where = names.workspace(client, named)["id"] if named else None
    found = list(client.every("/inbox", status=chosen, workspace_id=where, **of))
    if as_json:
        return show_json(found)
    table(map(_row, found), ["item", "status", "agent", "task", "answers", "sentence"])
    aside = {"status": "snoozed", "workspace_id": where, **of}
    put_off = len(list(client.every("/inbox", **aside))) if chosen == "open" else 0
    if put_off:
        said = n_("{count} is put off", "{count} are put off", put_off)
        click.echo(_("{said}: roundtable inbox list --status snoozed").format(said=said))
    return None


def _row(one: Answer) -> Answer:
    return {
        "item": one["id"][-8:],
        "status": one["status"],
        "agent": one["agent"],
        "task": one["task"] and f"T-{one['task']}",
        "answers": ", ".join(option["kind"] for option in one["data"].get("options", [])),
        "sentence": one["sentence"],
    }


@inbox.command()
@click.argument("given", metavar="ITEM")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def show(home: Home, given: str, as_json: bool) -> None:
    """One item. ITEM is the end of its id."""
    seen = Client(home).get(f"/inbox/{names.ref(given)}")
    if as_json:
        return show_json(seen)
    about = _row(seen)
    run = seen["data"].get("run_id")
    times = {name: seen[name] and stamp(seen[name]) for name in _TIMES}
    more = {"times": seen["data"].get("times"), "run": run and run[-8:]}
    fields({**about, **more, **times, **_blocked(seen["data"])})
    if said := seen["data"].get("text") if seen["kind"] == "agent.error" else None:
        click.echo(_("Its last words:"))
        click.echo(plain(said))
    if difference := seen["data"].get("difference"):
        click.echo(plain(f"\n{difference}\n"))
    if seen["data"].get("changes"):
        click.echo(_("Accepting it would do this:"))
        table(map(change, seen["data"]["changes"]), ["what", "name", "did", "fields"])
    for one in seen["data"].get("moved", ()):
        click.echo(plain(sentence(code_of(one), one)))
        click.echo(plain(f"  {one['command']}".rstrip()))
    if seen["status"] != "resolved" and about["answers"]:
        click.echo(_("Answer it: roundtable inbox act {item} ANSWER").format(item=about["item"]))
        for one in seen["answers"]:
            click.echo(plain(f"  {one['action']}: {one['does']}"))
    return None


_TIMES = ("created_at", "acked_at", "snoozed_until", "resolved_at")


def _blocked(data: Answer) -> Answer:
    """Of a delivery that was held: which one, and what would do it by hand."""
    if "proposal_id" not in data:
        return {}
    command = data.get("why", {}).get("command")
    return {"proposal": data["proposal_id"][-8:], "by_hand": command}


@inbox.command()
@click.argument("given", metavar="ITEM")
@click.argument("action")
@click.option("--note", default="", help=_("For the agent, or kept with the decision."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def act(home: Home, given: str, action: str, note: str, as_json: bool) -> None:
    """Answers it. ACTION is one of its answers, such as allow_once."""
    client = Client(home)
    item = client.post(f"/inbox/{names.ref(given)}/act", {"action": action, "note": note})
    seen = client.until(f"/inbox/{item['id']}", lambda one: one["status"] == "resolved", _PATIENCE)
    if as_json:
        return show_json(seen)
    if seen["status"] != "resolved":
        raise click.ClickException(_("The agent has not taken the answer yet. Look again soon."))
    if seen["kind"] == "delivery_blocked":
        proposal = client.until(f"/proposals/{seen['data']['proposal_id']}", settled, PATIENCE)
        return click.echo(plain(proposal["sentence"]))
    taken = (seen["resolution"] or {}).get("option")
    kinds = {option["id"]: option["kind"] for option in seen["data"].get("options", [])}
    answer = kinds.get(taken, taken) or _("nothing; the run is over")
    return click.echo(plain(_("Answered: {answer}").format(answer=answer)))


@inbox.command()
@click.argument("given", metavar="ITEM")
@click.option("--until", type=Later(), required=True, help=_("2h, 1d, or 2026-03-08T06:30."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def snooze(home: Home, given: str, until: datetime | timedelta, as_json: bool) -> None:
    """Puts it off: it is asked again at that time. ITEM is the end of its id."""
    client = Client(home)
    wanted = {"until": rfc3339(moment_of(client, until))}
    item = client.post(f"/inbox/{names.ref(given)}/snooze", wanted)
    if as_json:
        return show_json(item)
    said = _("It is asked again at {until}.")
    return click.echo(said.format(until=stamp(item["snoozed_until"])))


@inbox.command()
@click.argument("given", metavar="ITEM")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def ack(home: Home, given: str, as_json: bool) -> None:
    """Says that you have seen it. It stays open, and what waits for its answer waits."""
    item = Client(home).post(f"/inbox/{names.ref(given)}/ack", {})
    if as_json:
        return show_json(item)
    return click.echo(_("Noted; it still waits for you."))


@inbox.command()
@click.argument("given", metavar="ITEM")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def resolve(home: Home, given: str, as_json: bool) -> None:
    """Closes it, and does nothing else. What waits for an answer is answered with “act”."""
    item = Client(home).post(f"/inbox/{names.ref(given)}/resolve", {})
    return show_json(item) if as_json else click.echo(_("It is closed."))


COMMANDS = [inbox]

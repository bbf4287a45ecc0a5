"""The command that looks at everything and says what mends it."""

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client, Unreachable
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.phrases import _


@click.command()
@click.option("--fix", is_flag=True, help=_("Mends what takes nothing of yours away."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def doctor(home: Home, fix: bool, as_json: bool) -> None:
    """Checks the home, its database, the machine and the agents. Exit code 1: it is critical."""
    seen = _seen(home, fix)
    if as_json:
        show_json(seen)
    else:
        table(map(_row, seen["items"]), ["check", "state", "finding"])
    if seen["state"] == "critical":
        raise SystemExit(1)


def _seen(home: Home, fix: bool) -> Answer:
    """By the owner; where there is none, or none that answers, it is looked at from here."""
    try:
        client = Client(home)
        return client.post("/doctor/fix", {}) if fix else client.get("/doctor")
    except Unreachable:
        from roundtable_desktop import offline

        return dict(offline.doctor(home, fix=fix))


def _row(one: Answer) -> Answer:
    cure = _(" Cure: {cure}").format(cure=one["cure"]) if one["cure"] else ""
    state = _("mended") if one["fixed"] else one["state"]
    return {"check": one["check"], "state": state, "finding": one["sentence"] + cure}


COMMANDS = [doctor]

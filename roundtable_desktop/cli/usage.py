"""`roundtable usage`: what was used, by whom, and what the week to come will use."""

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _

_BY = click.Choice(["agent", "task", "routine", "model", "day", "all"])


@click.command()
@click.option("--by", type=_BY, default="agent", show_default=True, help=_("How to add up."))
@click.option("--since", metavar="TIME", help=_("Default: 30 days ago."))
@click.option("--until", metavar="TIME", help=_("Default: now."))
@click.option("--workspace", "named", help=_("Only this one's. Default: of all of them."))
@click.option("--ahead", is_flag=True, help=_("What routines will use in the week to come."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def usage(
    home: Home,
    by: str,
    since: str | None,
    until: str | None,
    named: str | None,
    ahead: bool,
    as_json: bool,
) -> None:
    """Tokens and money. Sums are of what is known; how many runs are unknown stands beside them.
    TIME is written as 2026-03-08T06:30:00Z."""
    client = Client(home)
    chosen = names.workspace(client, named)["id"] if named else None
    if ahead:
        return _show_ahead(client.post("/usage/forecast", {"workspace_id": chosen}), as_json)
    seen = client.get("/usage", by=by, since=since, until=until, workspace_id=chosen)
    if as_json:
        return show_json(seen)
    rows = [_row(one, one["name"] or _("none")) for one in seen["items"]]
    if seen["total"] and by != "all":
        rows.append(_row(seen["total"], _("together")))
    table(rows, [by if by != "all" else "sum", "runs", "tokens in", "tokens out", "cost"])
    for one in seen["windows"]:
        click.echo(plain(_window(one)))
    return None


def _row(one: Answer, name: str) -> Answer:
    sums = {"runs": one["runs"]}
    for label, key in (("tokens in", "input_tokens"), ("tokens out", "output_tokens")):
        known = one[key]
        sums[label] = _("unknown") if known is None else f"{known:,}"
    first = {key: name for key in ("agent", "task", "routine", "model", "day", "sum")}
    return {**first, **sums, "cost": _cost(one)}


def _cost(one: Answer) -> str:
    parts = [] if one["cost_usd"] is None else [f"${one['cost_usd']:,.2f}"]
    if one["included_runs"]:
        parts.append(_("{count} runs included").format(count=one["included_runs"]))
    if one["unknown_cost_runs"]:
        parts.append(_("{count} runs unknown").format(count=one["unknown_cost_runs"]))
    return ", ".join(parts) or _("unknown")


def _window(one: Answer) -> str:
    used = _("unknown") if one["used_percent"] is None else f"{one['used_percent']:g} %"
    said = _("{account}, window {name}: {used} used, as told at {seen}")
    told = said.format(account=one["account"], name=one["name"], used=used, seen=one["seen_at"])
    return (
        told
        if one["resets_at"] is None
        else f"{told}, " + _("until {at}").format(at=one["resets_at"])
    )


def _show_ahead(seen: Answer, as_json: bool) -> None:
    if as_json:
        return show_json(seen)
    rows = [
        {
            "routine": one["name"],
            "runs": one["runs"],
            "tokens": _range(one["tokens_p50"], one["tokens_p90"], "{:,}"),
            "cost": _("included")
            if one["included"]
            else _range(one["cost_usd_p50"], one["cost_usd_p90"], "${:,.2f}"),
        }
        for one in seen["items"]
    ]
    table(rows, ["routine", "runs", "tokens", "cost"])
    if seen["unknown_routines"]:
        said = _("{count} of the routines are unknown: none of their runs told what it used.")
        click.echo(said.format(count=seen["unknown_routines"]))
    return None


def _range(half: float | None, nine: float | None, form: str) -> str:
    if half is None or nine is None:
        return _("unknown")
    return _("{half} to {nine}").format(half=form.format(half), nine=form.format(nine))


COMMANDS = [usage]

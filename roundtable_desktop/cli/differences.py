"""What a routine that is not saved yet would change, as the command line says it."""

import click

from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _, n_
from roundtable_desktop.phrases.instants import stamp

_COLUMNS = ["what", "before", "after"]


def show(client: Client, draft: Answer, as_json: bool) -> None:
    """Of the next seven days; nothing is saved."""
    seen = client.post("/simulate", {"draft": draft, "play": False})["difference"]
    if as_json:
        return show_json(seen)
    before, after = seen["before"], seen["after"]
    rows = [_row(_("fires"), before, after, "fires"), _row(_("runs"), before, after, "runs")]
    for name in dict.fromkeys(one["agent"] for one in [*_loads(before), *_loads(after)]):
        sides = (_load(before, name), _load(after, name))
        rows.append(dict(zip(_COLUMNS, (name, *sides), strict=True)))
    table(rows, _COLUMNS)
    for one in after["next"]:
        click.echo(plain(f"{stamp(one['at'])}  {one['sentence']}"))
    return click.echo(_("Nothing is saved: that is what the next 7 days would bring."))


def _row(what: str, before: Answer | None, after: Answer, name: str) -> Answer:
    return {"what": what, "before": before and before[name], "after": after[name]}


def _loads(side: Answer | None) -> list[Answer]:
    return list(side["loads"]) if side else []


def _load(side: Answer | None, name: str) -> str | None:
    found = next((one for one in _loads(side) if one["agent"] == name), None)
    if found is None:
        return None
    minutes, late = round(found["seconds"] / 60), found["late"]
    runs = n_("{count} run", "{count} runs", found["runs"])
    told = _("{runs}, {minutes} min").format(runs=runs, minutes=minutes)
    return told + (_(", {late} late").format(late=late) if late else "")

"""`roundtable simulate`: the days to come, as the scheduler would go through them."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.system import local_zone
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import shown_in
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import word


@click.command()
@click.option("--days", type=click.FloatRange(0, 31, min_open=True), default=7, show_default=True)
@click.option("--workspace", "named", help=_("Only this one. Default: all of them."))
@click.option("--all", "each", is_flag=True, help=_("Also each time that a routine comes again."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def simulate(home: Home, days: float, named: str | None, each: bool, as_json: bool) -> None:
    """What would happen in the days to come, by the scheduler itself on a copy of its data.

    Every run is taken to go well and to last as long as its agent's usually do. Nothing is changed
    and no agent is started.
    """
    client = Client(home)
    chosen = names.workspace(client, named)["id"] if named else None
    seen = client.post("/simulate", {"days": days, "workspace_id": chosen})
    if as_json:
        return show_json(seen)
    zone = ZoneInfo(local_zone(os.environ))
    for one in seen["items"] if each else together(seen["items"], zone):
        click.echo(plain(f"{shown_in(one['at'], zone)}  {one['sentence']}"))
    for line in what_is_left_out(seen, zone):
        click.echo(line)
    return None


def together(items: Sequence[Answer], zone: ZoneInfo) -> Iterator[Answer]:
    """What one cause does to one agent again and again, as a heartbeat does, is one line, where the
    first of it stands."""
    alike: dict[tuple[str, str], list[Answer]] = {}
    for one in items:
        alike.setdefault(_again(one), []).append(one)
    told = set()
    for one in items:
        key = _again(one)
        group = alike[key]
        if key == _ALONE or len(group) <= OFTEN:
            yield one
        elif key not in told:
            told.add(key)
            yield {"at": one["at"], "sentence": _summary(*key, group, zone)}


OFTEN = 12
"""Items of one cause that are told each."""
_ALONE = ("", "")


def _again(item: Answer) -> tuple[str, str]:
    """(agent, cause) of what is about no task."""
    values = item["values"]
    if "task" in values or not values.get("cause"):
        return _ALONE
    return str(values.get("agent")), str(values["cause"])


def _summary(agent: str, cause: str, group: Sequence[Answer], zone: ZoneInfo) -> str:
    counts = Counter(one["code"] for one in group)
    said = _("{agent}: {times} times “{cause}” until {until}, {runs} runs of it. --all tells each.")
    return said.format(
        agent=agent,
        cause=word(cause),
        times=sum(counts[code] for code in _COMES),
        runs=counts["foreseen_starts_taskless"],
        until=shown_in(group[-1]["at"], zone),
    )


_COMES = ("foreseen_queued_taskless", "foreseen_merges_taskless", "foreseen_not_fired")


def what_is_left_out(seen: Answer, zone: ZoneInfo) -> Iterator[str]:
    if not seen["complete"]:
        said = _("Cut here: its time was over when it had come to {until}. Ask for fewer days.")
        yield said.format(until=shown_in(seen["until"], zone))
    elif not seen["items"]:
        yield _("Nothing would happen by itself in that time.")
    if not seen["whole"]:
        yield _("There is more; ask for fewer days or one workspace.")


COMMANDS = [simulate]

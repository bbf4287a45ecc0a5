"""Commands that take nothing new, end what runs, or let it go on: for everything at once."""

from datetime import datetime, timedelta

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import Later, moment_of
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _, n_

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_PATIENCE = timedelta(days=2).total_seconds()
"""Seconds that `--wait` waits for the last run; it may be at work for hours."""


def at_work(seen: Answer) -> str:
    """Three numbers that may differ (W-20); nothing when nobody is at work."""
    if not seen["claimed"] and not seen["live"]:
        return ""
    said = n_("{count} run is alive", "{count} runs are alive", seen["live"])
    silent = n_("{count} of them silent", "{count} of them silent", seen["silent"])
    claimed = n_("{count} wakeup taken up", "{count} wakeups taken up", seen["claimed"])
    return f"{said}, {silent}; {claimed}."


def _say(seen: Answer, as_json: bool) -> None:
    if as_json:
        return show_json(seen)
    click.echo(plain(seen["sentence"]))
    if said := at_work(seen):
        click.echo(said)
    for one in seen["checkpoints"]:
        click.echo(plain(one["sentence"]))
    return None


def _turn(client: Client, action: str, until: datetime | timedelta | None = None) -> Answer:
    moment = rfc3339(moment_of(client, until)) if until is not None else None
    return client.post("/control", {"action": action, "until": moment})


@click.command()
@click.option(
    "--until",
    type=Later(),
    metavar="TIME",
    help=_("Until then: 2h, 1d, or 2026-03-08T06:30. Else until you resume."),
)
@_json
@click.pass_obj
def pause(home: Home, until: datetime | timedelta | None, as_json: bool) -> None:
    """Takes up no further wakeup; what runs goes on to its end."""
    _say(_turn(Client(home), "pause", until), as_json)


@click.command()
@_json
@click.pass_obj
def resume(home: Home, as_json: bool) -> None:
    """Lets waiting wakeups run again, and what was broken off go on."""
    seen = _turn(Client(home), "resume")
    if as_json:
        return show_json(seen)
    return click.echo(_("Wakeups are taken up again."))


@click.command()
@click.option("--wait", is_flag=True, help=_("Returns when the last run has ended."))
@_json
@click.pass_obj
def stop(home: Home, wait: bool, as_json: bool) -> None:
    """Starts nothing new, and lets what runs end by itself."""
    client = Client(home)
    _say(_waited(client, _turn(client, "stop"), wait, as_json), as_json)


@click.command()
@click.option(
    "--in",
    "--until",
    "until",
    type=Later(),
    metavar="TIME",
    help=_("When what still runs is broken off: 5m, 1h, or 2026-03-08T06:30. Else in 10 minutes."),
)
@click.option("--wait", is_flag=True, help=_("Returns when it is safe to close the lid."))
@_json
@click.pass_obj
def leave(home: Home, until: datetime | timedelta | None, wait: bool, as_json: bool) -> None:
    """Gets everything to where you can close the lid; “roundtable resume” lets it go on."""
    client = Client(home)
    _say(_waited(client, _turn(client, "leave", until), wait, as_json), as_json)


def _waited(client: Client, seen: Answer, wait: bool, as_json: bool) -> Answer:
    """Who waits, and who cannot be asked, is said while there is time to do something about it."""
    still = ("draining", "leaving")
    if not wait or seen["state"] not in still:
        return seen
    if not as_json:
        _say(seen, as_json=False)
    return client.until("/control", lambda now: now["state"] not in still, _PATIENCE, 0.5)


@click.command(name="force-stop")
@_json
@click.pass_obj
def force_stop(home: Home, as_json: bool) -> None:
    """Ends every process of every agent, now. Nothing is launched until you resume."""
    seen = _turn(Client(home), "force-stop")
    if as_json:
        show_json(seen)
    else:
        if seen["killed"]:
            table(seen["killed"], ["pid", "role", "name"])
        click.echo(_("Ended: {count}. Nothing is launched now.").format(count=len(seen["killed"])))
        click.echo(_("“roundtable resume” lets it go on."))
    if seen["survivors"]:
        click.echo(_("These could not be ended:"), err=True)
        table(seen["survivors"], ["pid", "role", "name"])
        raise SystemExit(1)


COMMANDS = [pause, resume, stop, leave, force_stop]

"""Commands about the owner itself: start, status, open, explain."""

import json
import os
import shlex
import signal
from collections.abc import Mapping
from itertools import groupby

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import control, loading, names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _, n_, sentence
from roundtable_desktop.phrases.instants import stamp

AT_LIMIT = ("account", "model")
"""What holds an account whose limit is not over; while a trial runs nobody can ask for one."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help=_("Loopback only."))
@click.option("--port", type=click.IntRange(0, 65535), help=_("Default: the last one, or 7117."))
@click.pass_obj
def start(home: Home, host: str, port: int | None) -> None:
    """Runs the owner: scheduler and dashboard, until it is told to stop. Agents go on."""
    if home.root.is_dir():  # before all that has to be loaded: who comes second is gone at once
        home.prepare()
        home.lock()
    with loading.for_good():
        from roundtable_desktop.app import Owner

        told = _signals_told(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        owner = Owner(home, host=host, port=port, log_to_stderr=True, say=_told)
        owner.start()
    try:
        if past := owner.past:
            known = {"source": past.source, "as_of": rfc3339(past.as_of), "aside": past.aside}
            _told(f"restored_{past.why}", known)
        click.echo(json.dumps(owner.ready()))
        os.read(told, 1)
    finally:
        owner.stop()
        hear_no_more()


def _told(code: str, values: Mapping[str, object]) -> None:
    """Beside the one line on stdout that programs read."""
    click.echo(plain(sentence(code, values)), err=True)


def hear_no_more() -> None:
    """Nothing is left to end: one more signal, while the interpreter ends, is no failure."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _signals_told(*numbers: int) -> int:
    """A pipe that holds a byte for each of these signals that came.

    The interpreter writes it in the midst of anything and on whichever thread the kernel chose. A
    handler of ours would run on the main thread, and not before that wakes up by itself.
    """
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    for number in numbers:
        signal.signal(number, lambda *_: None)
    return told


@click.command()
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def status(home: Home, as_json: bool) -> None:
    """What is going on, and what waits for you."""
    client = Client(home)
    seen = client.get("/status")
    if as_json:
        return show_json(seen)
    if seen["test_clock"]:
        click.echo(sentence("clock_stands", {"now": seen["test_clock"]}), err=True)
    click.echo(plain(seen["sentence"]))
    if at_work := control.at_work(seen):
        click.echo(at_work)
    for one in seen["held"]:
        click.echo(plain(one["sentence"]))
        if one["held_by"] in AT_LIMIT and one["agents"]:
            _try_now(one["agents"][0]["name"])
    for said in _waiting_for_you(seen):
        click.echo(said)
    for one in seen["workspaces"]:
        click.echo()
        click.echo(click.style(plain(f"{one['name']}  {one['path']}"), bold=True))
        if one["tasks"]:
            table([_task_row(task) for task in one["tasks"]], ["task", "status", "agent", "now"])
        else:
            click.echo(_('No open tasks. Add one: roundtable task add "…"'))
        if one["held_back"]:
            click.echo()
            table([_held_row(wake) for wake in one["held_back"]], ["wakeup", "agent", "now"])
        if one["later"]:
            click.echo()
            table([_later_row(wake) for wake in one["later"]], ["wakeup", "agent", "at", "text"])
    return None


def _waiting_for_you(seen: Answer) -> list[str]:
    items, offered = seen["items"], seen["proposals"]
    asked = n_("{count} item of the inbox waits for you", "{count} wait in the inbox", items)
    to_see = n_("{count} proposal waits for you", "{count} proposals wait for you", offered)
    return [
        *([f"{asked}: roundtable inbox list"] if items else []),
        *([f"{to_see}: roundtable proposal list"] if offered else []),
    ]


def _try_now(agent: str, indent: str = "") -> None:
    """What a person can do who knows that a limit is over."""
    said = _("Try now whether it is over: roundtable agent try-now {agent}")
    click.echo(indent + plain(said.format(agent=shlex.quote(agent))))


def _task_row(task: Answer) -> Answer:
    return {
        "task": f"T-{task['number']} {task['title']}",
        "status": task["status"],
        "agent": task["agent"],
        "now": task["sentence"],
    }


def _held_row(wake: Answer) -> Answer:
    return {"wakeup": wake["wakeup_id"][-8:], "agent": wake["agent"], "now": wake["sentence"]}


def _later_row(wake: Answer) -> Answer:
    return {**wake, "wakeup": wake["wakeup_id"][-8:]}


@click.command(name="open")
@click.option("--print", "only_print", is_flag=True, help=_("Print the link instead."))
@click.argument("page", metavar="[PAGE]", default="/")
@click.pass_obj
def open_(home: Home, page: str, only_print: bool) -> None:
    """Opens the dashboard in your browser, signed in. PAGE: its path, such as /welcome."""
    link = Client(home).post("/sign-in-links", {"next": page})["url"]
    if only_print:
        click.echo(link)
        return
    file = home.write_redirect(link)
    if click.launch(file.as_uri()) != 0:
        click.echo(_("No browser could be started. Open this file: {file}").format(file=file))


@click.command()
@click.argument("kind", type=click.Choice(["wakeup", "run", "task", "routine"]))
@click.argument("given", metavar="ID")
@click.option("--workspace", "named", help=_("For T-3 and names; else the one of this folder."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def explain(home: Home, kind: str, given: str, named: str | None, as_json: bool) -> None:
    """Why it ran, waits, or will not."""
    client = Client(home)
    if kind == "task":
        subject = names.task(client, given, named)["id"]
    elif kind == "routine" and not names.is_ref(given):
        subject = names.routine(client, given, named)["id"]
    else:
        subject = names.ref(given)
    where = names.OFFICE if kind == "routine" else f"/{kind}s"
    seen = client.get(f"{where}/{subject}/explain")
    if as_json:
        return show_json(seen)
    return _explanation(seen, "")


def _explanation(seen: Answer, indent: str) -> None:
    click.echo(indent + plain(seen["sentence"]))
    if seen["code"] in ("waits_account", "waits_model", "waits_limit"):
        _try_now(seen["values"]["agent"], indent)
    _gates(seen["gates"], indent)
    for more in seen["more"]:
        _explanation(more, indent + "  ")


def _gates(gates: list[Answer], indent: str) -> None:
    """Of one that was taken up before and waits: those of then, and those of now."""
    looks = [(at, list(asked)) for at, asked in groupby(gates, key=lambda gate: str(gate["at"]))]
    for number, (at, asked) in enumerate(looks, 1):
        if len(looks) > 1:
            before = _("Taken up {at}:").format(at=stamp(at))
            click.echo(f"{indent}  {_('Now:') if number == len(looks) else before}")
        for gate in asked:
            mark = "ok " if gate["verdict"] in ("go", "launched") else "-> "
            click.echo(f"{indent}  {mark}{plain(gate['sentence'])}")


COMMANDS = [start, status, open_, explain]

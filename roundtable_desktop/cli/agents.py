"""Commands about agents."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import agent_tests, names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import Later, clock_of
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.cli.shown import say, summary_lines
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _, one_line, sentence
from roundtable_desktop.phrases.instants import stamp

_ROLES = _("coordinator, worker, specialist, assistant, reviewer, architect or debugger.")
_POLICY = click.Choice(["ask", "allow", "deny"])
_SECONDS = click.IntRange(1, 7 * 86_400)
_LIMITS = (
    ("--sessions", "max_concurrent_sessions", click.IntRange(1, 64), _("How many runs at once.")),
    ("--cooldown", "cooldown_sec", click.IntRange(0, 86_400), _("Seconds between two runs.")),
    ("--silence-limit", "silence_limit_sec", _SECONDS, _("Seconds without a sign of life.")),
    ("--soft-timeout", "soft_timeout_sec", _SECONDS, _("Seconds until it is asked how it stands.")),
    ("--hard-timeout", "hard_timeout_sec", _SECONDS, _("Seconds until a run is ended.")),
    (
        "--memory",
        "memory_limit_mb",
        click.IntRange(0, 1 << 20),
        _("Megabytes that a run may use with all its processes. 0: half of the machine's."),
    ),
)
_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_OFF = ("paused", "stopped", "retired")
_KEPT = ("waits_", "wakeup_agent_")  # how the codes of what is not at work begin
_WIDE = 24  # characters of an account, which may be a whole command

_account = click.option(
    "--account",
    help=_("Who pays at the provider; agents with the same one wait together for its limits."),
)
_skip_idle = click.option(
    "--skip-idle/--no-skip-idle",
    "skip_idle_wakeups",
    default=None,
    help=_("Whether a schedule alone leaves it in peace while it has no task."),
)
_flat_rate = click.option(
    "--flat-rate/--no-flat-rate",
    default=None,
    help=_("Whether its runs cost nothing more than what you pay anyway."),
)
_fallbacks = click.option(
    "--fallback",
    "fallback_models",
    multiple=True,
    metavar="MODEL",
    help=_(
        "What it may use instead of its model, the first one first; in a mission the last one does"
        " what is small and optional. It is said when it is."
    ),
)
_env = click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help=_("Kept out of the database. NAME alone: the value that it has here."),
)


def _limits(command: Callable[..., None]) -> Callable[..., None]:
    """The options that fix how much and how long an agent works; the owner knows the defaults."""
    for option, name, kind, text in reversed(_LIMITS):
        command = click.option(option, name, type=kind, help=text)(command)
    return command


@click.group()
def agent() -> None:
    """Who can be woken."""


@agent.command()
@click.option("--adapter", type=click.Choice(["acp", "command", "demo"]), required=True)
@click.option("--name", help=_("Default: the program's name."))
@click.option("--role", default="worker", show_default=True, help=_ROLES)
@_workspace
@_env
@_limits
@_skip_idle
@_flat_rate
@_fallbacks
@_account
@click.option("--permission", type=_POLICY, default="ask")
@click.option("--model", help=_("Default: its project's, its workspace's, or its own."))
@click.argument("command", nargs=-1)
@click.pass_obj
def add(
    home: Home,
    /,
    adapter: str,
    name: str | None,
    role: str,
    named: str | None,
    env: tuple[str, ...],
    permission: str,
    account: str | None,
    model: str | None,
    command: tuple[str, ...],
    **limits: Any,
) -> None:
    """Adds an agent.

    acp: a program that speaks the Agent Client Protocol on its stdin and stdout.
    command: any program; it gets the prompt on stdin, or as {prompt} or {prompt_file}, and the
    model as {model}.
    demo: the built-in one, without a model; it needs no COMMAND.
    """
    client = Client(home)
    workspace = names.workspace(client, named)
    made = client.post(
        "/agents",
        {
            "workspace_id": workspace["id"],
            "name": name or _free_name(client, workspace["id"], command[0] if command else adapter),
            "role": role,
            "adapter": adapter,
            "command": list(command),
            "env": _pairs(env),
            "permission_policy": permission,
            "account": account,
            "model": model,
            **limits,
        },
    )
    said = _("Agent {name} can be woken in {workspace}.")
    click.echo(plain(said.format(name=made["name"], workspace=workspace["name"])))
    if made["role"] == "coordinator":
        _tell_heartbeat(client, made)
    if command and _is_missing(command[0]):
        said = _(
            "But no program “{program}” is found here. Until there is one, its runs cannot start."
        )
        click.echo(plain(said.format(program=command[0])), err=True)
    click.echo(_('Next: roundtable task add "…"'))


def _tell_heartbeat(client: Client, made: Answer) -> None:
    """What a person did not ask for by name, and pays for each time."""
    for one in client.every(names.OFFICE, workspace_id=made["workspace_id"]):
        if one["assignee_agent_id"] == made["id"]:
            fires = client.get(f"{names.OFFICE}/{one['id']}")["next_fires"]
            first, second = (datetime.fromisoformat(fire["at"]) for fire in fires[:2])
            said = _(
                "Its routine “{name}” ({id}) may wake it {times} times a day. For less: roundtable "
                "routine edit {id} --cron …; for none: roundtable routine pause {id}"
            )
            times = timedelta(days=1) // (second - first)
            click.echo(plain(said.format(name=one["name"], id=one["id"][-8:], times=times)))


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--name", help=_("A new name."))
@click.option("--role", help=_ROLES)
@_workspace
@_env
@click.option("--no-env", "gone", multiple=True, metavar="NAME", help=_("Takes one away."))
@_limits
@_skip_idle
@_flat_rate
@_fallbacks
@_account
@click.option("--permission", "permission_policy", type=_POLICY)
@click.option("--model", help=_("What it is to use from now on."))
@click.option("--no-model", is_flag=True, help=_("Its own default again, or the workspace's."))
@click.option("--no-fallback", is_flag=True, help=_("It may use no other model any more."))
@click.argument("command", nargs=-1)
@click.pass_obj
def edit(
    home: Home,
    /,
    given: str,
    named: str | None,
    env: tuple[str, ...],
    gone: tuple[str, ...],
    no_model: bool,
    no_fallback: bool,
    command: tuple[str, ...],
    **words: Any,
) -> None:
    """Changes an agent, from its next run on. What is not named stays."""
    variables = {**_pairs(env), **dict.fromkeys(gone)}
    words |= {"command": list(command) or None, "env": variables or None}
    words["fallback_models"] = [] if no_fallback else list(words["fallback_models"]) or None
    changes = {name: value for name, value in words.items() if value is not None}
    changes |= {"model": None} if no_model else {}
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    client = Client(home)
    found = names.agent(client, names.workspace(client, named)["id"], given)
    changed = client.patch(f"/agents/{found['id']}", changes)
    said = _("Changed {what} of {name}; it holds from the next run on.")
    what = ", ".join(sorted(name.removesuffix("_sec") for name in changes))
    click.echo(plain(said.format(what=what, name=changed["name"])))


def _is_missing(program: str) -> bool:
    """A path within the repository is looked for there, by the run, and not by us."""
    named_here = os.path.isabs(program) or "/" not in program
    return named_here and shutil.which(program) is None


def _free_name(client: Client, workspace_id: str, program: str) -> str:
    base = program.rpartition("/")[2] or "agent"
    taken = {one["name"] for one in client.every("/agents", workspace_id=workspace_id)}
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    """NAME alone takes the value from here: a command line is everybody's to read (S-28)."""
    pairs = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not name or not (equals or name in os.environ):
            raise click.BadParameter(
                _("write NAME=VALUE, or NAME for a variable that is set here"), param_hint="--env"
            )
        pairs[name] = value if equals else os.environ[name]
    return pairs


@agent.command(name="list")
@_workspace
@_json
@click.pass_obj
def list_(home: Home, named: str | None, as_json: bool) -> None:
    """Those of a workspace."""
    client = Client(home)
    workspace = names.workspace(client, named)
    found = list(client.every("/agents", workspace_id=workspace["id"]))
    if as_json:
        return show_json(found)
    for one in found:
        one["account"] = one_line(one["account"], _WIDE)
    return table(found, ["name", "role", "adapter", "status", "account", "held_until", "command"])


@agent.command()
@click.argument("given", metavar="NAME")
@_workspace
@_json
@click.pass_obj
def show(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """One of them, with what it knows of its routines' turns before."""
    client = Client(home)
    seen = names.agent(client, names.workspace(client, named)["id"], given)
    known = list(client.every(f"/agents/{seen['id']}/summaries"))
    if as_json:
        return show_json({**seen, "summaries": known})
    fields(seen)
    return say(summary_lines(known))


def _change(
    home: Home, given: str, named: str | None, act: str, body: Mapping[str, object] | None = None
) -> Answer:
    client = Client(home)
    found = names.agent(client, names.workspace(client, named)["id"], given)
    return client.post(f"/agents/{found['id']}/{act}", body)


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.pass_obj
def pause(home: Home, given: str, named: str | None) -> None:
    """Launches nothing more for it; what runs goes on to its end."""
    now = _change(home, given, named, "pause")
    click.echo(plain(_("{name} is paused.").format(name=now["name"])))


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.pass_obj
def resume(home: Home, given: str, named: str | None) -> None:
    """Lets it work again; what its pause kept back is queued anew."""
    now = _change(home, given, named, "resume")
    click.echo(plain(_("{name} may work again.").format(name=now["name"])))


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--now", is_flag=True, help=_("Ends what it works on, too."))
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.pass_obj
def stop(home: Home, given: str, now: bool, named: str | None) -> None:
    """Starts nothing more for it until you resume it; what runs ends by itself, or now."""
    seen = _change(home, given, named, "stop", {"now": now})
    click.echo(plain(_("{name} is stopped.").format(name=seen["name"])))


@agent.command()
@click.argument("given", metavar="NAME")
@click.option("--text", help=_("What it is told; - reads stdin."))
@click.option("--task", "task_given", metavar="T-N", help=_("What it is about; else nothing."))
@click.option(
    "--at", type=Later(), metavar="TIME", help=_("Not before: 2h, 1d, or 2026-03-08T06:30.")
)
@_workspace
@_json
@click.pass_obj
def wake(
    home: Home,
    given: str,
    text: str | None,
    task_given: str | None,
    at: datetime | timedelta | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Wakes it, now or later. What it leaves without a task is kept and enters no branch."""
    client = Client(home)
    found = names.agent(client, names.workspace(client, named)["id"], given)
    task = names.task(client, task_given, named) if task_given else None
    said = sys.stdin.read() if text == "-" else text
    now = clock_of(client)
    moment = now + at if isinstance(at, timedelta) else at
    made = client.post(
        f"/agents/{found['id']}/wake",
        {
            "context": {"text": said} if said else None,
            "task_id": task and task["id"],
            "at": moment and rfc3339(moment),
        },
    )
    if as_json:
        return show_json(made)
    if moment is not None and moment <= now:
        click.echo(_("That time has passed, so it is woken now."), err=True)
    until = made["scheduled_retry_at"]
    told = _("{name} will be woken at {at}.") if until else _("{name} is woken.")
    kept = None if until else _kept(client, made["id"], found)
    if kept:
        told = _("The wake of {name} is kept. {why}")
    click.echo(plain(told.format(name=found["name"], at=until and stamp(until), why=kept)))
    end = made["id"][-8:]
    more = _("Take it back: roundtable wakeup cancel {end}")
    if not until:
        more = _("See how it goes: roundtable explain wakeup {end}")
    return click.echo(more.format(end=end))


def _kept(client: Client, wakeup_id: str, agent: Answer) -> str | None:
    """Why it is not at work and not next: what is paused or at a limit is not woken by a word."""
    if agent["status"] in _OFF:  # its wakeup is claimed only to be settled
        return sentence(f"waits_agent_{agent['status']}", {"agent": agent["name"]})
    why = client.get(f"/wakeups/{wakeup_id}/explain")
    kept = why["code"].startswith(_KEPT) and why["code"] != "waits_turn"
    return str(why["sentence"]) if kept else None


@agent.command(name="try-now")
@click.argument("given", metavar="NAME")
@_workspace
@click.pass_obj
def try_now(home: Home, given: str, named: str | None) -> None:
    """Tries now whether the limit of its account is over; one run goes first."""
    now = _change(home, given, named, "try-now")
    seen = Client(home).get("/status")
    if seen["intake"] != "open":
        said = _("The limit of {account} holds nobody any more. {all}")
    elif now["status"] in _OFF:
        said = _("The limit of {account} holds nobody any more. {name} itself is {status}.")
    else:
        said = _("One run of {account} tries now. The others follow when its provider answers.")
    click.echo(plain(said.format(**now, all=seen["sentence"])))


agent.add_command(agent_tests.test)
COMMANDS = [agent]

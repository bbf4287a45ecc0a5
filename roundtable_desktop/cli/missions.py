"""Commands about missions."""

import sys
from collections.abc import Iterator

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names, whose
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.cli.proposals import what_now
from roundtable_desktop.model.missions import called
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import as_typed
from roundtable_desktop.phrases.instants import stamp

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_given = click.argument("given", metavar="MISSION")
_EDGES = {
    "hard": "after",
    "soft": "rather after",
    "conflict": "not with",
    "serialization": "in turn with",
}


@click.group()
def mission() -> None:
    """Goals that agents work towards together."""


@mission.command(name="list")
@click.option(
    "--state",
    metavar="STATE",
    callback=lambda _context, _option, typed: typed and as_typed(typed),
    help=_("Only those."),
)
@_workspace
@_json
@click.pass_obj
def list_(home: Home, state: str | None, named: str | None, as_json: bool) -> None:
    """Newest first."""
    client = Client(home)
    where = names.workspace(client, named)["id"]
    found = list(client.every("/missions", workspace_id=where, state=state))
    if as_json:
        return show_json(found)
    return table(map(_row, found), ["id", "state", "phase", "tasks", "started_at", "slug", "goal"])


def _row(one: Answer) -> Answer:
    return {
        **one,
        "tasks": progress(one["counts"]),
        "started_at": stamp(one["started_at"]),
        "goal": called(one["goal"]),
    }


def progress(counts: Answer) -> str:
    """How many of its tasks are over."""
    over = sum(counts[name] for name in ("done", "failed", "cancelled"))
    return _("{over} of {all}").format(over=over, all=sum(counts.values()))


@mission.command()
@_given
@click.option("--wave", type=click.IntRange(1), help=_("Why this wave was planned as it was."))
@_workspace
@_json
@click.pass_obj
def show(home: Home, given: str, wave: int | None, named: str | None, as_json: bool) -> None:
    """One mission: how it stands, its tasks and its last wave. MISSION is its slug or the end of
    its id."""
    client = Client(home)
    seen = client.get(f"/missions/{names.mission(client, given, named)['id']}")
    if as_json:
        return show_json(seen)
    planned = _wave(client, seen, wave)
    fields({**{name: seen[name] for name in _SHOWN}, "tasks": progress(seen["counts"])})
    click.echo(plain(seen["sentence"]))
    if seen["convergence"]["sentence"]:
        click.echo(plain(seen["convergence"]["sentence"]))
    for line in _what_waits(client, seen):
        click.echo(plain(line))
    _show_tasks(client, seen)
    if planned is not None:
        _show_wave(planned, seen)
    return None


_SHOWN = (
    *("id", "slug", "goal", "state", "phase", "outcome", "base_branch", "integration_branch"),
    *("delivery", "root_task_id", "started_at", "ended_at"),
)


def _what_waits(client: Client, seen: Answer) -> Iterator[str]:
    """For a person: what a change means for its tasks, and what it offers its base branch, with the
    commands for them."""
    held = set(seen["convergence"]["held_task_ids"])
    if held:
        waiting = ", ".join(f"T-{one['number']}" for one in seen["tasks"] if one["id"] in held)
        said = _("Until it is said what the change means these wait: {tasks}.")
        yield said.format(tasks=waiting)
        said = _("Say it: roundtable mission assess {slug} implementation, or architecture")
        yield said.format(slug=seen["slug"])
    of_root = {"workspace_id": seen["workspace_id"], "task_id": seen["root_task_id"]}
    offered = client.get("/proposals", **of_root)["items"]
    newest = next((one for one in offered if one["run_id"] is None), None)
    if newest is not None:
        yield _("What it comes to, for {branch}:").format(branch=seen["base_branch"])
        yield from what_now(newest, looks=False)


def _show_tasks(client: Client, seen: Answer) -> None:
    if not seen["tasks"]:
        return
    numbers = {one["id"]: f"T-{one['number']}" for one in seen["tasks"]}
    rows = [
        {
            **one,
            "task": numbers[one["id"]],
            "edges": "; ".join(_edge(edge, numbers) for edge in one["depends_on"]),
        }
        for one in whose.of_agents(client, seen["workspace_id"], seen["tasks"])
    ]
    click.echo()
    table(rows, ["task", "status", "agent", "wave", "edges", "title"])


def _edge(edge: Answer, numbers: dict[str, str]) -> str:
    other = numbers.get(edge["depends_on_task_id"], edge["depends_on_task_id"][-8:])
    return f"{_EDGES[edge['dependency_type']]} {other}"


def _wave(client: Client, seen: Answer, number: int | None) -> Answer | None:
    """The one of that number, else the newest."""
    found = [one for one in seen["waves"] if number in (None, one["number"])]
    if number is not None and not found:
        every = client.every(f"/missions/{seen['id']}/waves")
        found = [one for one in every if one["number"] == number]
        if not found:
            raise click.UsageError(_("it has no wave {number}").format(number=number))
    return found[0] if found else None


def _show_wave(wave: Answer, seen: Answer) -> None:
    numbers = {one["id"]: f"T-{one['number']}" for one in seen["tasks"]}
    said = _("Wave {number}, planned at {at}: {sentence}")
    click.echo()
    click.echo(
        plain(
            said.format(
                number=wave["number"], at=stamp(wave["created_at"]), sentence=wave["sentence"]
            )
        )
    )
    for one in wave["reasons"]:
        click.echo(plain(f"  {numbers.get(one['task_id'], '?')}: {one['sentence']}"))


@mission.command()
@click.argument("goal")
@click.option("--base", "base_branch", help=_("Default: the workspace's."))
@click.option("--coordinator", metavar="AGENT", help=_("Default: the workspace's coordinator."))
@click.option("--delivery", type=click.Choice(["approval", "auto"]))
@_workspace
@_json
@click.pass_obj
def add(
    home: Home,
    goal: str,
    base_branch: str | None,
    coordinator: str | None,
    delivery: str | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Sets a goal; GOAL as - reads stdin. Its coordinator is woken to make tasks of it."""
    client = Client(home)
    where = names.workspace(client, named)["id"]
    made = client.post(
        "/missions",
        {
            "workspace_id": where,
            "goal": sys.stdin.read() if goal == "-" else goal,
            "base_branch": base_branch,
            "delivery": delivery,
            "coordinator_agent_id": names.agent(client, where, coordinator)["id"]
            if coordinator
            else None,
        },
    )
    if as_json:
        return show_json(made)
    said = _("The mission is set. See how it goes: roundtable mission show {slug}")
    if made["coordinator_agent_id"] is None:
        said += "\n" + _(
            "It has no coordinator: add its tasks with roundtable task add TITLE --mission {slug}\n"
            "It is over once all its tasks are. To plan in peace: roundtable mission pause {slug}"
        )
    return click.echo(plain(said.format(slug=made["slug"])))


def _acted(home: Home, given: str, named: str | None, action: str) -> Answer:
    client = Client(home)
    return client.post(f"/missions/{names.mission(client, given, named)['id']}/{action}", {})


@mission.command()
@_given
@_workspace
@click.pass_obj
def pause(home: Home, given: str, named: str | None) -> None:
    """Starts nothing new of it; what runs goes on."""
    click.echo(plain(_acted(home, given, named, "pause")["sentence"]))


@mission.command()
@_given
@_workspace
@click.pass_obj
def resume(home: Home, given: str, named: str | None) -> None:
    """Lets it go on."""
    click.echo(plain(_acted(home, given, named, "resume")["sentence"]))


@mission.command()
@_given
@_workspace
@click.pass_obj
def stop(home: Home, given: str, named: str | None) -> None:
    """Stops it when what runs has ended by itself."""
    click.echo(plain(_acted(home, given, named, "stop")["sentence"]))


@mission.command(name="force-stop")
@_given
@_workspace
@_json
@click.pass_obj
def force_stop(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """Ends all its runs now, and says which processes those were."""
    acted = _acted(home, given, named, "force-stop")
    if as_json:
        show_json(acted)
    else:
        for one in acted["killed"]:
            click.echo(plain(_("ended {pid} {name}").format(pid=one["pid"], name=one["name"])))
        for one in acted["survivors"]:
            said = _("could not end {pid} {name}")
            click.echo(plain(said.format(pid=one["pid"], name=one["name"])), err=True)
        click.echo(plain(acted["sentence"]))
    sys.exit(1 if acted["survivors"] else 0)


@mission.command()
@_given
@_workspace
@click.pass_obj
def reopen(home: Home, given: str, named: str | None) -> None:
    """Takes up one that was stopped, blocked or given up."""
    click.echo(plain(_acted(home, given, named, "reopen")["sentence"]))


@mission.command()
@_given
@click.argument("text")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help=_("One that it touches."))
@_workspace
@click.pass_obj
def require(home: Home, given: str, text: str, tasks: tuple[str, ...], named: str | None) -> None:
    """Asks something otherwise from now on; TEXT as - reads stdin. The tasks that it touches are
    not started until it is said what it means for them."""
    client = Client(home)
    seen = names.mission(client, given, named)
    touched = [names.task(client, one, named)["id"] for one in tasks]
    words = sys.stdin.read() if text == "-" else text
    body = {"text": words, "task_ids": touched}
    changed = client.post(f"/missions/{seen['id']}/requirements", body)
    held = len(changed["convergence"]["held_task_ids"])
    click.echo(
        _("It is asked so from now on. Tasks that wait for what it means: {n}").format(n=held)
    )


@mission.command()
@_given
@click.argument("impact", type=click.Choice(["implementation", "architecture"]))
@click.option("--note", default="", help=_("Kept with it."))
@_workspace
@click.pass_obj
def assess(home: Home, given: str, impact: str, note: str, named: str | None) -> None:
    """Says what the changes so far mean, so that what waited for that goes on: only how parts are
    made, or also how they fit together."""
    client = Client(home)
    seen = names.mission(client, given, named)
    body = {"impact": impact, "note": note}
    click.echo(plain(client.post(f"/missions/{seen['id']}/impact", body)["sentence"]))


COMMANDS = [mission]

"""Commands about tasks."""

import sys
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import board, gates, lists, names, planning, whose
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.lists import worded
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.cli.proposals import what_now
from roundtable_desktop.phrases import _

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))


@click.group()
def task() -> None:
    """Work to do."""


@task.command()
@click.argument("title")
@click.option("--description", default="", help=_("What the agent is told; - reads stdin."))
@click.option(
    "--agent",
    "agent_name",
    help=_("Default: the workspace's only agent; in a mission whoever has the least to do."),
)
@click.option("--unassigned", is_flag=True, help=_("Wake nobody yet."))
@click.option("--base", "base_branch", help=_("Default: the workspace's."))
@click.option("--delivery", type=click.Choice(["approval", "auto"]))
@click.option("--retry-budget", type=click.IntRange(0, 20))
@click.option("--project", help=_("A label; settings of the workspace may name it."))
@click.option("--model", help=_("What the agent is to use. Default: what is set for the agent."))
@click.option("--after", multiple=True, metavar="TASK", help=_("Not before TASK is done."))
@click.option("--parent", metavar="TASK", help=_("As a part of TASK."))
@click.option(
    "--look-only",
    is_flag=True,
    help=_("Its agent looks and reports; what it changes in its copy is discarded."),
)
@click.option(
    "--where",
    "strategy",
    type=click.Choice(["isolated_copy", "worktree"]),
    help=_(
        "A copy apart, or a linked working tree of the repository: made faster, with its branches, "
        "but its agent can move them, and change hooks and configuration; that is told, and not "
        "put back. Default: the workspace's."
    ),
)
@click.option("--requires-approval", is_flag=True, help=_("Done only when you say so."))
@gates.judged
@planning.planned
@_workspace
@_json
@click.pass_obj
def add(
    home: Home,
    /,
    title: str,
    description: str,
    agent_name: str | None,
    unassigned: bool,
    base_branch: str | None,
    delivery: str | None,
    retry_budget: int | None,
    project: str | None,
    model: str | None,
    after: tuple[str, ...],
    parent: str | None,
    look_only: bool,
    strategy: str | None,
    requires_approval: bool,
    named: str | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Adds a task and wakes its agent."""
    client = Client(home)
    workspace = names.workspace(client, named)
    nobody = unassigned or (agent_name is None and more["mission"] is not None)
    assignee = None if nobody else names.agent(client, workspace["id"], agent_name)
    text = sys.stdin.read() if description == "-" else description
    made = client.post(
        "/tasks",
        {
            "workspace_id": workspace["id"],
            "title": title,
            "description": text,
            "assignee_agent_id": assignee and assignee["id"],
            "base_branch": base_branch,
            "delivery": delivery,
            "retry_budget": retry_budget,
            "project": project,
            "model": model,
            "parent_id": names.task(client, parent, named)["id"] if parent else None,
            "blocked_by": [names.task(client, one, named)["id"] for one in after] or None,
            "requires_approval": requires_approval or None,
            "workspace_strategy": _strategy(strategy, look_only=look_only),
            **planning.body_of(client, named, more),
            **gates.body_of(**more),
        },
    )
    if as_json:
        return show_json(made)
    who = assignee["name"] if assignee else _("nobody yet")
    if assignee is None and made["mission_id"] and not unassigned:
        who = _("whoever its wave names")
    said = _("T-{number} is for {agent}. See how it goes: roundtable task show T-{number}")
    click.echo(plain(said.format(number=made["number"], agent=who)))
    if made["waiting_for"]:
        click.echo(_("It waits for {tasks}.").format(tasks=board.numbers(made["waiting_for"])))
    return None


def _strategy(named: str | None, *, look_only: bool) -> str | None:
    if look_only and named:
        raise click.UsageError(_("Use either --look-only or --where."))
    return "main" if look_only else named


@task.command(name="list")
@lists.status
@lists.of_agent
@click.option("--text", "words", help=_("Only those that have these words in them."))
@click.option("--hidden", is_flag=True, help=_("Those that routines made, too."))
@click.option("--mission", metavar="MISSION", help=_("Only those of this mission."))
@_workspace
@_json
@click.pass_obj
def list_(
    home: Home,
    status_: str | None,
    agent_name: str | None,
    words: str | None,
    hidden: bool,
    mission: str | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Newest first."""
    client = Client(home)
    about = lists.about(client, named, agent_name)
    filters = {
        "workspace_id": about["workspace_id"],
        "assignee_agent_id": about["agent_id"],
        "status": status_,
        "q": words,
        "hidden": hidden or None,
        "mission_id": names.mission(client, mission, named)["id"] if mission else None,
    }
    found = list(client.every("/tasks", **filters))
    if as_json:
        return show_json(found)
    rows = [
        {**one, "task": f"T-{one['number']}", "waits_for": board.numbers(one["waiting_for"])}
        for one in whose.of_agents(client, str(about["workspace_id"]), found)
    ]
    return table(rows, ["task", "status", "agent", "waits_for", "title", "id"])


@task.command()
@click.argument("given", metavar="TASK")
@_workspace
@_json
@click.pass_obj
def show(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """One task, its attempts and what it proposes. TASK is T-3, 3 or the end of an id."""
    client = Client(home)
    seen = names.task(client, given, named)
    attempts = client.get(f"/tasks/{seen['id']}/attempts")["items"]
    offered = client.get("/proposals", task_id=seen["id"])["items"]
    explained = client.get(f"/tasks/{seen['id']}/explain")
    if as_json:
        return show_json({**seen, "attempts": attempts, "proposals": offered})
    about = planning.worded({name: seen[name] for name in _SHOWN})
    reason = (seen["blocked"] or {}).get("reason")
    fields({**about, "reason": reason, "waits_for": board.numbers(seen["waiting_for"])})
    click.echo(plain(explained["sentence"]))
    _say_gates(client, seen)
    if attempts:
        click.echo()
        table(
            [
                {**worded(run), "attempt": run["attempt_index"], "run": run["id"]}
                for run in attempts
            ],
            ["attempt", "status", "outcome", "run", "started_at", "ended_at"],
        )
        _say_last_words(client, attempts)
    if offered:
        click.echo()
        table(map(_offer, offered), ["proposal", "status", "files"])
        for line in what_now(offered[0], looks=False):
            click.echo(plain(line))
    return None


def _say_gates(client: Client, seen: Answer) -> None:
    if seen["gates"]:
        click.echo()
        for line in gates.told(seen["gates"], whose.names_of(client, seen["workspace_id"])):
            click.echo(plain(line))


def _say_last_words(client: Client, attempts: list[Answer]) -> None:
    """Of the newest attempt that is over: what its agent said, or what went wrong with it."""
    over = [run for run in attempts if run["ended_at"]]
    seen = client.get(f"/runs/{over[-1]['id']}") if over else {}
    said = seen and (seen["output_summary"] or (seen["error"] or {}).get("text"))
    if said:
        click.echo()
        click.echo(_("Its agent said last:"))
        click.echo(plain(said))


_SHOWN = (
    "id",
    "number",
    "title",
    "description",
    "status",
    "base_branch",
    "delivery",
    "workspace_strategy",
    "project",
    "model",
    "acceptance",
    *planning.SHOWN,
)


def _offer(proposal: Answer) -> Answer:
    return {
        "proposal": proposal["id"],
        "status": proposal["status"],
        "files": ", ".join(change["path"] for change in proposal["files"]),
    }


@task.command()
@click.argument("given", metavar="TASK")
@click.option("--title", help=_("What it is called."))
@click.option("--description", help=_("What is to be done; - reads stdin."))
@click.option("--acceptance", help=_("By what its work is judged."))
@click.option("--project", help=_("A label; an empty one takes it away."))
@click.option("--model", help=_("What its agent is to use; an empty one: what is set for it."))
@planning.replanned
@_workspace
@click.pass_obj
def edit(home: Home, /, given: str, named: str | None, **words: Any) -> None:
    """Changes a task, from its next run on. What is not named stays."""
    planned = planning.changes(words)
    if words["description"] == "-":
        words["description"] = sys.stdin.read()
    texts = ("title", "description", "acceptance")
    empty = {name: "" if name in texts else None for name in words}
    said_so = {name: said or empty[name] for name, said in words.items() if said is not None}
    changes = {**said_so, **planned}
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    client = Client(home)
    seen = names.task(client, given, named)
    client.patch(f"/tasks/{seen['id']}", changes)
    said = _("Changed {what} of T-{number}; it holds from its next run on.")
    click.echo(said.format(what=", ".join(sorted(changes)), number=seen["number"]))


@task.command()
@click.argument("given", metavar="TASK")
@click.argument("agent_name", metavar="AGENT")
@_workspace
@click.pass_obj
def assign(home: Home, given: str, agent_name: str, named: str | None) -> None:
    """Gives the task to AGENT and wakes it."""
    client = Client(home)
    seen = names.task(client, given, named)
    agent = names.agent(client, seen["workspace_id"], agent_name)
    client.patch(f"/tasks/{seen['id']}", {"assignee_agent_id": agent["id"]})
    said = _("T-{number} is for {agent} now.")
    click.echo(plain(said.format(number=seen["number"], agent=agent["name"])))


@task.command()
@click.argument("given", metavar="TASK")
@click.argument("text")
@_workspace
@click.pass_obj
def comment(home: Home, given: str, text: str, named: str | None) -> None:
    """Says something about the task and wakes its agent with it; TEXT as - reads stdin."""
    client = Client(home)
    seen = names.task(client, given, named)
    said = sys.stdin.read() if text == "-" else text
    client.post(f"/tasks/{seen['id']}/comments", {"text": said})
    if seen["status"] in ("done", "cancelled"):
        told = _("Kept with T-{number}, which is {status}: nobody is woken for it any more.")
    elif seen["assignee_agent_id"] is None:
        told = _("Kept with T-{number}; it wakes nobody until an agent is assigned.")
    else:
        told = _("Said. The agent of T-{number} is woken with it.")
    click.echo(told.format(number=seen["number"], status=seen["status"]))


for command in board.COMMANDS:
    task.add_command(command)
COMMANDS = [task]

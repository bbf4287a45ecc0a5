"""The commands that list runs and wakeups, and the filters that lists share."""

from datetime import UTC, datetime

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names, routines, whose
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import Moment
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import word
from roundtable_desktop.phrases.instants import stamp

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_limit = click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
status = click.option("--status", "status_", metavar="STATUS", help=_("Only those."))
of_agent = click.option("--agent", "agent_name", metavar="NAME", help=_("Only this agent's."))
of_task = click.option("--task", "task_given", metavar="TASK", help=_("Only those of this task."))


def worded(row: Answer) -> Answer:
    """Codes as words and instants as people read them; programs take --json."""
    words = {name: word(row[name]) for name in _CODES if name in row}
    return {**row, **words, **{name: stamp(row[name]) for name in _TIMES if row.get(name)}}


_CODES = ("outcome", "source", "reason", "held_by", "cancel_reason")
_TIMES = (
    *("created_at", "requested_at", "scheduled_retry_at", "claimed_at"),
    *("started_at", "ended_at", "finished_at", "last_pulse_at", "at"),
)


def about(
    client: Client, named: str | None, agent: str | None, task: str | None = None
) -> dict[str, object]:
    """The ids of what a list is about, as its filters."""
    where = names.workspace(client, named)["id"]
    return {
        "workspace_id": where,
        "agent_id": names.agent(client, where, agent)["id"] if agent else None,
        "task_id": names.task(client, task, named)["id"] if task else None,
    }


@click.command(name="list")
@status
@of_agent
@of_task
@click.option("--routine", "routine_given", metavar="ROUTINE", help=_("Only what it set off."))
@click.option("--wakeup", "wakeup_given", metavar="WAKEUP", help=_("Only those for this wakeup."))
@click.option("--since", type=Moment(), metavar="TIME", help=_("Begun then or later."))
@click.option("--until", type=Moment(), metavar="TIME", help=_("Begun before then."))
@_limit
@_workspace
@_json
@click.pass_obj
def runs(
    home: Home,
    status_: str | None,
    agent_name: str | None,
    task_given: str | None,
    routine_given: str | None,
    wakeup_given: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    named: str | None,
    as_json: bool,
) -> None:
    """Newest first."""
    client = Client(home)
    query = about(client, named, agent_name, task_given)
    if routine_given:
        query["routine_id"] = routines.find(client, routine_given, named)["id"]
    if wakeup_given:
        query["wakeup_id"] = client.get(f"/wakeups/{names.ref(wakeup_given)}")["id"]
    query |= {"since": _sent(since), "until": _sent(until)}
    found = client.get("/runs", status=status_, limit=limit, **query)["items"]
    columns = ["id", "status", "outcome", "task", "agent", "attempt_index"]
    _show(client, query, found, [*columns, "started_at", "ended_at"], as_json)


def _sent(moment: datetime | None) -> str | None:
    """A time without a zone is of this machine's."""
    return None if moment is None else rfc3339(moment.astimezone(UTC))


@click.command(name="list")
@status
@click.option("--source", metavar="SOURCE", help=_("Only of this kind of cause."))
@of_agent
@of_task
@_limit
@_workspace
@_json
@click.pass_obj
def wakeups(
    home: Home,
    status_: str | None,
    source: str | None,
    agent_name: str | None,
    task_given: str | None,
    limit: int,
    named: str | None,
    as_json: bool,
) -> None:
    """Newest first."""
    client = Client(home)
    query = about(client, named, agent_name, task_given)
    found = client.get("/wakeups", status=status_, source=source, limit=limit, **query)["items"]
    columns = ["id", "status", "outcome", "task", "agent", "source", "reason", "retry_count"]
    _show(client, query, found, [*columns, "requested_at", "scheduled_retry_at"], as_json)


def _show(
    client: Client,
    query: dict[str, object],
    found: list[Answer],
    columns: list[str],
    as_json: bool,
) -> None:
    if as_json:
        return show_json(found)
    where = str(query["workspace_id"])
    told = whose.of_tasks(client, where, map(worded, found))
    return table(whose.of_agents(client, where, told), columns)

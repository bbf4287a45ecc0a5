"""The commands that list runs and wakeups, and the filters that lists share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import update_wrapper

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names, whose
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import Moment
from roundtable_desktop.cli.output import show_json, table
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.codes import as_typed, word
from roundtable_desktop.phrases.instants import stamp

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_limit = click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
status = click.option(
    "--status",
    "status_",
    metavar="STATUS",
    callback=lambda _context, _option, typed: typed and as_typed(typed),
    help=_("Only those."),
)
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What every list of what agents did is asked for, as it was given."""

    status: str | None
    agent: str | None
    task: str | None
    limit: int
    named: str | None
    as_json: bool


def _listing(show: Callable[..., None]) -> Callable[..., None]:
    """A command with those options, which are handed to it as one."""

    def command(
        home: Home,
        status_: str | None,
        agent_name: str | None,
        task_given: str | None,
        limit: int,
        named: str | None,
        as_json: bool,
        **more: object,
    ) -> None:
        wanted = Wanted(status_, agent_name, task_given, limit, named, as_json)
        return show(home, wanted, **more)

    made: Callable[..., None] = click.pass_obj(update_wrapper(command, show))
    for option in (_json, _workspace, _limit, of_task, of_agent, status):
        made = option(made)
    return made


@click.command(name="list")
@click.option("--routine", "routine_given", metavar="ROUTINE", help=_("Only what it set off."))
@click.option("--wakeup", "wakeup_given", metavar="WAKEUP", help=_("Only those for this wakeup."))
@click.option("--since", type=Moment(), metavar="TIME", help=_("Begun then or later."))
@click.option("--until", type=Moment(), metavar="TIME", help=_("Begun before then."))
@_listing
def runs(
    home: Home,
    wanted: Wanted,
    routine_given: str | None,
    wakeup_given: str | None,
    since: datetime | None,
    until: datetime | None,
) -> None:
    """Newest first."""
    client = Client(home)
    query = about(client, wanted.named, wanted.agent, wanted.task)
    if routine_given:
        query["routine_id"] = names.routine(client, routine_given, wanted.named)["id"]
    if wakeup_given:
        query["wakeup_id"] = client.get(f"/wakeups/{names.ref(wakeup_given)}")["id"]
    query |= {"since": _sent(since), "until": _sent(until)}
    columns = ["id", "status", "outcome", "task", "agent", "attempt_index"]
    _show(client, "/runs", query, wanted, [*columns, "started_at", "ended_at"])


def _sent(moment: datetime | None) -> str | None:
    """A time without a zone is of this machine's."""
    return None if moment is None else rfc3339(moment.astimezone(UTC))


@click.command(name="list")
@click.option("--source", metavar="SOURCE", help=_("Only of this kind of cause."))
@_listing
def wakeups(home: Home, wanted: Wanted, source: str | None) -> None:
    """Newest first."""
    client = Client(home)
    query = about(client, wanted.named, wanted.agent, wanted.task) | {"source": source}
    columns = ["id", "status", "outcome", "task", "agent", "source", "reason", "retry_count"]
    _show(client, "/wakeups", query, wanted, [*columns, "requested_at", "scheduled_retry_at"])


def _show(
    client: Client, path: str, query: dict[str, object], wanted: Wanted, columns: list[str]
) -> None:
    found = client.get(path, status=wanted.status, limit=wanted.limit, **query)["items"]
    if wanted.as_json:
        return show_json(found)
    where = str(query["workspace_id"])
    told = whose.of_tasks(client, where, map(worded, found))
    return table(whose.of_agents(client, where, told), columns)

"""`roundtable demo`: practice mode, with a sample repository and built-in agents."""

import shutil
import tempfile
import threading
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain, table
from roundtable_desktop.demo import story
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.instants import stamp

_PATIENCE = 60.0  # seconds for all four tasks; they take about five


class Failed(click.ClickException):
    """The story did not come to its end (exit 1)."""


@click.command()
@click.option("--headless", is_flag=True, help=_("In the terminal only, then end."))
@click.option("--home", "folder", type=click.Path(path_type=Path), help=_("Default: a new one."))
@click.option("--keep", is_flag=True, help=_("Leave home and repository for a look."))
def demo(headless: bool, folder: Path | None, keep: bool) -> None:
    """Practice: four tasks, two agents, no key and no network. One of them fails once."""
    place = (folder or Path(tempfile.mkdtemp(prefix="roundtable-demo-"))).absolute()
    home, repository = Home(place / "home"), place / "tea-timer"
    try:
        _play(home, repository, headless)
    finally:
        if folder is None and not keep:
            shutil.rmtree(place, ignore_errors=True)
    if keep or folder:
        click.echo(_("Kept: {repository} and {home}").format(repository=repository, home=home.root))


def _play(home: Home, repository: Path, headless: bool) -> None:
    from roundtable_desktop.app import Owner
    from roundtable_desktop.offline import practice_git

    git = practice_git(home)
    if repository.exists():
        raise Failed(_("{path} exists already. Name another --home.").format(path=repository))
    git.make_sample(repository, story.FILES)
    owner = Owner(home, port=0)
    owner.start()
    try:
        client = Client(home)
        if not headless:
            page = home.write_redirect(client.post("/sign-in-links", {})["url"])
            if not home.show(page):
                click.echo(
                    _("No browser could be started. Open this file: {file}").format(file=page)
                )
        workspace = client.post("/workspaces", {"path": str(repository)})
        tasks = _set_tasks(client, workspace["id"])
        runs = _work(client, tasks)
        _deliver(client, tasks)
        _verify(runs, git.subjects(repository, "main"), tasks)
        if not headless:
            click.echo(_("The dashboard stays until you press Ctrl-C."))
            threading.Event().wait()
    except KeyboardInterrupt:
        click.echo()
    finally:
        owner.stop()


def _set_tasks(client: Client, workspace_id: str) -> list[Answer]:
    agents = {}
    for name in story.AGENTS:
        agent = {"name": name, "adapter": "demo", "cooldown_sec": 0}
        agents[name] = client.post("/agents", {"workspace_id": workspace_id, **agent})["id"]
    tasks = []
    for task in story.TASKS:
        told = {"title": task["title"], "description": task["description"]}
        assignee = {"assignee_agent_id": agents[task["agent"]]}
        tasks.append(client.post("/tasks", {"workspace_id": workspace_id, **told, **assignee}))
        said = _("T-{number} {title}: for {agent}")
        click.echo(plain(said.format(number=tasks[-1]["number"], **task)))
    return tasks


def _work(client: Client, tasks: list[Answer]) -> list[Answer]:
    """Waits for every task's proposal; answers all their runs, oldest first."""
    for task in tasks:
        seen = client.until(
            f"/tasks/{task['id']}",
            lambda one: one["status"] not in ("todo", "in_progress"),
            _PATIENCE,
        )
        if seen["status"] != "in_review":
            why = client.get(f"/tasks/{task['id']}/explain")["sentence"]
            raise Failed(plain(f"T-{task['number']}: {why}"))
    runs = [
        {**run, "task": f"T-{task['number']}"}
        for task in tasks
        for run in client.get(f"/tasks/{task['id']}/attempts")["items"]
    ]
    runs.sort(key=lambda run: str(run["started_at"]))
    click.echo()
    table(runs, ["task", "attempt_index", "outcome", "started_at", "ended_at"])
    return runs


def _deliver(client: Client, tasks: list[Answer]) -> None:
    click.echo()
    for task in tasks:
        offered = client.get("/proposals", task_id=task["id"])["items"][0]
        client.post(f"/proposals/{offered['id']}/deliver", {})
        seen = client.until(
            f"/proposals/{offered['id']}",
            lambda one: one["deliveries"][-1]["status"] != "intended",
            _PATIENCE,
        )
        click.echo(plain(f"T-{task['number']}: {seen['sentence']}"))
        if seen["status"] != "delivered":
            raise Failed(plain(f"T-{task['number']}: {seen['sentence']}"))


def _verify(runs: list[Answer], subjects: list[str], tasks: list[Answer]) -> None:
    """What the demo promises, checked against the runs and the branch itself."""
    click.echo()
    for subject in subjects:
        click.echo(plain(f"main: {subject}"))
    together = _overlapping(runs)
    again = [run for run in runs if run["attempt_index"] > 1]
    missing = [
        task["number"]
        for task in tasks
        if not any(subject.startswith(f"T-{task['number']}: ") for subject in subjects)
    ]
    if missing or not together or not again:
        raise Failed(_("The story did not come out as promised; see the table above."))
    click.echo()
    click.echo(
        _("{first} and {second} ran at the same time: {a} to {b}, and {c} to {d}.").format(
            first=together[0]["task"],
            second=together[1]["task"],
            a=stamp(together[0]["started_at"]),
            b=stamp(together[0]["ended_at"]),
            c=stamp(together[1]["started_at"]),
            d=stamp(together[1]["ended_at"]),
        )
    )
    click.echo(_("{task} failed once and was tried again.").format(task=again[0]["task"]))
    click.echo(_("All {count} tasks are on main.").format(count=len(tasks)))


def _overlapping(runs: list[Answer]) -> tuple[Answer, Answer] | None:
    """Two runs whose times overlap; RFC 3339 in UTC compares as text."""
    for place, first in enumerate(runs):
        for second in runs[place + 1 :]:
            if str(second["started_at"]) < str(first["ended_at"]):
                return first, second
    return None


COMMANDS = [demo]

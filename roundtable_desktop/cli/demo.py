"""`roundtable demo`: practice mode, with a sample repository and built-in agents."""

import shutil
import tempfile
import threading
import time
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.names import OFFICE
from roundtable_desktop.cli.output import plain
from roundtable_desktop.cli.practice import Failed, Told, Witness
from roundtable_desktop.demo import story
from roundtable_desktop.phrases import _

_PATIENCE = 180.0  # seconds for the mission; it takes about twenty


@click.command()
@click.option("--headless", is_flag=True, help=_("In the terminal only, then end."))
@click.option("--home", "folder", type=click.Path(path_type=Path), help=_("Default: a new one."))
@click.option("--keep", is_flag=True, help=_("Leave home and repository for a look."))
def demo(headless: bool, folder: Path | None, keep: bool) -> None:
    """Practice: a mission with five built-in agents, no key and no network. It plans, works side by
    side, fails and tries again, settles a conflict, is reviewed, and is delivered."""
    place = (folder or Path(tempfile.mkdtemp(prefix="roundtable-demo-"))).absolute()
    home, repository = Home(place), place / "tea-timer"
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
    for name, text in story.OWN.items():
        (repository / name).write_text(text, encoding="utf-8")
    own = git.changed(repository)
    owner = Owner(home, port=0)
    owner.start()
    try:
        client = Client(home)
        if not headless:
            _show(home, client)
        began = time.monotonic()
        mission, routine = _act(client, repository)
        witness = Witness(client, mission, routine)
        said = witness.verify(git, repository, own)
        click.echo()
        click.echo("\n".join(map(plain, said)))
        seconds = time.monotonic() - began
        click.echo(_("The story took {seconds:.0f} s.").format(seconds=seconds))
        if not headless:
            click.echo(_("The dashboard stays until you press Ctrl-C."))
            threading.Event().wait()
    except KeyboardInterrupt:
        click.echo()
    finally:
        owner.stop()


def _show(home: Home, client: Client) -> None:
    page = home.write_redirect(client.post("/sign-in-links", {})["url"])
    if not home.show(page):
        click.echo(_("No browser could be started. Open this file: {file}").format(file=page))


def _act(client: Client, repository: Path) -> tuple[Answer, Answer]:
    """What a person does: the mission as it is when it is delivered, and the routine's firing."""
    told = Told(client)
    workspace = client.post("/workspaces", {"path": str(repository)})
    config = f"/workspaces/{workspace['id']}/config"
    client.post(config, {"action": "accept", "sha": client.get(config)["sha"]})
    agents = {}
    for agent in story.AGENTS:
        made = {"workspace_id": workspace["id"], "adapter": "demo", "cooldown_sec": 0, **agent}
        agents[agent["name"]] = client.post("/agents", made)["id"]
    goal = {"workspace_id": workspace["id"], "goal": story.GOAL, "delivery": "approval"}
    mission = client.post("/missions", goal)
    told.of(mission)
    _until_over(client, mission, told)
    _deliver(client, mission, told)
    routine = {"workspace_id": workspace["id"], "assignee_agent_id": agents["cora"]}
    firing = _fire(client, {**routine, **story.ROUTINE}, told)
    return client.get(f"/missions/{mission['id']}"), firing


def _until_over(client: Client, mission: Answer, told: Told) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        told.more()
        seen = client.get(f"/missions/{mission['id']}")
        if seen["state"] not in ("starting", "active", "degraded"):
            break
        time.sleep(0.2)
    told.more()
    if seen["state"] != "completed":
        waits = "".join(
            f"\nT-{task['number']} {task['title']}: {task['status']}. {task['sentence']}"
            for task in seen["tasks"]
            if task["status"] != "done"
        )
        raise Failed(plain(f"{seen['sentence']}{waits}"))


def _deliver(client: Client, mission: Answer, told: Told) -> None:
    """The person's word, after the checks: what the mission came to goes onto their branch."""
    path = f"/proposals?task_id={mission['root_task_id']}"
    offered = client.until(path, lambda one: bool(one["items"]), _PATIENCE)["items"]
    if not offered:
        raise Failed(_("The mission offers nothing."))
    proposal = f"/proposals/{offered[0]['id']}"
    client.until(proposal, lambda one: not any(map(_is_open, one["checks"])), _PATIENCE)
    told.more()
    client.post(f"{proposal}/deliver", {})
    seen = client.until(
        proposal, lambda one: one["deliveries"][-1]["status"] != "intended", _PATIENCE
    )
    told.more()
    if seen["status"] != "delivered":
        raise Failed(plain(seen["sentence"]))


def _is_open(check: Answer) -> bool:
    return bool(check["status"] == "asked")


def _fire(client: Client, routine: Answer, told: Told) -> Answer:
    """A routine of the same agents, set off by hand: waiting for a time would take too long."""
    made = client.post(OFFICE, routine)
    client.post(f"{OFFICE}/{made['id']}/fire", {})
    over = ("done", "failed", "cancelled", "skipped", "coalesced")
    seen = client.until(
        f"{OFFICE}/{made['id']}",
        lambda one: bool(one["recent_runs"]) and one["recent_runs"][0]["status"] in over,
        _PATIENCE,
    )
    told.more()
    firing: Answer = seen["recent_runs"][0]
    return firing


COMMANDS = [demo]

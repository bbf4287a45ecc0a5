"""What people type for a thing: a name, T-3, or the end of an id."""

import os
import re

import click

from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.phrases import _

_TASK = re.compile(r"(?:[tT]-?)?(\d{1,9})")


def workspace(client: Client, named: str | None) -> Answer:
    """The named one, else the one that the current folder lies in, else the only one."""
    known = list(client.every("/workspaces"))
    if named is not None:
        found = [one for one in known if named == one["name"] or one["id"].endswith(named)]
        return _only(found, _("no workspace is called {given}").format(given=named))
    here = os.path.realpath(".")
    inside = [one for one in known if _contains(os.path.realpath(one["path"]), here)]
    if inside:
        return max(inside, key=lambda one: len(one["path"]))
    return _only(known, _("this folder is in no workspace: run `roundtable init`, or name one"))


def agent(client: Client, workspace_id: str, named: str | None) -> Answer:
    """The named one, else the workspace's only one."""
    known = list(client.every("/agents", workspace_id=workspace_id))
    if named is None:
        return _only(known, _("name an agent with --agent, or add one: roundtable agent add"))
    found = [one for one in known if named == one["name"] or one["id"].endswith(named)]
    return _only(found, _("no agent is called {given}").format(given=named))


def task(client: Client, given: str, workspace_name: str | None) -> Answer:
    """T-3 or 3 in its workspace, else the end of an id."""
    number = _TASK.fullmatch(given)
    if number is None:
        return client.get(f"/tasks/{given}")
    workspace_id = workspace(client, workspace_name)["id"]
    found = client.get("/tasks", workspace_id=workspace_id, number=number[1])["items"]
    return _only(found, _("there is no task {given} here").format(given=given))


def _contains(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _only(found: list[Answer], otherwise: str) -> Answer:
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted(str(one.get("name", one["id"])) for one in found))
    raise click.UsageError(f"{otherwise} ({names})" if names else otherwise)

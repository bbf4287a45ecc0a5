"""What people type for a thing: a name, T-3, or the end of an id."""

import os
import re

import click

from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain
from roundtable_desktop.phrases import _

OFFICE = "/api/office/routines"
_TASK = re.compile(r"(?:[tT]-?)?(\d{1,9})")
_REF = re.compile(r"[0-9a-z]{6,64}")


def workspace(client: Client, named: str | None) -> Answer:
    """The named one, else the one that the current folder lies in, else the only one; never
    another repository than the one that the person stands in."""
    known = list(client.every("/workspaces"))
    if named is not None:
        return called(known, named, _("no workspace is called {given}").format(given=named))
    here = os.path.realpath(".")
    if inside := _around(known, here):
        return inside
    if repository := _repository(here):
        said = _("{path} is not registered: run `roundtable init`, or name one with --workspace")
        raise _puzzled(said.format(path=repository), known)
    if len(known) > 1:
        raise _puzzled(_("this folder is in no workspace; name one with --workspace"), known)
    return _only(known, _("there is no workspace yet: run `roundtable init` in a repository"))


def containing(client: Client, path: str) -> Answer | None:
    """The workspace that a folder lies in."""
    return _around(list(client.every("/workspaces")), os.path.realpath(path))


def _around(known: list[Answer], here: str) -> Answer | None:
    inside = [one for one in known if _contains(os.path.realpath(one["path"]), here)]
    return max(inside, key=lambda one: len(one["path"]), default=None)


def agent(client: Client, workspace_id: str, named: str | None) -> Answer:
    """The named one, else the workspace's only one."""
    known = list(client.every("/agents", workspace_id=workspace_id))
    if named is not None:
        return called(known, named, _("no agent is called {given}").format(given=named))
    if len(known) > 1:
        raise _puzzled(_("there is more than one agent; name one with --agent"), known)
    return _only(known, _("there is no agent yet; add one: roundtable agent add"))


def task(client: Client, given: str, workspace_name: str | None) -> Answer:
    """T-3 or 3 in its workspace, else the end of an id."""
    number = _TASK.fullmatch(given)
    if number is None:
        return client.get(f"/tasks/{ref(given)}")
    workspace_id = workspace(client, workspace_name)["id"]
    found = client.get("/tasks", workspace_id=workspace_id, number=number[1])["items"]
    return _only(found, _("there is no task {given} here").format(given=given))


def routines(client: Client, named: str | None) -> list[Answer]:
    """Those of a workspace, newest first."""
    return list(client.every(OFFICE, workspace_id=workspace(client, named)["id"]))


def routine(client: Client, given: str, named: str | None) -> Answer:
    """By its name or the end of its id."""
    otherwise = _("no routine is called {given}").format(given=given)
    return called(routines(client, named), given, otherwise)


def mission(client: Client, given: str, named: str | None) -> Answer:
    """By its slug in the workspace, else the end of its id."""
    where = workspace(client, named)["id"]
    for one in client.every("/missions", workspace_id=where):
        if one["slug"] == given:
            return one
    return client.get(f"/missions/{ref(given)}")


def is_ref(given: str) -> bool:
    return _REF.fullmatch(given.strip().lower()) is not None


def ref(given: str) -> str:
    """What can be the end of an id: anything else would be another address of the API."""
    end = given.strip().lower()
    if not _REF.fullmatch(end):
        said = _("“{given}” is no id; give at least the last 6 characters of one")
        raise click.UsageError(plain(said.format(given=given)))
    return end


def _repository(here: str) -> str | None:
    """The repository that this folder lies in, registered or not."""
    while not os.path.lexists(os.path.join(here, ".git")):
        here, below = os.path.dirname(here), here
        if here == below:
            return None
    return here


def _contains(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def called(known: list[Answer], named: str, otherwise: str) -> Answer:
    """By its whole name, which is another for each, else by the end of its id."""
    end = named.lower()
    ends = [one for one in known if _REF.fullmatch(end) and one["id"].endswith(end)]
    found = [one for one in known if one["name"] == named] or ends
    if len(found) > 1:
        said = _("“{given}” fits more than one; name it by the end of its id: {ends}")
        those = ", ".join(sorted(one["id"][-8:] for one in found))
        raise click.UsageError(plain(said.format(given=named, ends=those)))
    return _only(found, otherwise)


def _only(found: list[Answer], otherwise: str) -> Answer:
    if not found:
        raise click.UsageError(plain(otherwise))
    return found[0]


def _puzzled(text: str, choice: list[Answer]) -> click.UsageError:
    names = ", ".join(sorted(str(one["name"]) for one in choice))
    return click.UsageError(plain(f"{text}: {names}" if names else text))

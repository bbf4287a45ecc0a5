"""The command about a repository's `.roundtable/config.yaml`."""

import shlex
from collections.abc import Mapping
from typing import Any

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client, Said
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.config import DID


@click.command()
@click.argument("given", metavar="NAME", required=False)
@click.option("--accept", metavar="SHA", help=_("Take over exactly the content with this sha."))
@click.option("--keep", is_flag=True, help=_("Ask no more about what stands there now."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def config(home: Home, given: str | None, accept: str | None, keep: bool, as_json: bool) -> None:
    """What .roundtable/config.yaml asks for, and your word on it.

    Nothing in the file takes effect before you accept it, and then as it was shown to you. NAME:
    default, the workspace of this folder.
    """
    if accept and keep:
        raise click.UsageError(_("accept it or keep what is, not both"))
    client = Client(home)
    workspace = names.workspace(client, given)
    path = f"/workspaces/{workspace['id']}/config"
    seen = client.post(path, {"action": "look"})
    if accept:
        done = client.post(path, {"action": "accept", "sha": accept})
        return show_json(done) if as_json else _told_done(seen, done)
    if keep and seen["sha"] is not None:  # where there is no file, that is said, and all is kept
        seen = client.post(path, {"action": "keep", "sha": seen["sha"]})
    return show_json(seen) if as_json else _told(workspace, seen)


def _told_done(before: Answer, after: Answer) -> None:
    click.echo(_state(after))
    if before["changes"]:
        table(map(change, before["changes"]), ["what", "name", "did", "fields"])


def _told(workspace: Answer, seen: Answer) -> None:
    click.echo(_state(seen))
    for fault in seen["faults"]:
        line = _("line {n}: ").format(n=fault["line"]) if fault["line"] else ""
        click.echo(plain(f"  {line}{fault['sentence']}"))
    if seen["state"] in ("absent", "accepted"):
        return
    click.echo(plain(f"\n{seen['difference'] or _('Only what is not shown differs.')}\n"))
    if seen["changes"]:
        click.echo(_("Accepting it would do this:"))
        table(map(change, seen["changes"]), ["what", "name", "did", "fields"])
    elif not seen["faults"]:
        click.echo(_("Accepting it would change nothing."))
    command = f"roundtable workspace config {shlex.quote(workspace['name'])}"
    if not seen["faults"]:
        click.echo(plain(_("Accept it: {c} --accept {sha}").format(c=command, sha=seen["sha"])))
    if seen["state"] != "kept":
        click.echo(plain(_("Keep what is: {c} --keep").format(c=command)))


def _state(seen: Answer) -> str:
    return plain(sentence(f"config_state_{seen['state']}", seen))


def change(one: Answer) -> Answer:
    did = _(DID[one["did"]]) if one["did"] in DID else one["did"]
    return {**one, "did": did, "fields": ", ".join(one["fields"])}


def written(client: Client, workspace: Mapping[str, Any]) -> Answer:
    """The file of a repository that was just registered: written, or as it stands there."""
    try:
        return client.post(f"/workspaces/{workspace['id']}/config", {"action": "write"})
    except Said as refused:
        if refused.problem.get("code") != "config_not_written":
            raise
        return {"state": "absent", "wrote": False, "problem": str(refused)}


def told_at_first(seen: Mapping[str, Any]) -> None:
    if seen.get("problem"):
        click.echo(plain(str(seen["problem"])))
    elif seen["wrote"]:
        click.echo(_("Wrote .roundtable/config.yaml, which changes nothing until you edit it."))
    elif seen["state"] in ("waiting", "broken"):
        click.echo(_state(dict(seen)))
        click.echo(_("Look at it: roundtable workspace config"))

"""Commands about a routine's webhooks: addresses, secrets, calls and what came."""

import sys

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.names import OFFICE
from roundtable_desktop.cli.output import plain, show_json, table
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.curling import curl
from roundtable_desktop.phrases.instants import stamp

_workspace = click.option("--workspace", "named", help=_("Default: the one of this folder."))
_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))
_given = click.argument("given", metavar="ROUTINE")
_which = click.option(
    "--id", "which", metavar="ID", help=_("Which one: the end of its id. Default: the only one.")
)
_mode = click.option(
    "--mode",
    type=click.Choice(["hmac_sha256", "bearer", "none"]),
    help=_("How a call shows that it may."),
)
_secret = click.option(
    "--secret-stdin", "own", is_flag=True, help=_("Reads the secret from stdin; else one is made.")
)
_unsigned = click.option(
    "--accept-unsigned", is_flag=True, help=_("With --mode none: whoever knows the address may.")
)


@click.group()
def webhook() -> None:
    """What lets a program set a routine off. Its secret is shown once, when it is made."""


@webhook.command()
@_given
@_mode
@_secret
@_unsigned
@_workspace
@_json
@click.pass_obj
def add(
    home: Home,
    given: str,
    mode: str | None,
    own: bool,
    accept_unsigned: bool,
    named: str | None,
    as_json: bool,
) -> None:
    """Adds one, and says its address, its secret and a call for a shell."""
    client = Client(home)
    seen = names.routine(client, given, named)
    wanted = {"kind": "webhook", **_signs(mode, own, accept_unsigned)}
    changed = _put(client, seen, [*_kept(seen), wanted])
    before = {one["id"] for one in seen["triggers"]}
    made = next(one for one in _hooks(changed) if one["id"] not in before)
    _say(changed, made, as_json)


@webhook.command(name="list")
@_given
@_workspace
@_json
@click.pass_obj
def list_(home: Home, given: str, named: str | None, as_json: bool) -> None:
    """A routine's webhooks, with their addresses."""
    found = _hooks(names.routine(Client(home), given, named))
    return show_json(found) if as_json else table(map(_row, found), _COLUMNS)


@webhook.command()
@_given
@_which
@_workspace
@click.pass_obj
def call(home: Home, given: str, which: str | None, named: str | None) -> None:
    """A call of it for a shell; put its secret in where it says so."""
    seen = names.routine(Client(home), given, named)
    hook = _only(seen, which)
    click.echo(plain(curl(hook["signing_mode"], hook["url"], seen["variables"], None)), nl=False)


@webhook.command()
@_given
@_which
@_secret
@_workspace
@_json
@click.pass_obj
def rotate(
    home: Home, given: str, which: str | None, own: bool, named: str | None, as_json: bool
) -> None:
    """Gives it a new secret; that of before counts for 24 hours as well."""
    changed, hook = _change(home, given, which, named, {"rotate": True, **_signs(None, own, False)})
    _say(changed, hook, as_json)


@webhook.command()
@_given
@_which
@_mode
@_secret
@_unsigned
@_workspace
@_json
@click.pass_obj
def edit(
    home: Home,
    given: str,
    which: str | None,
    mode: str | None,
    own: bool,
    accept_unsigned: bool,
    named: str | None,
    as_json: bool,
) -> None:
    """Changes how a call shows that it may, or its secret, at once."""
    changes = _signs(mode, own, accept_unsigned)
    if not changes:
        raise click.UsageError(_("say what to change; --help names what can be"))
    _say(*_change(home, given, which, named, changes), as_json)


@webhook.command()
@_given
@_which
@_workspace
@click.pass_obj
def on(home: Home, given: str, which: str | None, named: str | None) -> None:
    """Takes calls again."""
    changed, _hook = _change(home, given, which, named, {"enabled": True})
    click.echo(plain(_("The webhook of {name} is on.").format(name=changed["name"])))


@webhook.command()
@_given
@_which
@_workspace
@click.pass_obj
def off(home: Home, given: str, which: str | None, named: str | None) -> None:
    """Refuses every call until it is on again."""
    changed, _hook = _change(home, given, which, named, {"enabled": False})
    click.echo(plain(_("The webhook of {name} is off.").format(name=changed["name"])))


@webhook.command()
@_given
@_which
@_workspace
@click.pass_obj
def remove(home: Home, given: str, which: str | None, named: str | None) -> None:
    """Takes it away; its address is nobody's any more."""
    client = Client(home)
    seen = names.routine(client, given, named)
    hook = _only(seen, which)
    _put(client, seen, _kept(seen, but=hook["id"]))
    click.echo(plain(_("The webhook of {name} is gone.").format(name=seen["name"])))


@webhook.command()
@_given
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@_workspace
@_json
@click.pass_obj
def deliveries(home: Home, given: str, limit: int, named: str | None, as_json: bool) -> None:
    """What came, signed well, and what became of it; newest first. A call that may not is in the
    log alone."""
    client = Client(home)
    seen = names.routine(client, given, named)
    found = client.get(f"{OFFICE}/{seen['id']}/deliveries", limit=limit)["items"]
    return show_json(found) if as_json else table(map(_delivery, found), _CAME)


_COLUMNS = ["id", "mode", "state", "last", "url"]
_CAME = ["at", "delivery_id", "again", "firing", "sentence"]


def _row(one: Answer) -> Answer:
    on_or_off = _("on") if one["enabled"] else _("off")
    return {
        "id": one["id"],
        "mode": one["signing_mode"],
        "state": _("its secret is gone") if one["secret_missing"] else on_or_off,
        "last": one["last_fired_at"] and stamp(one["last_fired_at"]),
        "url": one["url"],
    }


def _delivery(one: Answer) -> Answer:
    return {
        **one,
        "at": stamp(one["at"]),
        "again": one["repeats"] or None,
        "firing": one["firing_id"] and one["firing_id"][-8:],
    }


def _signs(mode: str | None, own: bool, accept_unsigned: bool) -> Answer:
    """What was said of how it is signed; what was not stays as it is."""
    said: Answer = {} if mode is None else {"signing_mode": mode}
    if own:
        said["secret"] = sys.stdin.readline().rstrip("\r\n")
    return said | ({"accept_unsigned": True} if accept_unsigned else {})


def _hooks(seen: Answer) -> list[Answer]:
    return [one for one in seen["triggers"] if one["kind"] == "webhook"]


def _kept(seen: Answer, but: str = "") -> list[Answer]:
    """All its triggers as they are: what a change does not name would be taken away."""
    return [{"id": one["id"]} for one in seen["triggers"] if one["id"] != but]


def _put(client: Client, seen: Answer, triggers: list[Answer]) -> Answer:
    """Refused where one came or went since it was read: that one would be taken away."""
    path, body = f"{OFFICE}/{seen['id']}", {"triggers": triggers}
    return client.patch(path, body, revision=seen["revision"])


def _only(seen: Answer, which: str | None) -> Answer:
    hooks = _hooks(seen)
    found = [one for one in hooks if which is None or one["id"].endswith(which.lower())]
    if len(found) == 1:
        return found[0]
    if not hooks:
        raise click.UsageError(plain(_("{name} has no webhook").format(name=seen["name"])))
    ends = ", ".join(one["id"][-8:] for one in hooks)
    said = _("{name} has these webhooks; name one with --id: {ends}")
    raise click.UsageError(plain(said.format(name=seen["name"], ends=ends)))


def _change(
    home: Home, given: str, which: str | None, named: str | None, changes: Answer
) -> tuple[Answer, Answer]:
    """The routine as it is then, and the webhook."""
    client = Client(home)
    seen = names.routine(client, given, named)
    hook = _only(seen, which)
    wanted = [*_kept(seen, but=hook["id"]), {"id": hook["id"], **changes}]
    changed = _put(client, seen, wanted)
    return changed, next(one for one in _hooks(changed) if one["id"] == hook["id"])


def _say(seen: Answer, hook: Answer, as_json: bool) -> None:
    """With the secret, where one was made just now."""
    if as_json:
        return show_json(hook)
    click.echo(plain(hook["url"]))
    if hook["secret"]:
        click.echo(plain(_("Secret, shown this once: {secret}").format(secret=hook["secret"])))
    if hook["previous_until"]:
        said = _("The secret of before counts until {until}.")
        click.echo(plain(said.format(until=stamp(hook["previous_until"]))))
    click.echo()
    text = curl(hook["signing_mode"], hook["url"], seen["variables"], hook["secret"])
    return click.echo(plain(text), nl=False)

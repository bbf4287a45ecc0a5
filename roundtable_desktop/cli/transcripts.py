"""The command about what an agent printed."""

import os
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.transcripts import left_out, size


@click.command()
@click.argument("given", metavar="RUN")
@click.option("--find", "words", help=_("Only the lines that have this in them."))
@click.option(
    "--save",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help=_("Write all of it into a new file, as it was printed."),
)
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def transcript(home: Home, given: str, words: str | None, file: Path | None, as_json: bool) -> None:
    """What an agent printed, from its beginning. RUN is the end of its id.

    What would drive the terminal is left out here; --save keeps it.
    """
    client = Client(home)
    path = f"/runs/{names.ref(given)}"
    if file is not None:
        return save(client, f"{path}/transcript/download", file)
    seen = client.get(path)
    if words and words.strip():
        return _find(client, seen["id"], words.strip(), as_json)
    return print_transcript(client, seen["id"], as_json=as_json)


def print_transcript(client: Client, run_id: str, *, as_json: bool) -> None:
    for entry in client.onwards(f"/runs/{run_id}/transcript"):
        if as_json:
            show_json(entry)
        elif entry["dropped"]:
            click.echo("\n" + left_out(entry["dropped"]))
        else:
            click.echo(plain(entry["text"]), nl=False)


def _find(client: Client, run_id: str, words: str, as_json: bool) -> None:
    """Exit code 1 when there is none, as of other programs that look for lines."""
    found = False
    for entry in client.onwards(f"/runs/{run_id}/transcript", q=words):
        found = True
        show_json(entry) if as_json else click.echo(plain(entry["text"]))
    if not found:
        click.echo(plain(_("No line has “{words}” in it.").format(words=words)), err=True)
        raise SystemExit(1)


def save(client: Client, path: str, file: Path) -> None:
    """What is there is never written over."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600)
    except OSError as error:
        why = _("{file} cannot be made: {why}.").format(file=file, why=error.strerror)
        raise click.ClickException(plain(why)) from None
    with open(descriptor, "wb") as saved:
        for piece in client.download(path):
            saved.write(piece)
        written = saved.tell()
    told = _("Saved {size} into {file}.").format(size=size(written), file=file)
    click.echo(plain(told), err=True)

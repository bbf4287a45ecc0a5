"""The command that shows what happens."""

import time
from collections.abc import Iterator

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli.client import Answer, Client, Said, Unreachable
from roundtable_desktop.cli.output import plain, show_json
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.instants import stamp

_CODES, _WORDS = "/events", "/events/told"
_AGAIN = 1.0  # seconds between two looks for an owner that is gone
_POLL = 5.0  # seconds between two looks while all its streams are taken


@click.command()
@click.option("--follow", is_flag=True, help=_("Go on as things happen; Ctrl-C ends it."))
@click.option(
    "--after",
    type=click.IntRange(min=0),
    help=_(
        "The number of the last event that you have. Default: all are shown; with --follow none."
    ),
)
@click.option("--json", "as_json", is_flag=True, help=_("For programs: one object a line."))
@click.pass_obj
def watch(home: Home, follow: bool, after: int | None, as_json: bool) -> None:
    """What happened, oldest first: number, time, and who did what.

    No event is left out or shown twice when you go on --after the last number that you saw.
    """
    path = _CODES if as_json else _WORDS
    found = _following(home, after, path) if follow else _known(Client(home), after or 0, path)
    try:
        for event in found:
            show_json(event, indent=None) if as_json else click.echo(line(event))
    except KeyboardInterrupt:
        return


def _known(client: Client, after: int, path: str, **query: object) -> Iterator[Answer]:
    while items := (page := client.get(path, after=after, limit=200, **query))["items"]:
        yield from items
        after = page["next_cursor"]


class _Crowded(Exception):
    """The owner has no stream left; after: the last event that was told all the same."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after


def _following(home: Home, after: int | None, path: str) -> Iterator[Answer]:
    """Also over restarts of the owner, once it was there."""
    met, told = False, ""
    while True:
        pause, why = _AGAIN, ""
        try:
            for number, event in _turn(Client(home), after, path):
                met, after = True, number
                if event is not None:
                    yield event
                else:
                    told = ""
        except _Crowded as crowded:
            met, after = True, crowded.after
            pause, why = _POLL, _("All event streams are taken. Looking every 5 s…")
        except Unreachable:
            if not met:
                raise
            why = _("The owner is gone. Waiting for it to come back…")
        if why not in ("", told):
            click.echo(why, err=True)
        told = why
        time.sleep(pause)


def _turn(client: Client, after: int | None, path: str) -> Iterator[tuple[int, Answer | None]]:
    """One stream until it ends, each event with its id, and before them, with None, the id after
    which they begin. Raises _Crowded after one look at what is new while all streams are taken."""
    try:
        found = client.stream(after)
        yield from found if path == _CODES else _worded(client, found)
    except Said as refused:
        if refused.problem.get("status") != 503:
            raise
    else:
        return
    last: int = client.get("/status")["last_event"] if after is None else after
    for event in _known(client, last, path):
        last = event["id"]
        yield last, event
    raise _Crowded(last)


def _worded(
    client: Client, found: Iterator[tuple[int, Answer | None]]
) -> Iterator[tuple[int, Answer | None]]:
    """A stream has codes: it says that there is something new, which is had in words."""
    last = 0
    for number, event in found:
        if event is None:
            last = number
            yield number, None
        elif number > last:
            for told in _known(client, last, _WORDS):
                last = told["id"]
                yield last, told


def of_run(client: Client, run_id: str) -> Iterator[str]:
    """What happened to it, in lines."""
    return map(line, _known(client, 0, _WORDS, run_id=run_id))


def line(told: Answer) -> str:
    return "  ".join(plain(word) for word in (str(told["id"]), stamp(told["at"]), told["sentence"]))


COMMANDS = [watch]

"""Commands about runs and wakeups."""

import sys

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import lists, names
from roundtable_desktop.cli.artifacts import artifacts
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.events import of_run
from roundtable_desktop.cli.lists import worded
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.cli.shown import causes, run_lines, say
from roundtable_desktop.cli.shown import report as report_of
from roundtable_desktop.cli.transcripts import print_transcript, transcript
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.gates import gate_word

_json = click.option("--json", "as_json", is_flag=True, help=_("For programs."))


@click.group()
def runs() -> None:
    """What agents did."""


runs.add_command(lists.runs)


@runs.command()
@click.argument("given", metavar="RUN")
@_json
@click.pass_obj
def recover(home: Home, given: str, as_json: bool) -> None:
    """Proposes what a failed run, or one without a task, left. RUN is the end of its id."""
    made = Client(home).post(f"/runs/{names.ref(given)}/recover", {})
    if as_json:
        return show_json(made)
    said = _("Proposal {proposal} holds what it left: see “roundtable proposal show {proposal}”.")
    return click.echo(said.format(proposal=made["id"][-8:]))


@runs.command(name="show")
@click.argument("given", metavar="RUN")
@click.option("--transcript", "printed", is_flag=True, help=_("What it printed."))
@click.option("--prompt", is_flag=True, help=_("What it was told."))
@click.option("--report", is_flag=True, help=_("What it reported, as it was sent."))
@_json
@click.pass_obj
def show_run(
    home: Home, given: str, printed: bool, prompt: bool, report: bool, as_json: bool
) -> None:
    """One run. RUN is the end of its id."""
    client = Client(home)
    seen = client.get(f"/runs/{names.ref(given)}")
    if printed:
        return print_transcript(client, seen["id"], as_json=as_json)
    if as_json:
        return show_json(seen)
    if prompt:
        return click.echo(plain(seen["assembled_prompt"]))
    if report:
        return click.echo(plain(report_of(seen)))
    shown = worded(seen)
    fields({name: shown[name] for name in _SHOWN})
    why = client.get(f"/runs/{seen['id']}/explain")["sentence"]
    click.echo(plain(why))
    say(run_lines(seen, why))
    if seen["processes"]:
        click.echo()
        columns = ["pid", "role", "name", "alive", "cpu", "rss", "started_at"]
        table(map(worded, seen["processes"]), columns)
    return None


_SHOWN = (
    "id",
    "status",
    "outcome",
    "wakeup_id",
    "task_id",
    "attempt_index",
    "model",
    "model_from",
    "base_commit",
    "started_at",
    "ended_at",
    "exit_code",
    "output_summary",
    "left_commit",
)


@runs.command()
@click.argument("given", metavar="RUN")
@_json
@click.pass_obj
def diff(home: Home, given: str, as_json: bool) -> None:
    """What it changed: its proposal, or what it left without a task. RUN is the end of its id."""
    seen = Client(home).get(f"/runs/{names.ref(given)}/diff")
    if as_json:
        return show_json(seen)
    if seen["head_commit"] is None:
        return click.echo(_("There is nothing to compare: it left no change (yet)."))
    click.echo(plain(seen["diff"]), nl=False)
    if not seen["diff_complete"]:
        said = _("… the rest is left out here; see it with: git diff {base} {head}")
        click.echo(said.format(base=seen["base_commit"], head=seen["head_commit"]))
    return None


@runs.command()
@click.argument("given", metavar="RUN")
@_json
@click.pass_obj
def events(home: Home, given: str, as_json: bool) -> None:
    """What happened to it, oldest first. RUN is the end of its id."""
    client, ref = Client(home), names.ref(given)
    if as_json:
        return show_json(list(client.onwards(f"/runs/{ref}/events")))
    for line in of_run(client, client.get(f"/runs/{ref}")["id"]):
        click.echo(line)
    return None


def _over(run: Answer) -> bool:
    return run["status"] in _OVER


def _left(run: Answer) -> list[int]:
    return [one["pid"] for one in run["processes"] if one["alive"]]


@runs.command(name="cancel")
@click.argument("given", metavar="RUN")
@click.pass_obj
def cancel_run(home: Home, given: str) -> None:
    """Ends a run with all its processes. Its task stands still until you say how it goes on."""
    client, ref = Client(home), names.ref(given)
    client.post(f"/runs/{ref}/cancel", {})
    seen = client.until(f"/runs/{ref}", _over, _LADDER_SECONDS)
    if not _over(seen):
        raise click.ClickException(_("It is told to end, and has not ended yet."))
    seen = client.until(f"/runs/{ref}", lambda run: not _left(run), _LAST_TO_GO)
    left = _left(seen)
    click.echo(plain(_("Run {end} has ended.").format(end=seen["id"][-8:])))
    if left:
        raise click.ClickException(_("These are left: {pids}").format(pids=left))
    if seen["task_id"]:
        told = _("A comment on its task, or “roundtable task run”, lets it go on.")
        click.echo(told)


@runs.command()
@click.argument("given", metavar="RUN")
@click.argument("text")
@click.pass_obj
def message(home: Home, given: str, text: str) -> None:
    """Tells a running agent something; it hears it when its present turn ends. - reads stdin."""
    said = sys.stdin.read() if text == "-" else text
    Client(home).post(f"/runs/{names.ref(given)}/message", {"text": said})
    click.echo(
        _("It is told, and hears it when its present turn ends: see “roundtable runs show”.")
    )


_OF_CAUSES = ("payload", "context_snapshot")
_OVER = ("finished", "failed", "cancelled")
_LADDER_SECONDS = 20.0
_LAST_TO_GO = 10.0  # seconds, however late the end came: the runner goes after it told of it


runs.add_command(transcript)
runs.add_command(artifacts)


@click.group()
def wakeup() -> None:
    """Why agents were woken, or were not."""


wakeup.add_command(lists.wakeups)


@wakeup.command(name="show")
@click.argument("given", metavar="WAKEUP")
@_json
@click.pass_obj
def show_wakeup(home: Home, given: str, as_json: bool) -> None:
    """One wakeup with every gate's answer. WAKEUP is the end of its id."""
    client = Client(home)
    seen = client.get(f"/wakeups/{names.ref(given)}")
    if as_json:
        return show_json(seen)
    decisions = seen.pop("decisions")
    shown = worded(seen)
    fields({name: one for name, one in shown.items() if name not in _OF_CAUSES})
    click.echo(plain(client.get(f"/wakeups/{seen['id']}/explain")["sentence"]))
    if told := list(causes(seen)):
        click.echo()
        table(told, ["cause", "at", "said"])
    if decisions:
        click.echo()
        gates = [{**worded(one), "gate": gate_word(one["gate"])} for one in decisions]
        table(gates, ["gate", "at", "sentence"])
    return None


@wakeup.command()
@click.argument("given", metavar="WAKEUP")
@click.pass_obj
def cancel(home: Home, given: str) -> None:
    """Takes one back that still waits. WAKEUP is the end of its id."""
    gone = Client(home).post(f"/wakeups/{names.ref(given)}/cancel", {})
    click.echo(plain(_("Wakeup {end} will not run.").format(end=gone["id"][-8:])))


COMMANDS = [runs, wakeup]

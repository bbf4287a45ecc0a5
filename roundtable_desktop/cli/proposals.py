"""Commands about proposals."""

import sys
from collections.abc import Iterator

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import gates, lists, names, whose
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.lists import worded
from roundtable_desktop.cli.output import fields, plain, show_json, table
from roundtable_desktop.model.config import PATH
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.reviewing import VERDICT_WORDS

PATIENCE = 60.0  # seconds that `deliver` waits for git before it leaves the rest to the owner


@click.group()
def proposal() -> None:
    """What agents want in."""


@proposal.command(name="list")
@lists.status
@click.option(
    "--state",
    type=click.Choice(["waiting", "held", "delivered", "rejected", "replaced"]),
    help=_("Only those; what is held waits as well."),
)
@lists.of_agent
@lists.of_task
@click.option("--workspace", "named", help=_("Default: the one of this folder."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def list_(
    home: Home,
    status_: str | None,
    state: str | None,
    agent_name: str | None,
    task_given: str | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Newest first."""
    client = Client(home)
    query = lists.about(client, named, agent_name, task_given)
    found = list(client.every("/proposals", status=status_, state=state, **query))
    if as_json:
        return show_json(found)
    where = str(query["workspace_id"])
    told = whose.of_agents(client, where, whose.of_tasks(client, where, found))
    rows = [
        {**worded(one), "files": ", ".join(change["path"] for change in one["files"])}
        for one in told
    ]
    return table(rows, ["id", "status", "task", "agent", "title", "created_at", "files"])


@proposal.command()
@click.argument("given", metavar="PROPOSAL")
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def show(home: Home, given: str, as_json: bool) -> None:
    """One proposal with its diff. PROPOSAL is the end of its id."""
    client = Client(home)
    seen = client.get(f"/proposals/{names.ref(given)}")
    if as_json:
        return show_json(seen)
    fields({name: seen[name] for name in _SHOWN})
    for line in what_now(seen):
        click.echo(plain(line))
    if seen["outside_area"]:
        click.echo(plain(seen["outside_area"]["sentence"]))
    _say_reviews(client, seen)
    if any(change["path"] == PATH for change in seen["files"]):
        click.echo(sentence("proposal_has_config"))
    click.echo()
    click.echo(plain(seen["diff"]), nl=False)
    if not seen["diff_complete"]:
        click.echo(
            _("… the rest is left out here; see it with: git show {head}").format(
                head=seen["head_commit"]
            )
        )
    return None


def _say_reviews(client: Client, seen: Answer) -> None:
    known = whose.names_of(client, seen["workspace_id"]) if seen["gates"] else {}
    for line in (*gates.told(seen["gates"], known), *gates.said(seen["verdicts"])):
        click.echo(plain(line))
    for one in seen["checks"]:
        told = _("Check {name}: {status}").format(name=one["name"], status=one["status"])
        click.echo(plain(told))


_SHOWN = ("id", "status", "task_id", "run_id", "base_commit", "head_commit")


def what_now(seen: Answer, *, looks: bool = True) -> Iterator[str]:
    """How it is with it, and the commands that a person has for it now. looks: it is shown here."""
    if seen["sentence"]:
        yield seen["sentence"]
    end = seen["id"][-8:]
    if not looks and seen["status"] in _UNDECIDED:
        yield _("Look at it: roundtable proposal show {end}").format(end=end)
    if seen["status"] in _UNDECIDED and (seen["held"] or seen["gate_open"]):
        said = _("Deliver it all the same: roundtable proposal deliver {end} --override --note WHY")
        yield said.format(end=end)
    elif seen["status"] in _UNDECIDED or _is_held(seen):
        yield _("Deliver it: roundtable proposal deliver {end}").format(end=end)
    if _is_stuck(seen):
        yield _("Have it tried again: roundtable proposal rebase {end}").format(end=end)
    elif seen["run_id"] is None and (_is_held(seen) or _has_marks(seen)):
        yield _("Or have it settled: roundtable proposal rebase {end}").format(end=end)
    if seen["status"] in _UNDECIDED:
        yield _("Or send it back: roundtable proposal reject {end} --note WHY").format(end=end)


_UNDECIDED = ("pending", "in_review")


def _is_held(seen: Answer) -> bool:
    tries = seen["deliveries"]
    return bool(seen["status"] == "approved" and tries and tries[-1]["status"] == "held")


def _has_marks(seen: Answer) -> bool:
    return seen["status"] in _UNDECIDED and (seen["held"] or {}).get("code") == "conflict_marks"


def _is_stuck(seen: Answer) -> bool:
    """Its mission's branch could not take its base in."""
    tries = seen["deliveries"]
    offered = seen["run_id"] is None and seen["status"] == "conflicted"
    return bool(offered and tries and tries[-1]["status"] == "held")


@proposal.command()
@click.argument("given", metavar="PROPOSAL")
@click.option(
    "--override",
    is_flag=True,
    help=_("Although it is held, or its reviewers have not let it pass; needs --note."),
)
@click.option("--note", default="", help=_("Why; kept with the approval."))
@click.option("--json", "as_json", is_flag=True, help=_("For programs."))
@click.pass_obj
def deliver(home: Home, given: str, override: bool, note: str, as_json: bool) -> None:
    """Approves it and brings it onto its branch. No path that you have changed is touched."""
    client = Client(home)
    asked = client.post(
        f"/proposals/{names.ref(given)}/deliver", {"override": override, "note": note}
    )
    seen = client.until(f"/proposals/{asked['id']}", settled, PATIENCE)
    if as_json:
        show_json(seen)
    else:
        click.echo(plain(seen["sentence"]), err=seen["status"] not in _THERE)
    sys.exit(0 if seen["status"] in _THERE else 1)


_THERE = ("delivered", "merged")
"""Its branch has it: of a task of a mission that is the mission's own."""


def settled(seen: Answer) -> bool:
    return not seen["deliveries"] or seen["deliveries"][-1]["status"] != "intended"


@proposal.command()
@click.argument("given", metavar="PROPOSAL")
@click.option("--note", default="", help=_("What is missing; the agent reads it."))
@click.pass_obj
def reject(home: Home, given: str, note: str) -> None:
    """It does not go in as it is: its task goes back to its agent with the note."""
    seen = Client(home).post(f"/proposals/{names.ref(given)}/reject", {"note": note})
    click.echo(plain(seen["sentence"]))


@proposal.command()
@click.argument("given", metavar="PROPOSAL")
@click.argument("word", metavar="VERDICT", type=click.Choice(list(VERDICT_WORDS)))
@click.option("--note", default="", help=_("What you think of it."))
@click.option(
    "--finding",
    multiple=True,
    metavar="WHERE TEXT",
    help=_("As “src/app.py:12(major) off by one”."),
)
@click.pass_obj
def verdict(home: Home, given: str, word: str, note: str, finding: tuple[str, ...]) -> None:
    """What you say of it at the gate that is asked now, beside its reviewers: approve,
    approve_with_notes, revise, reject, abstain or veto."""
    client = Client(home)
    body = {"verdict": word, "note": note, "findings": [gates.finding_of(one) for one in finding]}
    seen = client.post(f"/proposals/{names.ref(given)}/verdicts", body)
    click.echo(plain(seen["sentence"]))


@proposal.command()
@click.argument("given", metavar="PROPOSAL")
@click.option("--note", default="", help=_("What the agent should know beside that."))
@click.pass_obj
def rebase(home: Home, given: str, note: str) -> None:
    """Its agent brings the work onto the branch as it is now; a new proposal comes of it. Of a
    mission: its own branch takes the base branch in, and a task settles what clashes."""
    seen = Client(home).post(f"/proposals/{names.ref(given)}/rebase", {"note": note})
    click.echo(plain(seen["sentence"]))


COMMANDS = [proposal]

"""How commands say what a task must pass, and show who said what of its work."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from roundtable_desktop.cli.client import Answer
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.reviewing import GATE_WORDS, VERDICT_WORDS

F = TypeVar("F", bound=Callable[..., Any])

_FINDING = re.compile(
    r"(?P<path>[^\s:]+)(?::(?P<line>[1-9]\d*))?(?:\((?P<how>[a-z]+)\))? (?P<text>.+)"
)


def judged(command: F) -> F:
    """The options of a task about by whom and by what its work is judged."""
    options = (
        click.option(
            "--review", multiple=True, metavar="AGENT", help=_("Its work is looked at by AGENT.")
        ),
        click.option(
            "--review-role",
            multiple=True,
            metavar="ROLE",
            help=_("Or by whoever has that role then, but for the work's own agent."),
        ),
        click.option(
            "--veto",
            multiple=True,
            metavar="ROLE",
            help=_("Whose veto sends it back at once. Default: everybody's."),
        ),
        click.option(
            "--needed", type=click.IntRange(1, 8), help=_("So many of them. Default: all.")
        ),
        click.option(
            "--approval", is_flag=True, help=_("Then by you, before it is done or delivered.")
        ),
        click.option("--acceptance", default="", help=_("By what its work is judged.")),
        click.option(
            "--expect", multiple=True, metavar="PATH", help=_("A file that it should change.")
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def body_of(
    review: tuple[str, ...],
    review_role: tuple[str, ...],
    veto: tuple[str, ...],
    needed: int | None,
    approval: bool,
    acceptance: str,
    expect: tuple[str, ...],
) -> Answer:
    """As the API takes it; what was not said is left out."""
    if (needed is not None or veto) and not (review or review_role):
        raise click.UsageError(_("--needed and --veto go with --review or --review-role."))
    gates: list[Answer] = []
    if review or review_role:
        gate = {"kind": "review", "agents": list(review), "needed": needed}
        more = {"roles": list(review_role)} if review_role else {}
        powers = {"veto": list(veto)} if veto else {}
        gates.append({**gate, **more, **powers})
    if approval:
        gates.append({"kind": "approval"})
    return {
        "gates": gates or None,
        "acceptance": acceptance or None,
        "expected_files": list(expect) or None,
    }


def told(gates: list[Answer], names: dict[str, str]) -> Iterator[str]:
    """One line a gate: whose, how many, and how it is with it."""
    for place, one in enumerate(gates, 1):
        what = _(GATE_WORDS[one["kind"]])
        if one["kind"] == "review":
            known = [names.get(agent, agent[-8:]) for agent in one["agents"]]
            who = ", ".join([*one["roles"], *known])
            of = _("{needed} of {count}").format(needed=one["needed"], count=len(one["agents"]))
            what = f"{what} ({who}; {of})"
        line = f"{place}. {what}: {_(GATE_WORDS[one['status']])}"
        if one["waits_for"] and one["status"] == "asked":
            line += " - " + _("waits for {names}").format(names=", ".join(one["waits_for"]))
        yield line


def said(verdicts: list[Answer]) -> Iterator[str]:
    """Each verdict, with its findings below it."""
    for one in verdicts:
        who = one["author"] or (_("You") if one["author_type"] == "person" else _("An agent"))
        word = _(VERDICT_WORDS[one["verdict"]])
        yield f"{who}: {word}" + (f" - {one['note']}" if one["note"] else "")
        for finding in one["findings"]:
            line = f":{finding['line']}" if finding.get("line") else ""
            yield f"  {finding['path']}{line} ({finding['severity']}): {finding['text']}"


def finding_of(given: str) -> Answer:
    """`src/app.py:12(major) off by one`: line and severity may be left out."""
    found = _FINDING.fullmatch(given)
    if found is None:
        raise click.UsageError(
            _("A finding is PATH, PATH:LINE or PATH:LINE(SEVERITY), and a text.")
        )
    line, how = found["line"], found["how"]
    return {
        "path": found["path"],
        "text": found["text"],
        **({"line": int(line)} if line else {}),
        **({"severity": how} if how else {}),
    }

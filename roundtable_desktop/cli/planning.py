"""How commands say by what a mission plans a task: its place, its write area, its models."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from roundtable_desktop.cli import names
from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.phrases import _

F = TypeVar("F", bound=Callable[..., Any])

SHOWN = ("mission_id", "purpose", "priority", "optional", "write_area", "model_policy")
"""Of a task, when it is shown."""
EDGES = {
    "rather_after": ("soft", "--rather-after", _("Rather after TASK, but it need not wait.")),
    "not_with": ("conflict", "--not-with", _("Not at the same time as TASK.")),
    "in_turn_with": ("serialization", "--in-turn-with", _("After TASK or before, one by one.")),
}
"""Besides --after, for tasks of one mission."""
_WRITES = click.option(
    "--writes",
    multiple=True,
    metavar="PATH",
    help=_("What it may change: a path or a glob; of two tasks that may write the same one waits."),
)
_PRIORITY = click.option(
    "--priority", type=click.IntRange(-100, 100), help=_("A higher one goes first. Default: 0.")
)
_POLICY = click.option(
    "--model-policy",
    type=click.Choice(["scheduler_forced", "agent_select"]),
    help=_("Whether exactly the first of its models is used, or its agent may choose."),
)
_MODELS = click.option(
    "--may-use", multiple=True, metavar="MODEL", help=_("One of those models; with --model-policy.")
)


def planned(command: F) -> F:
    """The options of a new task."""
    made = [
        click.option("--mission", metavar="MISSION", help=_("As a part of this mission.")),
        *(
            click.option(option, name, multiple=True, metavar="TASK", help=text)
            for name, (_kind, option, text) in EDGES.items()
        ),
        _WRITES,
        _PRIORITY,
        click.option("--optional", is_flag=True, help=_("Its mission can do without it.")),
        _POLICY,
        _MODELS,
    ]
    return _with(command, made)


def replanned(command: F) -> F:
    """Those that can be changed."""
    either = click.option(
        "--optional/--required", default=None, help=_("Whether its mission can do without it.")
    )
    return _with(command, [_WRITES, _PRIORITY, either, _POLICY, _MODELS])


def _with(command: F, options: list[Any]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def body_of(client: Client, named: str | None, words: dict[str, Any]) -> Answer:
    """As the API takes it; what was not said is left out. Takes its own out of `words`."""
    mission = words.pop("mission")
    drawn = [
        {"depends_on_task_id": names.task(client, one, named)["id"], "dependency_type": kind}
        for name, (kind, _option, _text) in EDGES.items()
        for one in words.pop(name)
    ]
    return {
        "mission_id": names.mission(client, mission, named)["id"] if mission else None,
        "depends_on": drawn or None,
        **changes(words),
    }


def changes(words: dict[str, Any]) -> Answer:
    """What is said of it; takes its own out of `words`."""
    kind, models = words.pop("model_policy"), words.pop("may_use")
    if models and not kind:
        raise click.UsageError(_("--may-use goes with --model-policy."))
    said = {
        "write_area": list(words.pop("writes")) or None,
        "priority": words.pop("priority"),
        "optional": words.pop("optional"),
        "model_policy": {"kind": kind, "models": list(models)} if kind else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def worded(about: Answer) -> Answer:
    """What is as it is of every task is left out."""
    policy = about["model_policy"]
    return {
        **about,
        "purpose": None if about["purpose"] == "work" else about["purpose"],
        "priority": about["priority"] or None,
        "optional": about["optional"] or None,
        "write_area": ", ".join(about["write_area"]) or None,
        "model_policy": policy and " ".join([policy["kind"], *policy["models"]]),
    }

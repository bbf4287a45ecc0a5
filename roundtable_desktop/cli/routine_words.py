"""What the command line says of a routine: what it is, when it comes, and what to beware of."""

from collections.abc import Iterator

import click

from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.moments import utc
from roundtable_desktop.cli.output import fields, plain, table
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.instants import stamp

_NEXT = ["next", "utc"]
_FIRED = ["scheduled_at", "source", "missed", "sentence"]
_CHANGED = ["at", "by", "what"]
_POLICIES = ("concurrency_policy", "catch_up_policy", "catch_up_max")
_TIMES = ("last_fired_at", "last_started_at", "last_succeeded_at")


def when(seen: Answer) -> str:
    fires = seen["next_fires"]
    if fires:
        return _("It fires next on {words}.").format(words=fires[0]["words"])
    if any(one["kind"] == "webhook" and one["enabled"] for one in seen["triggers"]):
        return _("It fires when its webhook is called.")
    return _("It fires when you say so: roundtable routine fire {end}").format(end=seen["id"][-8:])


def words(one: Answer) -> str:
    said = [trigger["words"] for trigger in one["triggers"] if trigger["words"]]
    hooks = [trigger for trigger in one["triggers"] if trigger["kind"] == "webhook"]
    return "; ".join([*said, *([_("by webhook")] if hooks else [])]) or _("by hand")


def coming(seen: Answer) -> None:
    """Its next fires, so that a schedule that means something else is seen at once."""
    if seen["next_fires"]:
        click.echo()
        fires = seen["next_fires"]
        table([{"next": one["words"], "utc": utc(one["at"])} for one in fires], _NEXT)
    for one in seen["usually_asleep"]:
        click.echo(plain(one["sentence"]))


def missed(span: Answer | None) -> str | None:
    """What was due and came to nothing."""
    if span is None:
        return None
    first, last = (stamp(span[end]) for end in ("first", "last"))
    if span["count"] == 1:
        return _("missed on {first}").format(first=first)
    said = _("missed {count} times, {first} to {last}")
    return said.format(count=span["count"], first=first, last=last)


def show(seen: Answer, agent: Answer) -> None:
    """All that a person wants to know of one, why it did not run last night among it."""
    fields(_facts(seen, agent))
    for trigger in seen["triggers"]:
        if trigger["words"]:
            about = (trigger["cron_expression"], trigger["timezone"], trigger["words"])
            click.echo(plain("{}  {}: {}".format(*about)))
        elif trigger["url"]:
            click.echo(plain(f"{trigger['url']}  {trigger['signing_mode']}"))
    coming(seen)
    if seen["recent_runs"]:
        click.echo()
        table(map(_fired, seen["recent_runs"]), _FIRED)
    click.echo()
    table(map(_change, seen["changes"]), _CHANGED)


def _facts(seen: Answer, agent: Answer) -> Answer:
    template = seen["task_template"] or {}
    return {
        **{name: seen[name] for name in ("id", "name", "status")},
        "agent": agent["name"],
        "description": seen["description"],
        "task": template.get("title"),
        "task_description": template.get("description"),
        "variables": ", ".join(map(_variable, seen["variables"])),
        **{name: seen[name] for name in _POLICIES},
        **{name: seen[name] and stamp(seen[name]) for name in _TIMES},
        "missed": missed(seen["missed"]),
    }


def _variable(one: Answer) -> str:
    default = one.get("default")
    value = "" if default is None else f"={default}"
    return f"{one['name']}{value}" + (_(" (needed)") if one.get("required") else "")


def _fired(one: Answer) -> Answer:
    """Those that were due and got no row of their own, or that its agent was told of."""
    told = one["missed"] or {}
    spans = [span for span in (told, told.get("left_out")) if span and span.get("count")]
    widest = max(spans, key=lambda span: int(span["count"]), default=None)
    return {**one, "scheduled_at": stamp(one["scheduled_at"]), "missed": missed(widest)}


def _change(event: Answer) -> Answer:
    data, kind = event["data"], event["kind"].removeprefix("routine.")
    what = kind
    if kind == "moved":
        what = f"{data['from']} → {data['to']}"
    elif kind == "changed":
        what = _("changed: {what}").format(what=", ".join(data["changed"]))
    return {"at": stamp(event["at"]), "by": event["actor_type"], "what": what}


def new_variables(seen: Answer, known: set[str]) -> str | None:
    """A misspelt name would else become an empty text, and nobody would know."""
    new = [one["name"] for one in seen["variables"] if one["name"] not in known]
    if not new:
        return None
    return _("New variables, which its texts use: {names}").format(names=", ".join(new))


def warnings(seen: Answer, agent: Answer) -> Iterator[str]:
    """What its schedule is not, and why it would come to nothing, each time."""
    crons = [one["cron_expression"] for one in seen["triggers"] if one["kind"] == "schedule"]
    if not crons:
        return
    yield from (said for cron in crons for said in _uneven(cron))
    without = [
        one["name"]
        for one in seen["variables"]
        if one.get("required") and one.get("default") in (None, "")
    ]
    if without:
        said = _(
            "But its schedule gives no value to {names}, which it needs: each such fire fails. "
            "Give a default."
        )
        yield said.format(names=", ".join(without))
    if seen["task_template"] is None and agent["skip_idle_wakeups"]:
        said = _(
            "But its schedule is passed over while {agent} has no task. If it is to run all the "
            "same: roundtable agent edit {agent} --no-skip-idle"
        )
        yield said.format(agent=agent["name"])


def _uneven(cron: str) -> Iterator[str]:
    from roundtable_desktop.rules.preview import uneven

    for remark in uneven(cron):
        yield sentence(remark.code, remark.values)


def fired(client: Client, routine: Answer, firing: Answer, given: bool) -> None:
    """What became of a fire by hand; given: whether values came with it."""
    click.echo(plain(f"{routine['name']}: {firing['sentence']}"))
    merged = firing["status"] == "coalesced" and firing["linked_task_id"]
    if merged and given:
        task = client.get(f"/tasks/{firing['linked_task_id']}")
        said = _("T-{number} goes on as it began: the values that you gave are not used.")
        click.echo(said.format(number=task["number"]), err=True)
    said = _("See how it goes: roundtable routine show {end}")
    click.echo(said.format(end=routine["id"][-8:]))

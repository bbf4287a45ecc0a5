"""What a repository's `.roundtable/config.yaml` asks for, and what accepting it would change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import chain
from typing import Any

from roundtable_desktop.model.config import Change, Consent, Fault, Wanted
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.records import Agent, Workspace
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import Adapter, AgentStatus, RoutineStatus, TriggerKind
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import parse

MOST_AGENTS = 100
_COMPARED = 250_000
"""Pairs of lines that a diff may look at: a hostile text makes it look at all of them, often."""

_WORKSPACE = ("timezone", "base_branch", "delivery")
_ROUTINE = (
    *("description", "concurrency_policy", "catch_up_policy", "catch_up_max", "task_template"),
    *("variables", "priority", "probe"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is there. agents, routines: those of the file, by their keys; others, their_routines:
    ids of those that a person made, by name."""

    workspace: Workspace
    agents: Mapping[str, Agent] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    routines: Mapping[str, tuple[Routine, Sequence[Trigger]]] = field(default_factory=dict)
    their_routines: Mapping[str, str] = field(default_factory=dict)

    def agent_id(self, key: str) -> str | None:
        """Of a key of the file, or of the name of an agent that a person made."""
        return self.agents[key].id if key in self.agents else self.others.get(key)


def members(wanted: Wanted) -> dict[str, dict[str, Any]]:
    """Every agent that it asks for, by its key; a pool of N is `<id>-1` to `<id>-N` (R-34)."""
    found: dict[str, dict[str, Any]] = {}
    for one in wanted.get("agents", ()):
        words = {name: value for name, value in one.items() if name not in ("id", "count", "name")}
        for key in _keys(one):
            called = one.get("name") if one.get("count") is None else None
            found[key] = {**words, "name": called or key}
    return found


def _keys(agent: Mapping[str, Any]) -> list[str]:
    if agent.get("count") is None:
        return [agent["id"]]
    return [f"{agent['id']}-{number}" for number in range(1, agent["count"] + 1)]


def faults(wanted: Wanted, standing: Standing) -> list[Fault]:
    """Why it cannot be accepted, though each part of it has the right form."""
    return [
        *_of_agents(wanted, standing),
        *_of_routines(wanted, standing),
        *_of_zone(wanted),
        *_of_checks(wanted),
    ]


def _of_checks(wanted: Wanted) -> Iterator[Fault]:
    names: set[str] = set()
    for place, one in enumerate(wanted.get("checks", ())):
        if one["name"] in names:
            yield Fault("config_twice", {"name": one["name"]}, f"/checks/{place}/name")
        if not (one["command"] or [""])[0]:
            yield Fault("command_empty", {}, f"/checks/{place}/command")
        names.add(one["name"])


def _of_agents(wanted: Wanted, standing: Standing) -> Iterator[Fault]:
    keys: set[str] = set()
    names: set[str] = set()
    asked, owned = wanted.get("agents", ()), _names_held(wanted, standing)
    if sum(len(_keys(one)) for one in asked) > MOST_AGENTS:
        yield Fault("config_too_many_agents", {"most": MOST_AGENTS}, "/agents")
        return
    for place, one in enumerate(asked):
        at = f"/agents/{place}"
        if one["adapter"] != Adapter.DEMO and not (one.get("command") or [""])[0]:
            yield Fault("command_empty", {}, f"{at}/command")
        for key, words in members({"agents": [one]}).items():
            name = words["name"]
            if key in keys or name in names:
                yield Fault("config_twice", {"name": name if name in names else key}, f"{at}/id")
            elif name in standing.others or owned.get(name, key) != key:
                yield Fault("config_agent_there", {"name": name}, f"{at}/id")
            keys.add(key)
            names.add(name)
            there = standing.agents.get(key)
            if there is not None and there.adapter != one["adapter"]:
                yield Fault("config_adapter", {"name": there.name}, f"{at}/adapter")


def _names_held(wanted: Wanted, standing: Standing) -> dict[str, str]:
    """By name, the keys of the file's agents that stay; one that is retired, or will be, gives its
    name up to whoever wants it."""
    stay = members(wanted)
    return {one.name: key for key, one in standing.agents.items() if key in stay}


def _of_routines(wanted: Wanted, standing: Standing) -> Iterator[Fault]:
    names: set[str] = set()
    agents = members(wanted)
    for place, one in enumerate(wanted.get("routines", ())):
        at, name = f"/routines/{place}", one["name"]
        if name in names:
            yield Fault("config_twice", {"name": name}, f"{at}/name")
        elif name in standing.their_routines:
            yield Fault("config_routine_there", {"name": name}, f"{at}/name")
        names.add(name)
        if one["agent"] not in agents and one["agent"] not in standing.others:
            yield Fault("config_no_agent", {"name": one["agent"]}, f"{at}/agent")
        for number, trigger in enumerate(one.get("triggers", ())):
            yield from _of_trigger(trigger, f"{at}/triggers/{number}")


def _of_trigger(trigger: Mapping[str, Any], at: str) -> Iterator[Fault]:
    try:
        parse(trigger["cron_expression"], f"{at}/cron_expression")
        zones.zone(trigger.get("timezone") or "", "UTC", f"{at}/timezone")
    except Invalid as invalid:
        yield Fault(invalid.code, invalid.values, invalid.pointer)


def _of_zone(wanted: Wanted) -> Iterator[Fault]:
    try:
        zones.zone(wanted.get("workspace", {}).get("timezone") or "", pointer="/workspace/timezone")
    except Invalid as invalid:
        yield Fault(invalid.code, invalid.values, invalid.pointer)


def changes(wanted: Wanted, consent: Consent, standing: Standing) -> list[Change]:
    """What accepting it does; only what it names is its own, and what a person has paused or
    stopped stays so (W-14)."""
    return [
        *_to_workspace(wanted, standing.workspace),
        *_to_agents(members(wanted), consent, standing),
        *_to_routines(wanted, consent, standing, _zone(wanted, standing.workspace)),
        *_to_checks(wanted, consent),
    ]


def _to_workspace(wanted: Wanted, workspace: Workspace) -> Iterator[Change]:
    asked = wanted.get("workspace", {})
    values = {name: asked[name] for name in _WORKSPACE if name in asked}
    if "timezone" in values:
        values["timezone"] = zones.zone(values["timezone"]).key
    if values := {n: value for n, value in values.items() if getattr(workspace, n) != value}:
        yield Change("workspace", workspace.name, "changed", values=values)


def _to_checks(wanted: Wanted, consent: Consent) -> Iterator[Change]:
    there = {one["name"]: one["command"] for one in consent.checks}
    asked = {one["name"]: one["command"] for one in wanted.get("checks", ())}
    for name, command in asked.items():
        if list(there.get(name, ())) != list(command):
            did = "changed" if name in there else "added"
            yield Change("check", name, did, values={"command": command})
    for name in there:
        if name not in asked:
            yield Change("check", name, "retired")


def _to_agents(
    wanted: Mapping[str, dict[str, Any]], consent: Consent, standing: Standing
) -> Iterator[Change]:
    for key, gone in standing.agents.items():  # first, for a new one may take its name
        if key not in wanted and gone.status is not AgentStatus.RETIRED:
            yield Change("agent", gone.name, "retired", key)
    for key, words in wanted.items():
        there = standing.agents.get(key)
        if there is None:
            yield Change("agent", words["name"], "added", key, words)
            continue
        if key in consent.resting and there.status is AgentStatus.RETIRED:
            yield Change("agent", there.name, "returned", key)
        if differing := {n: value for n, value in words.items() if _has(there, n) != value}:
            yield Change("agent", there.name, "changed", key, differing)


def _has(agent: Agent, name: str) -> object:
    return list(agent.command) if name == "command" else getattr(agent, name)


def _zone(wanted: Wanted, workspace: Workspace) -> str:
    return zones.zone(wanted.get("workspace", {}).get("timezone") or workspace.timezone).key


def _to_routines(
    wanted: Wanted, consent: Consent, standing: Standing, zone: str
) -> Iterator[Change]:
    asked = {one["name"]: one for one in wanted.get("routines", ())}
    for name, words in asked.items():
        if name not in standing.routines:
            if name not in consent.routines:  # else a person has put it away
                yield Change("routine", name, "added", name, words)
            continue
        routine, triggers = standing.routines[name]
        if routine.status is RoutineStatus.ARCHIVED:
            continue
        if differing := _unlike(words, routine, triggers, standing, zone):
            yield Change("routine", name, "changed", name, differing)
    for name, (routine, _) in standing.routines.items():
        if name not in asked and routine.status is not RoutineStatus.ARCHIVED:
            yield Change("routine", name, "archived", name)


def _unlike(
    words: Mapping[str, Any],
    routine: Routine,
    triggers: Sequence[Trigger],
    standing: Standing,
    zone: str,
) -> dict[str, Any]:
    template = routine.template
    there: dict[str, Any] = {
        **{name: getattr(routine, name) for name in _ROUTINE},
        "task_template": template
        and {"title": template.title, "description": template.description},
        "variables": [dict(one) for one in routine.variables],
    }
    found = {name: words[name] for name in _ROUTINE if name in words and words[name] != there[name]}
    if "variables" in found and _declared(found["variables"]) == _declared(there["variables"]):
        del found["variables"]
    if standing.agent_id(words["agent"]) != routine.assignee_agent_id:
        found["agent"] = words["agent"]
    if "triggers" in words:
        scheduled = [one for one in triggers if one.kind is TriggerKind.SCHEDULE]
        known = sorted((one.cron_expression or "", one.timezone or "") for one in scheduled)
        if sorted(due(one, zone) for one in words["triggers"]) != known:
            found["triggers"] = words["triggers"]
    return found


def _declared(variables: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Those that say more than that a name stands in a text, which makes one by itself."""
    said = ("type", "default", "required", "options")
    plain: dict[str, Any] = {"type": "text", "default": None, "required": False, "options": []}
    full = {one["name"]: {**plain, **{n: one[n] for n in said if n in one}} for one in variables}
    return {name: one for name, one in full.items() if one != plain}


def due(trigger: Mapping[str, Any], zone: str) -> tuple[str, str]:
    """By what two schedules are the same: the expression, and the zone that it is read in."""
    return trigger["cron_expression"].strip(), zones.zone(trigger.get("timezone") or "", zone).key


def difference(old: str, new: str) -> str:
    """From what was accepted, as a unified diff; of texts too long to be compared, all of both."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) * len(after) <= _COMPARED:
        lines = unified_diff(before, after, "accepted", "now", lineterm="")
    else:
        gone, come = (f"-{line}" for line in before), (f"+{line}" for line in after)
        lines = chain(("--- accepted", "+++ now"), gone, come)
    return "\n".join(lines)


def line_of(pointer: str, lines: Mapping[str, int]) -> int | None:
    """Where it stands, or what it is missing from."""
    while pointer and pointer not in lines:
        pointer = pointer.rpartition("/")[0]
    return lines.get(pointer)


TEMPLATE = """\
# How Roundtable is set up for this repository. Commit it, and others have it too.
# On each machine it takes effect once a person has accepted it there:
#   roundtable workspace config
# Keys and tokens do not belong here: roundtable agent edit NAME --env NAME=VALUE

version: 1

# workspace:
#   timezone: Europe/Berlin
#   base_branch: main
#   delivery: approval   # or auto
#
# agents:
#   - id: implementer    # with “count: 3” it is implementer-1 to implementer-3
#     role: worker
#     adapter: command   # or acp, demo
#     command: [my-agent, --quiet]
#
# routines:
#   - name: Morning
#     agent: implementer
#     description: Look at what is new.
#     triggers:
#       - cron_expression: 0 6 * * *
"""
"""What is written where there is no file: accepted, it changes nothing."""

"""Takes over how workspaces are set up somewhere else, and says how they are set up here."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtable_desktop.engine.desk import Asked, Desk, agents, routines, settings, workspaces
from roundtable_desktop.engine.desk.look_routines import Recurring
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted, webhooks_of
from roundtable_desktop.model.errors import Conflict, Invalid
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.routines import Template, Variable
from roundtable_desktop.model.states import (
    Adapter,
    CatchUpPolicy,
    ConcurrencyPolicy,
    DeliveryMode,
    PermissionPolicy,
    Probe,
    Role,
    RoutineStatus,
    TriggerKind,
    VariableType,
)
from roundtable_desktop.rules.redact import MARK, Redactor
from roundtable_desktop.rules.shapes import without_lookalikes
from roundtable_desktop.store import agents as agent_rows
from roundtable_desktop.store import routines as routine_rows
from roundtable_desktop.store import webhooks
from roundtable_desktop.store import workspaces as rows

Json = dict[str, Any]

_AGENT = (
    *("name", "model", "account", "skip_idle_wakeups", "flat_rate"),
    "max_concurrent_sessions",
    *("cooldown_sec", "silence_limit_sec", "soft_timeout_sec", "hard_timeout_sec"),
    "memory_limit_mb",
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """did: added | changed | same."""

    what: str
    name: str
    did: str
    fields: Sequence[str] = ()
    needs: Sequence[str] = ()


def agent_words(agent: Agent) -> Json:
    return {
        **{name: getattr(agent, name) for name in _AGENT},
        "fallback_models": list(agent.fallback_models),
        "role": str(agent.role),
        "adapter": str(agent.adapter),
        "command": list(agent.command),
        "permission_policy": str(agent.permission_policy),
        "variables": sorted(agent.env_names),
    }


def routine_words(seen: Recurring) -> Json:
    routine, template = seen.routine, seen.routine.template
    return {
        "name": routine.name,
        "agent": seen.agent.name,
        "description": routine.description,
        "status": str(routine.status),
        "concurrency_policy": str(routine.concurrency_policy),
        "catch_up_policy": str(routine.catch_up_policy),
        "catch_up_max": routine.catch_up_max,
        "task": template and {"title": template.title, "description": template.description},
        "variables": [dict(one) for one in routine.variables],
        "priority": routine.priority,
        "probe": str(routine.probe),
        "schedules": [
            {"cron": one.cron_expression, "timezone": one.timezone, "enabled": one.enabled}
            for one in seen.triggers
            if one.kind is TriggerKind.SCHEDULE
        ],
    }


def hidden(desk: Desk, raw: Json, *, redacted: bool) -> Json:
    """Without the values of agents' variables and the secrets of webhooks; redacted: nor what looks
    like a key or an address, nor where the person's folder is."""
    with desk.store.transaction() as tx:
        owners = [agent.id for agent in agent_rows.every(tx)]
        owners += {one.routine_id for one in webhooks.every(tx)}
    known = Redactor(value for owner in owners for value in desk.secrets.get(owner).values())
    home = str(Path.home())

    def hide(text: str) -> str:
        text = known.redact(text)
        if not redacted:
            return text
        text = text.replace(home, "/~") if len(home) > 1 else text
        return _ADDRESS.sub(MARK, without_lookalikes(text, MARK))

    return {name: _within(value, hide) for name, value in raw.items()}


def _within(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {name: _within(one, hide) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_within(one, hide) for one in value]
    return value


def take(desk: Desk, by: Asked, wanted: Json, here: Json, *, dry_run: bool) -> list[Outcome]:
    """here: what stands, in the same words. Raises Conflict before anything is changed where a
    name is taken; what fails later is said, and taking it over again goes on from there."""
    if wanted["redacted"]:
        raise Invalid("bundle_redacted", "/redacted")
    standing = {one["path"]: one for one in here["workspaces"]}
    _check(wanted, standing)
    done = [_settings(desk, by, wanted, here, dry_run)] if wanted["settings"] else []
    for one in wanted["workspaces"]:
        done += _workspace(desk, by, one, standing.get(one["path"]), dry_run)
    return done


def _check(wanted: Json, standing: Mapping[str, Json]) -> None:
    paths = {one["name"]: path for path, one in standing.items()}
    for one in wanted["workspaces"]:
        if paths.setdefault(one["name"], one["path"]) != one["path"]:
            raise Conflict("bundle_name_taken", name=one["name"], path=paths[one["name"]])
        there = standing.get(one["path"], {"agents": [], "routines": []})
        adapters = {agent["name"]: agent["adapter"] for agent in there["agents"]}
        _check_commands(one, there)
        for agent in one["agents"]:
            if adapters.setdefault(agent["name"], agent["adapter"]) != agent["adapter"]:
                raise Conflict("bundle_adapter", name=agent["name"], workspace=one["name"])
        for part in ("agents", "routines"):
            names = [each["name"] for each in one[part]]
            if len(set(names)) != len(names):
                raise Conflict("bundle_twice", part=part, workspace=one["name"])
        for routine in one["routines"]:
            if routine["agent"] not in adapters:
                raise Invalid("bundle_no_agent", "", routine=routine["name"], name=routine["agent"])


def _check_commands(wanted: Json, there: Json) -> None:
    """A secret that was taken out of a command at the export is missing in it; one that stands here
    in the same words keeps its own."""
    known = {agent["name"]: agent["command"] for agent in there["agents"]}
    for agent in wanted["agents"]:
        maimed = any(MARK in word for word in agent["command"])
        if maimed and known.get(agent["name"]) != agent["command"]:
            raise Invalid(
                "bundle_maimed", "", name=agent["name"], workspace=wanted["name"], mark=MARK
            )


def _settings(desk: Desk, by: Asked, wanted: Json, here: Json, dry_run: bool) -> Outcome:
    fields = _differing(wanted["settings"], here["settings"])
    if fields and not dry_run:
        settings.change(desk, by, {name: wanted["settings"][name] for name in fields})
    return Outcome("settings", "", "changed" if fields else "same", fields)


def _workspace(
    desk: Desk, by: Asked, wanted: Json, there: Json | None, dry_run: bool
) -> Iterator[Outcome]:
    workspace_id = "" if dry_run else _placed(desk, by, wanted, there)
    fields = _differing({name: wanted[name] for name in ("name", "delivery", *_MORE)}, there or {})
    did = "added" if there is None else "changed" if fields else "same"
    yield Outcome("workspace", wanted["name"], did, fields if there else ())
    old = there or {"settings": {}, "agents": [], "routines": []}
    changed = _differing(wanted["settings"], old["settings"])
    if changed:
        if not dry_run:
            values = {name: wanted["settings"][name] for name in changed}
            settings.change_in(desk, by, workspace_id, values)
        yield Outcome("settings", wanted["name"], "changed", changed)
    agents_there = {one["name"]: one for one in old["agents"]}
    for one in wanted["agents"]:
        yield _agent(desk, by, workspace_id, one, agents_there.get(one["name"]), dry_run)
    routines_there = {one["name"]: one for one in old["routines"]}
    for one in wanted["routines"]:
        filled = {**one, "schedules": [_zoned(each, wanted) for each in one["schedules"]]}
        yield _routine(desk, by, workspace_id, filled, routines_there.get(one["name"]), dry_run)


_MORE = ("timezone", "recovery_lookback_hours", "base_branch")


def _placed(desk: Desk, by: Asked, wanted: Json, there: Json | None) -> str:
    """The workspace's id, once it is as it is wanted."""
    with desk.store.transaction() as tx:
        found = rows.at_path(tx, wanted["path"])
    if found is None:
        found = workspaces.register(
            desk,
            by,
            wanted["path"],
            name=wanted["name"],
            base_branch=wanted["base_branch"],
            timezone=wanted["timezone"],
            delivery=DeliveryMode(wanted["delivery"]),
        )
    values = {name: wanted[name] for name in ("name", *_MORE)}
    workspaces.edit(desk, by, found.id, delivery=DeliveryMode(wanted["delivery"]), **values)
    return found.id


def _agent(
    desk: Desk, by: Asked, workspace_id: str, wanted: Json, there: Json | None, dry_run: bool
) -> Outcome:
    values = {name: value for name, value in wanted.items() if name != "variables"}
    if values["account"] is None:
        del values["account"]
    if values["skip_idle_wakeups"] is None:
        del values["skip_idle_wakeups"]
    fields = _differing(values, there or {})
    needs = sorted(set(wanted["variables"]) - set((there or {}).get("variables", ())))
    did = "added" if there is None else "changed" if fields else "same"
    if fields and not dry_run:
        _put_agent(desk, by, workspace_id, values, None if there is None else fields)
    return Outcome("agent", wanted["name"], did, fields if there else (), needs)


def _put_agent(
    desk: Desk, by: Asked, workspace_id: str, values: Json, fields: Sequence[str] | None
) -> None:
    codes: Mapping[str, Callable[[str], object]] = {
        "role": Role,
        "adapter": Adapter,
        "permission_policy": PermissionPolicy,
    }
    made: Json = {name: codes[name](v) if name in codes else v for name, v in values.items()}
    if fields is None:
        agents.add(desk, by, workspace_id, **made)
        return
    with desk.store.transaction() as tx:
        found = agent_rows.named(tx, workspace_id, values["name"])
    assert found is not None, "it stood there a moment ago"
    agents.edit(desk, by, found.id, **{name: made[name] for name in fields})


def _zoned(schedule: Json, workspace: Json) -> Json:
    return {**schedule, "timezone": schedule["timezone"] or workspace["timezone"]}


def _routine(
    desk: Desk, by: Asked, workspace_id: str, wanted: Json, there: Json | None, dry_run: bool
) -> Outcome:
    fields = _differing(wanted, there or {})
    did = "added" if there is None else "changed" if fields else "same"
    if fields and not dry_run:
        _put_routine(desk, by, workspace_id, wanted, fields)
    return Outcome("routine", wanted["name"], did, fields if there else ())


def _put_routine(
    desk: Desk, by: Asked, workspace_id: str, wanted: Json, fields: Sequence[str]
) -> None:
    """A coordinator's own routine came with the agent, so that it may be there by now."""
    with desk.store.transaction() as tx:
        agent = agent_rows.named(tx, workspace_id, wanted["agent"])
        there = routine_rows.named(tx, workspace_id, wanted["name"])
        own = routine_rows.triggers_of(tx, [there.id])[there.id] if there else []
    assert agent is not None, "agents come first"
    task = wanted["task"]
    values: Json = {
        "name": wanted["name"],
        "assignee_agent_id": agent.id,
        "description": wanted["description"],
        "concurrency_policy": ConcurrencyPolicy(wanted["concurrency_policy"]),
        "catch_up_policy": CatchUpPolicy(wanted["catch_up_policy"]),
        "catch_up_max": wanted["catch_up_max"],
        "template": task and Template(task["title"], task["description"]),
        "variables": [_variable(one) for one in wanted["variables"]],
        "priority": wanted["priority"],
        "triggers": [
            Wanted(TriggerKind.SCHEDULE, None, one["cron"], one["timezone"], one["enabled"])
            for one in wanted["schedules"]
        ]
        + webhooks_of(own),
    }
    if "schedules" not in fields:
        del values["triggers"]  # they keep when they fire next
    if there is None:
        there = routines.create(desk, by, NewRoutine(workspace_id=workspace_id, **values))
        values = {}
    status, probe = RoutineStatus(wanted["status"]), Probe(wanted["probe"])
    if values or status is not there.status or probe is not there.probe:
        routines.edit(desk, by, there.id, status=status, probe=probe, **values)


def _variable(one: Json) -> Variable:
    kind = VariableType(one["type"])
    return Variable(one["name"], kind, one["default"], one["required"], tuple(one["options"]))


def _differing(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    return [name for name, value in wanted.items() if there.get(name) != value]

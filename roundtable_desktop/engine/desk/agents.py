"""Commands about agents."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once
from roundtable_desktop.engine.heartbeat import install
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import Agent, Subject
from roundtable_desktop.model.states import Adapter, AgentStatus, PermissionPolicy, Role
from roundtable_desktop.rules.accounts import account_of
from roundtable_desktop.store import agents, runs, sessions, workspaces
from roundtable_desktop.store.db import Tx

log = logging.getLogger(__name__)

MOST_VARIABLES = 64
FIRST_REVISION = 1
NAME_KEPT = 180
"""Characters of the name of an agent that gives it up."""


class _Repeated(Exception):
    """The same request has made another agent before."""


def add(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    *,
    name: str,
    adapter: Adapter,
    command: Sequence[str],
    role: Role = Role.WORKER,
    env: Mapping[str, str] | None = None,
    permission_policy: PermissionPolicy = PermissionPolicy.ASK,
    account: str | None = None,
    model: str | None = None,
    skip_idle_wakeups: bool | None = None,
    flat_rate: bool = False,
    fallback_models: Sequence[str] = (),
    **limits: int,
) -> Agent:
    """command: a list of arguments, never a shell line; the built-in agent needs none.
    env: kept outside the database. account: who pays; None for what the program stands for.
    model: None for its own default, or what the workspace says.

    skip_idle_wakeups: left out, it follows the role (K-27). flat_rate: its runs cost nothing more.
    fallback_models: what it may use instead of its model, the first one first.
    limits: max_concurrent_sessions, cooldown_sec, silence_limit_sec, soft_timeout_sec,
    hard_timeout_sec, memory_limit_mb; left out, the table's defaults hold.
    """
    words = {
        "name": name,
        "adapter": adapter,
        "command": command,
        "role": role,
        "permission_policy": permission_policy,
        "account": account,
        "model": model,
        "skip_idle_wakeups": skip_idle_wakeups,
        "flat_rate": flat_rate,
        "fallback_models": list(fallback_models),
        **limits,
    }
    _check_command(adapter, command)
    agent_id = desk.ids.new()

    def act(tx: Tx) -> Subject:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace", "/workspace_id")
        add_now(tx, desk, asked, agent_id, workspace_id, words, env_names=sorted(env or {}))
        return Subject("agent", agent_id)

    return _added(desk, asked, agent_id, env, act)


def add_now(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    agent_id: str,
    workspace_id: str,
    words: Mapping[str, Any],
    *,
    env_names: Sequence[str] = (),
) -> None:
    """`add` as a part of a larger decision. words: its arguments; `name`, `adapter`, `command` and
    `role` are among them."""
    adapter, command, role = words["adapter"], list(words["command"]), words["role"]
    _check_command(adapter, command)
    _take_name(tx, asked, workspace_id, words["name"])
    skips, account = words.get("skip_idle_wakeups"), words.get("account")
    agents.add(
        tx,
        asked.actor,
        **{
            **words,
            "id": agent_id,
            "workspace_id": workspace_id,
            "command": command,
            "env_names": list(env_names),
            "account": account or account_of(adapter, command, agent_id),
            "skip_idle_wakeups": role is not Role.COORDINATOR if skips is None else skips,
        },
    )
    if role is Role.COORDINATOR:
        _install_heartbeat(tx, desk, asked, agent_id)


def _added(
    desk: Desk,
    asked: Asked,
    agent_id: str,
    env: Mapping[str, str] | None,
    act: Callable[[Tx], Subject],
) -> Agent:
    """The row and the values of its variables, both or neither."""
    if not env:
        with desk.store.transaction() as tx:
            return once(tx, asked, partial(act, tx), agents.get)
    given = env
    try:
        with desk.secrets.change(agent_id, lambda _: given, FIRST_REVISION):
            with desk.store.transaction() as tx:
                agent = once(tx, asked, partial(act, tx), agents.get)
            if agent.id != agent_id:
                raise _Repeated
    except _Repeated:  # the earlier request's own values hold
        pass
    return agent


def _install_heartbeat(tx: Tx, desk: Desk, asked: Asked, agent_id: str) -> None:
    """Once, here, and never again by itself. What goes wrong with it is no reason to have no
    coordinator: `roundtable routine install-heartbeat` does it by hand (K-25)."""
    try:
        with tx.apart():
            install(tx, desk.ids, asked.actor, agent_id)
    except Exception:
        log.warning("coordinator heartbeat not installed agent=%s", agent_id, exc_info=True)


def edit(
    desk: Desk,
    asked: Asked,
    agent_id: str,
    *,
    env: Mapping[str, str | None] | None = None,
    **changes: Any,
) -> Agent:
    """What is named is changed, from the next run on; what runs goes on as it began.

    env: variables to set, or None to take one away. changes: name, role, command,
    permission_policy, account, model, skip_idle_wakeups, flat_rate, fallback_models and the limits
    of `add`. An account that nobody chose follows the command.
    """
    with desk.store.transaction() as tx:
        agent = _editable(tx, asked, agent_id)
        if not env:
            return change_now(tx, asked, agent, changes)
    given = env

    def merged(held: Mapping[str, str]) -> Mapping[str, str]:
        return {name: v for name, v in {**held, **given}.items() if v is not None}

    revision = agent.revision
    with (
        desk.secrets.change(agent.id, merged, revision + 1) as values,
        desk.store.transaction() as tx,
    ):
        agent = _editable(tx, replace(asked, revision=revision), agent_id)
        _check_variables(tx, agent, values)
        return change_now(tx, asked, agent, {**changes, "env_names": sorted(values)})


def change_now(tx: Tx, asked: Asked, agent: Agent, changes: Mapping[str, Any]) -> Agent:
    """`edit` as a part of a larger decision, without its variables."""
    if changes.get("name", agent.name) != agent.name:
        _take_name(tx, asked, agent.workspace_id, changes["name"])
    if "command" in changes:
        _check_command(agent.adapter, changes["command"])
        if agent.account == account_of(agent.adapter, agent.command, agent.id):
            standing = account_of(agent.adapter, changes["command"], agent.id)
            changes = {"account": standing, **changes}
        if list(changes["command"]) != list(agent.command):
            sessions.forget_all(tx, agent.id)
    if "account" in changes:
        tx.nudge("queue")
    return agents.change(tx, agent, asked.actor, **changes) if changes else agent


def _editable(tx: Tx, asked: Asked, agent_id: str) -> Agent:
    agent = agents.get(tx, agent_id)
    if agent is None:
        raise Absent("unknown_agent")
    check_revision(asked, agent.revision)
    if agent.status is AgentStatus.RETIRED:
        raise Conflict("agent_retired", agent=agent.name)
    return agent


def _check_command(adapter: Adapter, command: Sequence[str]) -> None:
    if adapter is not Adapter.DEMO and not (command and command[0]):
        raise Invalid("command_empty", "/command")


def _take_name(tx: Tx, asked: Asked, workspace_id: str, name: str) -> None:
    """One that is retired gives its name up: nobody can change or wake it, and a list of those that
    can be chosen does not show it."""
    holder = agents.named(tx, workspace_id, name)
    if holder is None:
        return
    if holder.status is not AgentStatus.RETIRED:
        raise Conflict("name_taken", "/name", name=name)
    names = (f"{name[:NAME_KEPT]} (retired{number})" for number in chain([""], count(2)))
    free = next(one for one in names if agents.named(tx, workspace_id, one) is None)
    agents.change(tx, holder, asked.actor, name=free)


def _check_variables(tx: Tx, agent: Agent, values: Mapping[str, str]) -> None:
    """A run keeps the values that it began with, and they are redacted while they are known."""
    if any(run.agent_id == agent.id for run in runs.live(tx)):
        raise Conflict("agent_works", "/env", agent=agent.name)
    if len(values) > MOST_VARIABLES:
        raise Invalid("too_many_variables", "/env", most=MOST_VARIABLES)

"""Commands about agents."""

from collections.abc import Mapping, Sequence
from typing import Any

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import Agent, Subject
from roundtable_desktop.model.states import Adapter, AgentStatus, PermissionPolicy, Role
from roundtable_desktop.store import agents, runs, workspaces
from roundtable_desktop.store.db import Tx

MOST_VARIABLES = 64


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
    **limits: int,
) -> Agent:
    """command: a list of arguments, never a shell line; the built-in agent needs none.
    env: kept outside the database.

    limits: max_concurrent_sessions, cooldown_sec, silence_limit_sec, soft_timeout_sec,
    hard_timeout_sec; left out, the table's defaults hold.
    """
    _check_command(adapter, command)
    agent_id = desk.ids.new()

    def act() -> Subject:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace", "/workspace_id")
        _check_name(tx, workspace_id, name)
        agents.add(
            tx,
            asked.actor,
            id=agent_id,
            workspace_id=workspace_id,
            name=name,
            role=role,
            adapter=adapter,
            command=list(command),
            env_names=sorted(env or {}),
            permission_policy=permission_policy,
            **limits,
        )
        return Subject("agent", agent_id)

    desk.secrets.put(agent_id, env or {})
    try:
        with desk.store.transaction() as tx:
            agent = once(tx, asked, act, agents.get)
    except BaseException:
        desk.secrets.put(agent_id, {})
        raise
    if agent.id != agent_id:  # a repeat of an earlier request: its own file is there
        desk.secrets.put(agent_id, {})
    return agent


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
    permission_policy and the limits of `add`.
    """
    before: Mapping[str, str] | None = None
    try:
        with desk.store.transaction() as tx:
            agent = _editable(tx, asked, agent_id)
            if changes.get("name", agent.name) != agent.name:
                _check_name(tx, agent.workspace_id, changes["name"])
            if "command" in changes:
                _check_command(agent.adapter, changes["command"])
            if env:
                held = desk.secrets.get(agent.id)
                values = {name: v for name, v in {**held, **env}.items() if v is not None}
                _check_variables(tx, agent, values)
                changes["env_names"] = sorted(values)
                before = held
                desk.secrets.put(agent.id, values)
            return agents.change(tx, agent, asked.actor, **changes) if changes else agent
    except BaseException:
        if before is not None:
            desk.secrets.put(agent_id, before)
        raise


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


def _check_name(tx: Tx, workspace_id: str, name: str) -> None:
    if agents.named(tx, workspace_id, name):
        raise Conflict("name_taken", "/name", name=name)


def _check_variables(tx: Tx, agent: Agent, values: Mapping[str, str]) -> None:
    """A run keeps the values that it began with, and they are redacted while they are known."""
    if any(run.agent_id == agent.id for run in runs.live(tx)):
        raise Conflict("agent_works", "/env", agent=agent.name)
    if len(values) > MOST_VARIABLES:
        raise Invalid("too_many_variables", "/env", most=MOST_VARIABLES)

"""Commands about agents."""

from collections.abc import Mapping, Sequence

from roundtable_desktop.engine.desk import Asked, Desk, once
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import Agent, Subject
from roundtable_desktop.model.states import Adapter, PermissionPolicy, Role
from roundtable_desktop.store import agents, workspaces


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
    if adapter is not Adapter.DEMO and not (command and command[0]):
        raise Invalid("command_empty", "/command")
    agent_id = desk.ids.new()

    def act() -> Subject:
        if workspaces.get(tx, workspace_id) is None:
            raise Absent("unknown_workspace", "/workspace_id")
        if agents.named(tx, workspace_id, name):
            raise Conflict("name_taken", "/name", name=name)
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

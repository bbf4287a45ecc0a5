"""Agents: who can be woken, and what each may do at once."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Agent, Subject
from roundtable_desktop.model.states import AGENT, AgentStatus, Role
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, by_ids
from roundtable_desktop.store.tables import Agents


def get(view: View, agent_id: str) -> Agent | None:
    return by_id(view, Agent, Agents, agent_id)


def of_ids(view: View, ids: Iterable[str | None]) -> dict[str, Agent]:
    return by_ids(view, Agent, Agents, ids)


def named(view: View, workspace_id: str, name: str) -> Agent | None:
    return view.one(
        Agent,
        Agents.select().where((Agents.workspace_id == workspace_id) & (Agents.name == name)),
    )


def coordinator(view: View, workspace_id: str) -> Agent | None:
    """Who is told of what goes wrong in the workspace: its first coordinator that can be woken,
    now or, if it is paused, when it is resumed."""
    here = (Agents.workspace_id == workspace_id) & (Agents.role == Role.COORDINATOR)
    able = Agents.status.in_((AgentStatus.ACTIVE, AgentStatus.PAUSED))
    return view.one(
        Agent, Agents.select().where(here & able).order_by(Agents.status, Agents.id).limit(1)
    )


def every(view: View, workspace_id: str | None = None) -> list[Agent]:
    """In the order in which they were added: of one workspace, or all."""
    query = Agents.select().order_by(Agents.id)
    if workspace_id is not None:
        query = query.where(Agents.workspace_id == workspace_id)
    return view.all(Agent, query)


def of_account(view: View, account: str) -> list[Agent]:
    """In all workspaces, but for those that are retired."""
    here = (Agents.account == account) & (Agents.status != AgentStatus.RETIRED)
    return view.all(Agent, Agents.select().where(here).order_by(Agents.name, Agents.id))


def add(tx: Tx, actor: Actor, **values: Any) -> Agent:
    tx.write(
        Agents.insert(status=AgentStatus.ACTIVE, created_at=tx.now, updated_at=tx.now, **values)
    )
    agent = get(tx, values["id"])
    assert agent is not None
    journal.tell(
        tx,
        Kind.AGENT_ADDED,
        Subject("agent", agent.id),
        workspace_id=agent.workspace_id,
        actor=actor,
        data={"name": agent.name, "adapter": agent.adapter, "role": agent.role},
    )
    return agent


def change(tx: Tx, agent: Agent, actor: Actor, **values: Any) -> Agent:
    """The event names what was changed; a command may hold what is nobody's business."""
    tx.write(
        Agents.update(revision=Agents.revision + 1, updated_at=tx.now, **values).where(
            Agents.id == agent.id
        )
    )
    changed = get(tx, agent.id)
    assert changed is not None
    journal.tell(
        tx,
        Kind.AGENT_CHANGED,
        Subject("agent", agent.id),
        workspace_id=agent.workspace_id,
        actor=actor,
        data={"name": changed.name, "changed": sorted(values)},
    )
    return changed


def move(tx: Tx, agent: Agent, to: AgentStatus, actor: Actor, *, paused_reason: str | None) -> bool:
    """paused_reason: a code, for a pause; None for every other move."""
    data = {"reason": paused_reason} if paused_reason else {}
    return journal.move(
        tx,
        AGENT,
        agent,
        to=to,
        kind=Kind.AGENT_MOVED,
        actor=actor,
        data=data,
        paused_reason=paused_reason,
    )


def touch_finished(tx: Tx, agent_id: str, at: datetime | None = None) -> None:
    """The cooldown counts from then, or from now (K-42)."""
    tx.write(Agents.update(last_wakeup_finished_at=at or tx.now).where(Agents.id == agent_id))

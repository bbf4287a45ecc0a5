"""The routine that a coordinator begins with (K-25): a regular one, made once."""

from roundtable_desktop.engine.schedules import add_trigger
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Agent
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    Probe,
    TriggerKind,
)
from roundtable_desktop.store import agents, routines, workspaces
from roundtable_desktop.store.db import Tx

NAME = "Coordinator heartbeat"
DESCRIPTION = (
    "Wakes the coordinator every 5 minutes to check workspace activity, react to errors and budget"
    " signals, and decide what to do next."
)
CADENCE = "*/5 * * * *"
CATCH_UP_MAX = 25


def names(agent: Agent) -> tuple[str, str]:
    """What it is called, and what where another coordinator's has that name."""
    return NAME, f"{NAME} ({agent.name})"


def install(tx: Tx, ids: Ids, actor: Actor, agent_id: str) -> Routine:
    agent = agents.get(tx, agent_id)
    workspace = workspaces.get(tx, agent.workspace_id) if agent else None
    assert agent is not None and workspace is not None
    plain, longer = names(agent)
    taken = routines.named(tx, workspace.id, plain) is not None
    routine = routines.add(
        tx,
        actor,
        id=ids.new(),
        workspace_id=workspace.id,
        name=longer if taken else plain,
        description=DESCRIPTION,
        assignee_agent_id=agent.id,
        concurrency_policy=ConcurrencyPolicy.COALESCE_IF_ACTIVE,
        catch_up_policy=CatchUpPolicy.ENQUEUE_MISSED_WITH_CAP,
        catch_up_max=CATCH_UP_MAX,
        probe=Probe.WORKSPACE_EVENTS,
    )
    add_trigger(
        tx, ids, routine, TriggerKind.SCHEDULE, expression=CADENCE, zone=workspace.timezone or "UTC"
    )
    add_trigger(tx, ids, routine, TriggerKind.MANUAL)
    return routine

"""Pausing or stopping one agent, and what comes back when it may work again."""

from functools import partial

from roundtable_desktop.engine import circuit, coming_back, reviving
from roundtable_desktop.engine.calling_off import call_off
from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once, run_control
from roundtable_desktop.model.errors import Absent, Illegal
from roundtable_desktop.model.records import Agent, Subject
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.store import agents, runs
from roundtable_desktop.store.db import Tx


def pause(desk: Desk, asked: Asked, agent_id: str) -> Agent:
    """Nothing is launched for it from now on; what runs goes on to its end (C-22)."""
    with desk.store.transaction() as tx:
        agent = once(tx, asked, partial(_paused, tx, asked, agent_id), agents.get)
    desk.launcher.fence()
    return agent


def pause_now(tx: Tx, asked: Asked, agent_id: str) -> Agent:
    """`pause` as a part of a larger decision."""
    agent = _get(tx, asked, agent_id)
    if agent.status is AgentStatus.ACTIVE:
        agents.move(tx, agent, AgentStatus.PAUSED, asked.actor, paused_reason="person")
        tx.nudge("queue")
    elif agent.status is not AgentStatus.PAUSED:
        raise Illegal("agent_not_active", agent=agent.name, status=agent.status)
    return _get(tx, asked, agent_id, judged=True)


def stop(desk: Desk, asked: Asked, agent_id: str, *, now: bool = False) -> Agent:
    """Nothing is launched for it any more until it is resumed. Its runs end by themselves; now:
    they are ended, each as if its own stop had been asked for. What has ended already is not."""
    live: list[str] = []
    with desk.store.transaction() as tx:

        def act() -> Subject:
            agent = _get(tx, asked, agent_id)
            if agent.status is AgentStatus.RETIRED:
                raise Illegal("agent_not_active", agent=agent.name, status=agent.status)
            if agent.status is not AgentStatus.STOPPED:
                why = "person"
                agents.move(tx, agent, AgentStatus.STOPPED, asked.actor, paused_reason=why)
                tx.nudge("queue")
            return Subject("agent", agent.id)

        agent = once(tx, asked, act, agents.get)
        if now and agent.status is AgentStatus.STOPPED:  # a repeat after a resume ends nothing
            own = [run for run in runs.live(tx) if run.agent_id == agent.id]
            live += [run.id for run in own if not (run.ended or {}).get("end")]
            for run_id in live:
                run_control.mark(tx, asked.actor, run_id)
    desk.launcher.fence()
    for run_id in live:
        call_off(desk.launcher, run_id)
    return agent


def resume(desk: Desk, asked: Asked, agent_id: str) -> Agent:
    """It may work again, and every wakeup that its pause finished, or a budget skipped, comes back
    (C-10, C-81)."""
    with desk.store.transaction() as tx:
        return once(tx, asked, partial(_resumed, tx, desk, asked, agent_id), agents.get)


def resume_now(tx: Tx, desk: Desk, asked: Asked, agent_id: str) -> Agent:
    """`resume` as a part of a larger decision."""
    agent = _get(tx, asked, agent_id)
    if agent.status is AgentStatus.RETIRED:
        raise Illegal("agent_not_active", agent=agent.name, status=agent.status)
    if agent.status is not AgentStatus.ACTIVE:
        agents.move(tx, agent, AgentStatus.ACTIVE, asked.actor, paused_reason=None)
        circuit.closed(tx, agent)
        reviving.look(tx, agent.workspace_id)
        coming_back.of_agent(tx, desk.ids, agent, asked.actor)
    return _get(tx, asked, agent_id, judged=True)


def _paused(tx: Tx, asked: Asked, agent_id: str) -> Subject:
    return Subject("agent", pause_now(tx, asked, agent_id).id)


def _resumed(tx: Tx, desk: Desk, asked: Asked, agent_id: str) -> Subject:
    return Subject("agent", resume_now(tx, desk, asked, agent_id).id)


def _get(tx: Tx, asked: Asked, agent_id: str, *, judged: bool = False) -> Agent:
    agent = agents.get(tx, agent_id)
    if agent is None:
        raise Absent("unknown_agent")
    if not judged:
        check_revision(asked, agent.revision)
    return agent

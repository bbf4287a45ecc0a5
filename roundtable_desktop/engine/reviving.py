"""Missions that stand still while agents may not work go on by themselves when those may (C-10)."""

from collections.abc import Mapping
from datetime import datetime

from roundtable_desktop.engine import waves
from roundtable_desktop.engine.ending import BLOCKED_WITH_IT
from roundtable_desktop.model.missions import PHASE, Mission, MissionState, Phase
from roundtable_desktop.model.records import SYSTEM, Agent
from roundtable_desktop.model.resources import Gauge
from roundtable_desktop.model.states import TERMINAL_TASKS, AgentStatus, TaskStatus
from roundtable_desktop.model.waves import STANDS, Why
from roundtable_desktop.rules.waves import plan as planned
from roundtable_desktop.store import agents, missions, runs, tasks, wakeups
from roundtable_desktop.store.db import Tx, View

_FOR_AGENTS = (Why.AGENT_REFUSED, Why.NO_AGENT)
AGENTS_THERE = "agents_there"
COORDINATOR_PAUSED = "coordinator_paused"
"""Why a mission is not over though all its tasks are."""


def deaf(view: View, mission: Mission) -> Agent | None:
    """Its coordinator, where that may not work and something was said to it: the mission is not
    over before that is heard. What a retired one did not hear nobody waits for."""
    root = tasks.get(view, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    if root.status in TERMINAL_TASKS or root.assignee_agent_id is None:
        return None
    agent = agents.get(view, root.assignee_agent_id)
    assert agent is not None, "foreign keys hold"
    if agent.status in (AgentStatus.ACTIVE, AgentStatus.RETIRED):
        return None
    kept = wakeups.kept_back(view, agent.id)
    return agent if any(one.task_id == root.id for one in kept) else None


def stands_for_agents(mission: Mission) -> bool:
    return mission.reason == COORDINATOR_PAUSED or bool(for_agents(mission))


def look(tx: Tx, workspace_id: str) -> None:
    """Part of a resume: what comes back to the agent then comes back to a mission that goes on."""
    for mission in missions.blocked(tx):
        if mission.workspace_id == workspace_id and stands_for_agents(mission):
            able = may_go_on(tx, mission.id, tx.now, Gauge())
            if able is not None:
                go_on(tx, able)


def for_agents(mission: Mission) -> set[str]:
    """Tasks that stood when it was blocked because nobody might do them, by its report."""
    named = (mission.report or {}).get("blocked")
    if not isinstance(named, list):
        return set()
    return {str(one["task_id"]) for one in named if _code(one) in _FOR_AGENTS}


def _code(one: Mapping[str, object]) -> object:
    why = one.get("why")
    return why.get("code") if isinstance(why, dict) else None


def may_go_on(view: View, mission_id: str, now: datetime, gauge: Gauge) -> Mission | None:
    """The mission, if somebody may do one of those now, or soon."""
    mission = missions.get(view, mission_id)
    if mission is None or mission.state is not MissionState.BLOCKED or mission.opened_at is None:
        return None
    if mission.reason == COORDINATOR_PAUSED:
        return mission if deaf(view, mission) is None else None
    waiting = for_agents(mission)
    plan = planned(waves.picture(view, mission, now, gauge).seen, "")
    whys = [plan.tasks[one] for one in waiting if one in plan.tasks]
    able = not plan.faults and any(one.code not in STANDS for one in whys)
    return mission if able else None


def go_on(tx: Tx, mission: Mission) -> None:
    """It is planned again; its coordinator has nothing new to hear, and is not woken."""
    data, active = {"reason": AGENTS_THERE}, MissionState.ACTIVE
    if not missions.move(tx, mission, active, data=data, outcome=None, reason=None):
        return
    missions.note(tx, mission, report=None, look_at=None)
    if PHASE.allows(mission.phase, Phase.LOADING_GRAPH):
        missions.enter(tx, mission, Phase.LOADING_GRAPH)
    root = tasks.get(tx, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    if root.status is TaskStatus.BLOCKED and (root.blocked or {}).get("action") == BLOCKED_WITH_IT:
        tasks.move(tx, root, TaskStatus.TODO, actor=SYSTEM, data=data)
        root = tasks.get(tx, root.id)
        if root is not None and runs.of_task(tx, root.id):
            tasks.move(tx, root, TaskStatus.IN_PROGRESS, actor=SYSTEM, data=data)
    tx.nudge("queue")

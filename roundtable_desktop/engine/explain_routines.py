"""When a routine fires next and whether that will run, by the code that decides then (N-03)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from roundtable_desktop.engine.pipeline import decision
from roundtable_desktop.engine.routine_gates import periodic, standing
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.model.verdicts import Answer, Explanation, Go
from roundtable_desktop.rules import admission, idle, zones
from roundtable_desktop.rules.firing import course
from roundtable_desktop.store import agents, firings, holds, routines, settings
from roundtable_desktop.store.db import View

LASTING = ("intake", "account")


def of_routine(view: View, routine: Routine, now: datetime) -> Explanation:
    """As it would be if it fired now; what changes until then changes it too."""
    agent = agents.get(view, routine.assignee_agent_id)
    assert agent is not None, "foreign keys hold"
    gates: list[Mapping[str, object]] = []
    values: dict[str, object] = {"name": routine.name, "agent": agent.name}
    values |= _next(view, routine)
    code = ""
    for gate, answer in _gates(view, routine, agent, now):
        gates.append(decision(gate, answer, rfc3339(now)))
        if not isinstance(answer, Go):
            code = f"routine_not_{gate}"
            detail = gates[-1]["detail"]
            values |= detail if isinstance(detail, dict) else {}
            break
    return Explanation(_code(routine, values, code), values, gates)


def _code(routine: Routine, values: Mapping[str, object], refused: str) -> str:
    if routine.status != "active":
        return f"routine_{routine.status}"
    if "at" not in values:
        return str(values["otherwise"])
    return refused or f"routine_next_{values['course']}"


def _next(view: View, routine: Routine) -> dict[str, object]:
    way = course(routine.concurrency_policy, at_work=firings.at_work(view, routine.id))
    triggers = routines.triggers_of(view, [routine.id])[routine.id]
    due = [
        one for one in triggers if one.kind is TriggerKind.SCHEDULE and one.next_run_at is not None
    ]
    if not due:
        return {"course": way, "otherwise": _otherwise(triggers)}
    at, name = min((one.next_run_at, one.timezone) for one in due if one.next_run_at)
    zone = zones.zone(name or "")
    local = at.astimezone(zone)
    return {
        "course": way,
        "at": rfc3339(at),
        "local": f"{local:%a %Y-%m-%d %H:%M}",
        "zone": zone.key,
    }


def _otherwise(triggers: Sequence[Trigger]) -> str:
    """What sets it off if not the clock."""
    hooks = [one for one in triggers if one.kind is TriggerKind.WEBHOOK]
    on = [one for one in hooks if one.enabled]
    if any(not one.secret_missing for one in on):
        return "routine_by_webhook"
    if on:
        return "routine_by_webhook_bare"
    return "routine_by_webhook_off" if hooks else "routine_by_hand_only"


def _gates(view: View, routine: Routine, agent: Agent, now: datetime) -> list[tuple[str, Answer]]:
    gates: list[tuple[str, Answer]] = [
        *_before_claim(view, agent, now),
        ("routine_standing", standing(routine)),
        ("agent_status", admission.agent_status(agent)),
    ]
    if routine.template is None:
        wake = periodic(view, routine, agent)
        gates += [("idle_skip", idle.idle(wake)), ("probe", idle.probe(wake))]
    return gates


def _before_claim(view: View, agent: Agent, now: datetime) -> list[tuple[str, Answer]]:
    """Of what holds every wakeup back, that which lasts: whether its agent is at work or rests
    just now says nothing about then."""
    facts = admission.Waiting(
        agent=agent,
        claimed=0,
        by_person=False,
        scheduled_retry_at=None,
        held_by=None,
        intake_open=settings.of_home(view).intake == "open",
        holds=holds.of_agent(view, agent),
    )
    return [one for one in admission.before_claim(facts, now) if one[0] in LASTING]

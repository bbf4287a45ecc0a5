"""Commands about routines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from roundtable_desktop.engine import heartbeat, routine_faults
from roundtable_desktop.engine.desk import Asked, Desk, check_revision, done_before, once
from roundtable_desktop.engine.desk.triggers import Secrets, Wanted, prepared, set_triggers
from roundtable_desktop.engine.firing import Shot, fire, values_of
from roundtable_desktop.engine.routine_faults import TOO_LONG
from roundtable_desktop.engine.schedules import add_trigger, set_next
from roundtable_desktop.model.errors import Absent, Conflict, Illegal, Invalid, InvalidFields
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.routines import Firing, Routine, Template, Variable
from roundtable_desktop.model.states import (
    ROUTINE,
    AgentStatus,
    CatchUpPolicy,
    ConcurrencyPolicy,
    FiringSource,
    Probe,
    RoutineStatus,
    TriggerKind,
)
from roundtable_desktop.rules.variables import (
    TEXT_LIMIT,
    Resolved,
    declaration_faults,
    declare,
    declared_of,
)
from roundtable_desktop.rules.variables import stored as as_stored
from roundtable_desktop.store import agents, firings, routines, workspaces
from roundtable_desktop.store.db import Tx

MOST_VARIABLES = 64
FIRST_REVISION = 1


class _Repeated(Exception):
    """The same request did it before."""


@dataclass(frozen=True, slots=True)
class Made:
    """secrets: by the ids of their triggers, those that were made just now and are shown once."""

    routine: Routine
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRoutine:
    """assignee_agent_id: who is woken. template: None for a light one, without a task."""

    workspace_id: str
    name: str
    assignee_agent_id: str
    description: str = ""
    concurrency_policy: ConcurrencyPolicy = ConcurrencyPolicy.COALESCE_IF_ACTIVE
    catch_up_policy: CatchUpPolicy = CatchUpPolicy.ENQUEUE_MISSED_WITH_CAP
    catch_up_max: int = 25
    template: Template | None = None
    variables: Sequence[Variable] = ()
    priority: int = 0
    probe: Probe = Probe.NONE
    triggers: Sequence[Wanted] = field(default=())


def create(desk: Desk, asked: Asked, wanted: NewRoutine) -> Routine:
    """It fires from now on: at its schedules, when a webhook is called, and whenever somebody says
    so."""
    return created(desk, asked, wanted).routine


def created(desk: Desk, asked: Asked, wanted: NewRoutine) -> Made:
    """The routine with the secrets of its webhooks, both or neither."""
    triggers, secrets = prepared(desk, (), wanted.triggers)
    wanted, routine_id = replace(wanted, triggers=triggers), desk.ids.new()

    def act(tx: Tx) -> Subject:
        return create_now(tx, desk, asked, wanted, routine_id)

    if not secrets:
        with desk.store.transaction() as tx:
            return Made(once(tx, asked, partial(act, tx), routines.present))
    try:
        with desk.secrets.change(routine_id, secrets.applied, FIRST_REVISION):
            with desk.store.transaction() as tx:
                routine = once(tx, asked, partial(act, tx), routines.present)
            if routine.id != routine_id:
                raise _Repeated
    except _Repeated:  # the earlier request's own secrets count
        return Made(routine)
    return Made(routine, secrets.shown())


def create_now(
    tx: Tx, desk: Desk, asked: Asked, wanted: NewRoutine, routine_id: str | None = None
) -> Subject:
    """`create` as a part of a larger decision."""
    workspace = workspaces.get(tx, wanted.workspace_id)
    if workspace is None:
        raise Absent("unknown_workspace", "/workspace_id")
    _check_name(tx, workspace.id, wanted.name)
    _check_assignee(tx, workspace.id, wanted.assignee_agent_id)
    texts = _texts(wanted.description, wanted.template)
    routine = routines.add(
        tx,
        asked.actor,
        id=routine_id or desk.ids.new(),
        workspace_id=workspace.id,
        name=wanted.name,
        description=wanted.description,
        assignee_agent_id=wanted.assignee_agent_id,
        concurrency_policy=wanted.concurrency_policy,
        catch_up_policy=wanted.catch_up_policy,
        catch_up_max=wanted.catch_up_max,
        task_template=wanted.template.stored() if wanted.template else "",
        variables=_declared(texts, wanted.variables),
        priority=wanted.priority,
        probe=wanted.probe,
    )
    set_triggers(tx, desk, workspace, routine, wanted.triggers)
    return Subject("routine", routine.id)


def edit(
    desk: Desk,
    asked: Asked,
    routine_id: str,
    *,
    status: RoutineStatus | None = None,
    triggers: Sequence[Wanted] | None = None,
    **changes: Any,
) -> Routine:
    """What is named is changed, the rest stays. triggers: all that there are from now on; those
    named by their id are kept. Neither that nor a resume fires what lay before (B-030, B-031).

    changes: name, description, assignee_agent_id, the policies, catch_up_max, template, variables,
    priority, probe.
    """
    return edited(desk, asked, routine_id, status, triggers, changes).routine


def edited(
    desk: Desk,
    asked: Asked,
    routine_id: str,
    status: RoutineStatus | None,
    triggers: Sequence[Wanted] | None,
    changes: Mapping[str, Any],
) -> Made:
    """`edit`, with the secrets that it makes."""
    secrets = Secrets()
    with desk.store.transaction() as tx:
        routine = get(tx, routine_id)
        if triggers is not None and done_before(tx, asked) is None:
            there = routines.triggers_of(tx, [routine_id])[routine_id]
            triggers, secrets = prepared(desk, there, triggers)
        if not secrets:
            told = partial(edit_now, tx, desk, asked, routine_id, status, triggers, changes)
            return Made(once(tx, asked, told, routines.present))
        check_revision(asked, routine.revision)
    moves = status is not None and status is not routine.status
    seen = replace(asked, revision=routine.revision)
    acted: list[str] = []

    def act(tx: Tx) -> Subject:
        acted.append(routine_id)
        return edit_now(tx, desk, seen, routine_id, status, triggers, changes)

    try:
        with desk.secrets.change(routine_id, secrets.applied, routine.revision + 1 + moves):
            with desk.store.transaction() as tx:
                routine = once(tx, asked, partial(act, tx), routines.present)
            if not acted:
                raise _Repeated
    except _Repeated:
        return Made(routine)
    return Made(routine, secrets.shown())


def edit_now(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    routine_id: str,
    status: RoutineStatus | None,
    triggers: Sequence[Wanted] | None,
    changes: Mapping[str, Any],
) -> Subject:
    """`edit` as a part of a larger decision."""
    routine = get(tx, routine_id)
    check_revision(asked, routine.revision)
    if routine.status is RoutineStatus.ARCHIVED:
        raise Conflict("routine_archived", name=routine.name)
    told = [*changes, *(["triggers"] if triggers is not None else [])]
    if changes.get("name", routine.name) != routine.name:
        _check_name(tx, routine.workspace_id, changes["name"])
    if "assignee_agent_id" in changes:
        _check_assignee(tx, routine.workspace_id, changes["assignee_agent_id"])
    if told:
        values = _changed(routine, changes)
        routine = routines.change(tx, routine, asked.actor, told, **values)
    if triggers is not None:
        workspace = workspaces.get(tx, routine.workspace_id)
        assert workspace is not None, "foreign keys hold"
        set_triggers(tx, desk, workspace, routine, triggers)
    if status is not None and status is not routine.status:
        _move(tx, asked, routine, status)
    return Subject("routine", routine.id)


def remove(desk: Desk, asked: Asked, routine_id: str) -> None:
    with desk.store.transaction() as tx:
        routine = get(tx, routine_id)
        check_revision(asked, routine.revision)
        routines.remove(tx, routine, asked.actor)
        routine_faults.over(tx, routine)
        _stop_triggers(tx, routine)
    desk.secrets.forget(routine_id)


def fire_now(desk: Desk, asked: Asked, routine_id: str, variables: Mapping[str, object]) -> Firing:
    """ "Run now": refused as a whole while a variable that is required has no value (K-22), or
    where one is given that it does not have."""
    with desk.store.transaction() as tx:
        act = partial(_fired, tx, desk, asked, routine_id, variables)
        return once(tx, asked, act, firings.get)


def install_heartbeat(desk: Desk, asked: Asked, agent_id: str) -> Routine:
    """The coordinator's routine, for whoever removed it or where it could not be made (K-25)."""

    def act() -> Subject:
        agent = agents.get(tx, agent_id)
        if agent is None:
            raise Absent("unknown_agent", "/agent_id")
        if agent.status is AgentStatus.RETIRED:
            raise Conflict("agent_retired", "/agent_id", agent=agent.name)
        there = {one.name for one in routines.of_agent(tx, agent_id)}
        if had := there & {*heartbeat.names(agent)}:
            raise Conflict("heartbeat_there", "/agent_id", agent=agent.name, name=had.pop())
        return Subject("routine", heartbeat.install(tx, desk.ids, asked.actor, agent_id).id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, routines.present)


def get(tx: Tx, routine_id: str) -> Routine:
    routine = routines.present(tx, routine_id)
    if routine is None:
        raise Absent("unknown_routine")
    return routine


def _fired(
    tx: Tx, desk: Desk, asked: Asked, routine_id: str, variables: Mapping[str, object]
) -> Subject:
    routine = get(tx, routine_id)
    if routine.status is not RoutineStatus.ACTIVE:
        raise Conflict(f"routine_{routine.status}", name=routine.name)
    workspace = workspaces.get(tx, routine.workspace_id)
    assert workspace is not None, "foreign keys hold"
    triggers = routines.triggers_of(tx, [routine.id])[routine.id]
    by_hand = [one for one in triggers if one.kind is TriggerKind.MANUAL]
    trigger = by_hand[0] if by_hand else add_trigger(tx, desk.ids, routine, TriggerKind.MANUAL)
    if not trigger.enabled:
        raise Conflict("routine_not_by_hand", name=routine.name)
    shot = Shot(
        routine=routine,
        trigger=replace(trigger, timezone=trigger.timezone or workspace.timezone),
        source=FiringSource.MANUAL,
        at=tx.now,
        provided=variables,
        actor=asked.actor,
    )
    found = values_of(shot, workspace.timezone)
    _refuse(found)
    made = fire(tx, desk.ids, shot)
    if made.reason == TOO_LONG:
        raise Invalid(TOO_LONG, "/variables", limit=TEXT_LIMIT)
    routines.touch_fired(tx, trigger.id)
    return Subject("firing", made.id)


def _refuse(found: Resolved) -> None:
    faults: list[tuple[str, str, Mapping[str, object]]] = [
        (f"/variables/{name}", "variable_missing", {"name": name}) for name in found.missing
    ]
    faults += [
        (f"/variables/{name}", "variable_undeclared", {"name": name}) for name in found.undeclared
    ]
    faults += [(f"/variables/{one.name}", one.code, one.values()) for one in found.faults]
    if faults:
        names = [*found.missing, *found.undeclared, *(one.name for one in found.faults)]
        raise InvalidFields("variables_wanted", faults, names=names)


def _check_name(tx: Tx, workspace_id: str, name: str) -> None:
    """Two of one name could not be told apart where people name them."""
    if routines.named(tx, workspace_id, name) is not None:
        raise Conflict("name_taken", "/name", name=name)


def _check_assignee(tx: Tx, workspace_id: str, agent_id: str) -> None:
    """Of the same workspace; another one's is as if it did not exist (K-64)."""
    agent = agents.get(tx, agent_id)
    if agent is None or agent.workspace_id != workspace_id:
        raise Absent("unknown_agent", "/assignee_agent_id")
    if agent.status is AgentStatus.RETIRED:
        raise Conflict("agent_retired", "/assignee_agent_id", agent=agent.name)


def _texts(description: str, template: Template | None) -> list[str]:
    return [description, *((template.title, template.description) if template else ())]


def _declared(texts: Sequence[str], variables: Sequence[Variable]) -> list[dict[str, object]]:
    """With those that the texts use and nobody declared (K-23)."""
    for fault in declaration_faults(variables):
        raise Invalid(fault.code, "/variables", **fault.values())
    declared = declare(texts, variables)
    if len(declared) > MOST_VARIABLES:
        raise Invalid("routine_too_many_variables", "/variables", most=MOST_VARIABLES)
    return as_stored(declared)


def _changed(routine: Routine, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of what is named; the texts may have brought new variables."""
    values = dict(changes)
    template = values.pop("template", routine.template)
    if "template" in changes:
        values["task_template"] = template.stored() if template else ""
    texts = _texts(values.get("description", routine.description), template)
    variables = values.pop("variables", declared_of(routine.variables))
    values["variables"] = _declared(texts, variables)
    return values


def _move(tx: Tx, asked: Asked, routine: Routine, to: RoutineStatus) -> None:
    if not ROUTINE.allows(routine.status, to):
        raise Illegal("illegal_move", machine="routine", expect=routine.status, to=to)
    routines.move(tx, routine, to, asked.actor)
    if to is RoutineStatus.ARCHIVED:
        routine_faults.over(tx, routine)
    moved = get(tx, routine.id)
    for trigger in routines.triggers_of(tx, [routine.id])[routine.id]:
        set_next(tx, moved, trigger)


def _stop_triggers(tx: Tx, routine: Routine) -> None:
    gone = routines.get(tx, routine.id)
    assert gone is not None, "its row stays"
    for trigger in routines.triggers_of(tx, [routine.id])[routine.id]:
        set_next(tx, gone, trigger)

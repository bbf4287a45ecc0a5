"""The API's routes about routines (K-58), under the seed's own address."""

from typing import Annotated, Any, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.explanations import Explained, explained
from roundtable_desktop.dashboard.api.other_names import Assigned
from roundtable_desktop.dashboard.api.routine_words import (
    Cap,
    CatchUp,
    Policy,
    Priority,
    ProbeWord,
    Short,
    Template,
    TemplateWanted,
    Triggers,
    TriggerWanted,
    Variables,
    VariableWanted,
)
from roundtable_desktop.dashboard.api.routines_shown import (
    Firing,
    Routine,
    RoutineRow,
    detail,
    firing,
    row,
)
from roundtable_desktop.dashboard.api.shapes import Line, Ref, Text, asked
from roundtable_desktop.dashboard.reading import Asked, Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, routines
from roundtable_desktop.engine.desk.look_routines import LookRoutines
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model import routines as records
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    Probe,
    RoutineStatus,
    TriggerKind,
    VariableType,
)
from roundtable_desktop.model.webhooks import SigningMode

OFFICE = "/api/office/routines"


class RoutineWanted(Words, Assigned):
    workspace_id: Ref
    name: Line
    assignee_agent_id: Ref
    description: Text = ""
    concurrency_policy: Policy = "coalesce_if_active"
    catch_up_policy: CatchUp = "enqueue_missed_with_cap"
    catch_up_max: Cap = 25
    task_template: Template = None
    variables: Variables = Field(default_factory=list)
    priority: Priority = 0
    probe: ProbeWord = "none"
    triggers: Triggers = Field(default_factory=list)


class RoutineChange(Words, Assigned):
    """What is left out stays. `triggers` are all that there are from then on."""

    name: Line | None = None
    description: Text | None = None
    status: Literal["active", "paused", "archived"] | None = None
    assignee_agent_id: Ref | None = None
    concurrency_policy: Policy | None = None
    catch_up_policy: CatchUp | None = None
    catch_up_max: Cap | None = None
    task_template: Template = None
    variables: Variables | None = None
    priority: Priority | None = None
    probe: ProbeWord | None = None
    triggers: Triggers | None = None


class FireWanted(Words):
    variables: Annotated[dict[Short, records.Value | None], Field(max_length=200)] = Field(
        default_factory=dict
    )


class HeartbeatWanted(Words):
    agent_id: Ref


class RoutinesAsked(Paging):
    workspace_id: Ref | None = None


class RoutineAsked(Asked):
    """Nothing can be asked for; the detail is whole."""


def triggers_of(given: list[TriggerWanted]) -> list[Wanted]:
    return [
        Wanted(
            TriggerKind(one.kind) if one.kind else None,
            one.id,
            one.cron_expression,
            one.timezone,
            one.enabled,
            SigningMode(one.signing_mode) if one.signing_mode else None,
            one.secret,
            one.rotate,
            one.accept_unsigned,
        )
        for one in given
    ]


def _variables(given: list[VariableWanted]) -> list[records.Variable]:
    return [
        records.Variable(
            one.name, VariableType(one.type), one.default, one.required, tuple(one.options)
        )
        for one in given
    ]


def _stored(given: TemplateWanted | None) -> records.Template | None:
    return records.Template(given.title, given.description) if given else None


def new_of(body: RoutineWanted) -> NewRoutine:
    return NewRoutine(
        workspace_id=body.workspace_id,
        name=body.name,
        assignee_agent_id=body.assignee_agent_id,
        description=body.description,
        concurrency_policy=ConcurrencyPolicy(body.concurrency_policy),
        catch_up_policy=CatchUpPolicy(body.catch_up_policy),
        catch_up_max=body.catch_up_max,
        template=_stored(body.task_template),
        variables=_variables(body.variables),
        priority=body.priority,
        probe=Probe(body.probe),
        triggers=triggers_of(body.triggers),
    )


def changes_of(body: RoutineChange) -> dict[str, Any]:
    """What was named, as the desk takes it; `task_template` may be taken away with null."""
    named = {
        name: getattr(body, name)
        for name in body.model_fields_set
        if getattr(body, name) is not None and name not in ("task_template", "triggers")
    }
    codes: dict[str, Any] = {
        "status": RoutineStatus,
        "concurrency_policy": ConcurrencyPolicy,
        "catch_up_policy": CatchUpPolicy,
        "probe": Probe,
        "variables": _variables,
    }
    changes = {name: codes.get(name, lambda same: same)(value) for name, value in named.items()}
    if "task_template" in body.model_fields_set:
        changes["template"] = _stored(body.task_template)
    if body.triggers is not None:
        changes["triggers"] = triggers_of(body.triggers)
    return changes


def declare(api: Api, desk: Desk, look: LookRoutines) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)
    _declare_fires(api, desk, look)


def _declare_reads(api: Api, look: LookRoutines) -> None:
    @api.route("GET", OFFICE)
    def list_routines(query: RoutinesAsked) -> Listed[RoutineRow]:
        """Routines, newest first."""
        return listed(Listed[RoutineRow], query, look.all, row, id_of=lambda seen: seen.routine.id)

    @api.route("GET", f"{OFFICE}/<ref>")
    def show_routine(query: RoutineAsked, ref: str) -> Routine:
        """One of them, with its triggers, its last firings and its next ones."""
        return detail(look, ref)

    @api.route("GET", f"{OFFICE}/<ref>/explain")
    def explain_routine(ref: str) -> Explained:
        """When it fires next, and whether that will really run; else why not."""
        return explained(look.explain(look.one(ref)))


def _declare_commands(api: Api, desk: Desk, look: LookRoutines) -> None:
    @api.route("POST", OFFICE, status=201, errors=(404, 409))
    def create_routine(caller: Caller, body: RoutineWanted, once: Once | None) -> Routine:
        """It fires from now on. Variables that its texts use are declared by that."""
        made = routines.created(desk, asked(caller, once), new_of(body))
        return detail(look, made.routine.id, made.secrets)

    @api.route("PATCH", f"{OFFICE}/<ref>", errors=(404, 409, 412))
    def change_routine(
        caller: Caller, ref: str, body: RoutineChange, expected_revision: int | None
    ) -> Routine:
        """Changes what is named, and fires nothing that lay before."""
        by = asked(caller, revision=expected_revision)
        changes = changes_of(body)
        status, triggers = changes.pop("status", None), changes.pop("triggers", None)
        routine_id = look.one(ref).routine.id
        made = routines.edited(desk, by, routine_id, status, triggers, changes)
        return detail(look, routine_id, made.secrets)

    @api.route("DELETE", f"{OFFICE}/<ref>", status=204, errors=(404, 412))
    def delete_routine(caller: Caller, ref: str, expected_revision: int | None) -> None:
        """It is gone, and fires no more. Its history is kept in the database."""
        by = asked(caller, revision=expected_revision)
        routines.remove(desk, by, look.one(ref).routine.id)


def _declare_fires(api: Api, desk: Desk, look: LookRoutines) -> None:
    @api.route("POST", f"{OFFICE}/<ref>/fire", status=202, errors=(404, 409))
    def fire_routine(caller: Caller, ref: str, body: FireWanted, once: Once | None) -> Firing:
        """Runs it now, with these values. The same Idempotency-Key answers the same firing."""
        routine = look.one(ref).routine
        fired = routines.fire_now(desk, asked(caller, once), routine.id, body.variables)
        return firing(fired)

    @api.route("POST", f"{OFFICE}/heartbeat", status=201, errors=(404, 409))
    def install_heartbeat(caller: Caller, body: HeartbeatWanted, once: Once | None) -> Routine:
        """Installs a coordinator's own routine, where it has none (any more)."""
        made = routines.install_heartbeat(desk, asked(caller, once), body.agent_id)
        return detail(look, made.id)

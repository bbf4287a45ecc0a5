"""The API's routes about bundles: how workspaces are set up, to be read, kept and taken over."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from roundtable_desktop.dashboard.api.agents import (
    Command,
    Cooldown,
    Megabytes,
    Roles,
    Seconds,
    Sessions,
    Variable,
)
from roundtable_desktop.dashboard.api.routine_words import (
    Cap,
    CatchUp,
    Policy,
    Priority,
    Template,
    VariableWanted,
)
from roundtable_desktop.dashboard.api.settings import Change, WorkspaceChange
from roundtable_desktop.dashboard.api.shapes import Line, Object, Shown, Text, asked
from roundtable_desktop.dashboard.api.task_planning import Models
from roundtable_desktop.dashboard.reading import Asked, Words, faults_of
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked as By
from roundtable_desktop.engine.desk import Desk, bundles
from roundtable_desktop.engine.desk.bundles import Outcome
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.errors import InvalidFields
from roundtable_desktop.model.settings import Model

_THIS_MACHINE = ("port", "browser_host")
"""Settings that mean nothing anywhere else."""
PAGE = 200


class AgentPart(Words):
    """variables: the names of those that it needs; their values are secrets, and in no bundle."""

    name: Line
    role: Roles = "worker"
    adapter: Literal["acp", "command", "demo"]
    command: Command = Field(default_factory=list)
    permission_policy: Literal["ask", "allow", "deny"] = "ask"
    account: Line | None = None
    model: Model | None = None
    skip_idle_wakeups: bool | None = None
    flat_rate: bool = False
    fallback_models: Models = Field(default_factory=list)
    max_concurrent_sessions: Sessions = 1
    cooldown_sec: Cooldown = 10
    silence_limit_sec: Seconds = 600
    soft_timeout_sec: Seconds = 1800
    hard_timeout_sec: Seconds = 14_400
    memory_limit_mb: Megabytes = 0
    variables: Annotated[list[Variable], Field(default_factory=list, max_length=64)]


class SchedulePart(Words):
    cron: Annotated[str, Field(max_length=200)]
    timezone: Annotated[str, Field(max_length=64)] | None = None
    enabled: bool = True


class RoutinePart(Words):
    """agent: the name of who is woken. task: made each time; none makes it light."""

    name: Line
    agent: Line
    description: Text = ""
    status: Literal["active", "paused"] = "active"
    concurrency_policy: Policy = "coalesce_if_active"
    catch_up_policy: CatchUp = "enqueue_missed_with_cap"
    catch_up_max: Cap = 25
    task: Template = None
    variables: Annotated[list[VariableWanted], Field(default_factory=list, max_length=200)]
    priority: Priority = 0
    probe: Literal["none", "workspace_events"] = "none"
    schedules: Annotated[list[SchedulePart], Field(default_factory=list, max_length=100)]


class WorkspacePart(Words):
    """path: of the repository; a workspace is known by it."""

    path: Annotated[str, Field(min_length=2, max_length=4096, pattern=r"^/")]
    name: Line
    base_branch: Annotated[str, Field(min_length=1, max_length=250)]
    timezone: Annotated[str, Field(min_length=1, max_length=64)]
    delivery: Literal["approval", "auto"] = "approval"
    recovery_lookback_hours: Annotated[int, Field(ge=1, le=720)] = 24
    settings: WorkspaceChange = Field(default_factory=WorkspaceChange)  # type: ignore[valid-type]
    agents: Annotated[list[AgentPart], Field(default_factory=list, max_length=500)]
    routines: Annotated[list[RoutinePart], Field(default_factory=list, max_length=500)]


class Bundle(Words):
    """redacted: for reading only; what was taken out of it is missing."""

    version: Literal[1]
    redacted: bool = False
    settings: Change = Field(default_factory=Change)  # type: ignore[valid-type]
    workspaces: Annotated[list[WorkspacePart], Field(default_factory=list, max_length=500)]


class Exported(Shown):
    """A bundle as it is now; keys that are not set are left out, for null would unset them."""

    version: int
    redacted: bool
    settings: Object
    workspaces: list[Object]


class ExportAsked(Asked):
    redacted: bool = False


class ImportAsked(Words):
    """dry_run: only say what it would do."""

    bundle: Bundle
    dry_run: bool = False


class Done(Words):
    """did: added | changed | same. fields: what was changed. needs: names of variables whose
    values are to be given by hand."""

    what: str
    name: str
    did: str
    fields: list[str]
    needs: list[str]


class Imported(Words):
    items: list[Done]


def pack(desk: Desk, look: Look, *, redacted: bool) -> dict[str, Any]:
    """What stands here. No value of an agent's variable is in it, wherever it stood."""
    known = look.settings()[0]
    keys = [key for key in known.persons_keys() if key not in _THIS_MACHINE]
    raw: dict[str, Any] = {
        "version": 1,
        "redacted": redacted,
        "settings": {key: getattr(known, key) for key in keys},
        "workspaces": [_workspace(look, one) for one in _every(look.workspaces)],
    }
    return bundles.hidden(desk, raw, redacted=redacted)


def _every(page: Any, **filters: object) -> list[Any]:
    """Oldest first."""
    found: list[Any] = []
    after: str | None = None
    while True:
        some = page(after, PAGE, **filters)
        found += some
        if len(some) < PAGE:
            return found[::-1]
        after = getattr(some[-1], "routine", some[-1]).id


def _workspace(look: Look, one: records.Workspace) -> dict[str, Any]:
    agents = _every(look.agents, workspace_id=one.id)
    here = [agent for agent in agents if str(agent.status) != "retired"]
    routines = _every(look.routines.all, workspace_id=one.id, over=False)
    keys = ("path", "name", "base_branch", "timezone", "recovery_lookback_hours")
    return {
        **{key: getattr(one, key) for key in keys},
        "delivery": str(one.delivery),
        "settings": look.workspace_settings(one)[0].model_dump(mode="json", exclude_none=True),
        "agents": [bundles.agent_words(agent) for agent in here],
        "routines": [bundles.routine_words(seen) for seen in routines],
    }


def read(given: object) -> Bundle:
    """Raises InvalidFields, each with a pointer to what cannot be taken."""
    try:
        return Bundle.model_validate(given)
    except ValidationError as error:
        fields = [
            (fault.pointer, "bundle_field", {"text": fault.message})
            for fault in faults_of(error, given)
        ]
        raise InvalidFields("bundle_invalid", fields, first=_first(fields)) from None


def _first(fields: list[tuple[str, str, dict[str, str]]]) -> str:
    return f"{fields[0][0]}: {fields[0][2]['text']}"


def take(desk: Desk, look: Look, by: By, bundle: Bundle, *, dry_run: bool) -> Imported:
    """All of it is looked at first: where two things want one name, nothing is changed."""
    wanted = bundle.model_dump(mode="json")
    wanted["settings"] = bundle.settings.model_dump(mode="json", exclude_unset=True)  # type: ignore[attr-defined]
    for part, given in zip(wanted["workspaces"], bundle.workspaces, strict=True):
        part["settings"] = given.settings.model_dump(mode="json", exclude_unset=True)  # type: ignore[attr-defined]
    here = pack(desk, look, redacted=False)
    outcomes = bundles.take(desk, by, wanted, here, dry_run=dry_run)
    return Imported(items=list(_shown(outcomes)))


def _shown(outcomes: list[Outcome]) -> Iterator[Done]:
    for one in outcomes:
        fields, needs = sorted(one.fields), sorted(one.needs)
        yield Done(what=one.what, name=one.name, did=one.did, fields=fields, needs=needs)


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/export")
    def export_bundle(query: ExportAsked) -> Exported:
        """Settings, workspaces, agents and routines, without a secret."""
        return Exported.model_validate(pack(desk, look, redacted=query.redacted))

    @api.route("POST", "/api/v1/import", errors=(404, 409))
    def import_bundle(caller: Caller, body: ImportAsked) -> Imported:
        """Adds what is missing and changes what differs; doing it twice changes nothing."""
        return take(desk, look, asked(caller), body.bundle, dry_run=body.dry_run)

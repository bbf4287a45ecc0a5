"""The API's routes about `.roundtable/config.yaml`, and the form that such a file has."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from roundtable_desktop.dashboard.api.agents import (
    Command,
    Cooldown,
    Megabytes,
    Roles,
    Seconds,
    Sessions,
)
from roundtable_desktop.dashboard.api.other_names import InFile
from roundtable_desktop.dashboard.api.routine_words import (
    Cap,
    CatchUp,
    Policy,
    Priority,
    ProbeWord,
    Template,
    Variables,
    canon,
)
from roundtable_desktop.dashboard.api.shapes import Line, Moment, Shown, Text, asked, said
from roundtable_desktop.dashboard.problems import Refusal
from roundtable_desktop.dashboard.reading import Once, Words, refuse_blemishes
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, config
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.config import PATH, Fault, Seen, Wanted
from roundtable_desktop.model.errors import Invalid, InvalidFields
from roundtable_desktop.model.misfits import Misfit, misfits
from roundtable_desktop.model.settings import Model
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.misfits import unfit

Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

_LONGEST = 200
"""Of a pointer that is shown: names in it are a stranger's."""
_YOURS = ("enabled", "status", "paused_reason")
_SECRET = ("env", "secret", "secrets", "token", "signing_mode")


class WorkspacePart(Words):
    """What is left out stays as it is."""

    timezone: Annotated[str, Field(min_length=1, max_length=64)] = ""
    base_branch: Annotated[str, Field(min_length=1, max_length=250)] = ""
    delivery: Literal["approval", "auto"] = "approval"


class AgentPart(Words):
    """id: what the file knows it by. count: as many, called `<id>-1` and so on, whatever `name`
    says; else `name` is what it is called."""

    id: Key
    name: Line | None = None
    count: Annotated[int, Field(ge=0, le=100)] | None = None
    role: Roles = "worker"
    adapter: Literal["acp", "command", "demo"]
    command: Command = Field(default_factory=list)
    permission_policy: Literal["ask", "allow", "deny"] = "ask"
    account: Line | None = None
    model: Model | None = None
    skip_idle_wakeups: bool | None = None
    max_concurrent_sessions: Sessions = 1
    cooldown_sec: Cooldown = 10
    silence_limit_sec: Seconds = 600
    soft_timeout_sec: Seconds = 1800
    hard_timeout_sec: Seconds = 14_400
    memory_limit_mb: Megabytes = 0


class TriggerPart(Words):
    kind: Annotated[Literal["schedule"], canon] = "schedule"
    cron_expression: Annotated[str, Field(min_length=1, max_length=200)]
    timezone: Annotated[str, Field(max_length=64)] | None = None


class RoutinePart(Words, InFile):
    """As the API takes it; agent: an id of this file, or the name of an agent that is there."""

    name: Line
    agent: Line
    description: Text = ""
    concurrency_policy: Policy = "coalesce_if_active"
    catch_up_policy: CatchUp = "enqueue_missed_with_cap"
    catch_up_max: Cap = 25
    task_template: Template = None
    variables: Variables = Field(default_factory=list)
    priority: Priority = 0
    probe: ProbeWord = "none"
    triggers: Annotated[list[TriggerPart], Field(default_factory=list, max_length=20)]


class CheckPart(Words):
    """What is run on a mission's work before it is delivered, without a shell; 0 is well."""

    name: Line
    command: Command


class ConfigFile(Words):
    """`.roundtable/config.yaml`."""

    version: Literal[1]
    workspace: WorkspacePart = Field(default_factory=WorkspacePart)
    agents: Annotated[list[AgentPart], Field(default_factory=list, max_length=100)]
    routines: Annotated[list[RoutinePart], Field(default_factory=list, max_length=100)]
    checks: Annotated[list[CheckPart], Field(default_factory=list, max_length=20)]


def read(given: object) -> Wanted:
    """What a file asks for. Raises InvalidFields, each with a pointer to what cannot be taken."""
    try:
        refuse_blemishes(given, "config_broken")
        found = ConfigFile.model_validate(given)
    except Refusal as refused:
        faults = [(one.pointer, one.message) for one in refused.faults]
        raise _invalid(faults or [("", _("This is nested too deeply."))]) from None
    except ValidationError as error:
        raise _invalid([(one.pointer, _words(one)) for one in misfits(error, given)]) from None
    return found.model_dump(mode="json", exclude_unset=True, exclude={"version"})


def _invalid(faults: Sequence[tuple[str, str]]) -> InvalidFields:
    fields = [
        (at, "config_field", {"pointer": at[:_LONGEST] or "/", "text": message})
        for at, message in faults
    ]
    return InvalidFields("config_broken", fields)


def _words(one: Misfit) -> str:
    name = one.pointer.rpartition("/")[2] if one.unknown else ""
    if name in _YOURS:
        return _("This is yours to say, and never read from a file.")
    if name in _SECRET:
        return _("Secrets are never read from a file; “roundtable agent edit --env” sets them.")
    return unfit(one.code, one.values)


class ConfigFault(Shown):
    pointer: str
    line: int | None
    sentence: str


class ConfigChange(Words):
    """did: added | changed | retired | returned | archived."""

    what: str
    name: str
    did: str
    fields: list[str]


class Config(Words):
    """state: absent | accepted | waiting (for your word) | kept (what was accepted before holds) |
    broken (it cannot be accepted as it is).

    sha: of the file as it stands there now; content: without secrets. difference: from what was
    accepted. changes: what accepting it would do. wrote: whether the file was written just now.
    """

    path: str
    state: str
    sha: str | None
    content: str
    difference: str
    faults: list[ConfigFault]
    changes: list[ConfigChange]
    accepted_sha: str | None
    accepted_at: Moment | None
    wrote: bool


class ConfigAct(Words):
    """sha: of the content that you were shown; `accept` and `keep` need it."""

    action: Literal["look", "accept", "keep", "write"]
    sha: Sha | None = None


def shown(seen: Seen, *, wrote: bool = False) -> Config:
    return Config.model_validate(
        {
            "path": PATH,
            "state": str(seen.state),
            "sha": seen.sha,
            "content": seen.text,
            "difference": seen.difference,
            "faults": [_fault(one) for one in seen.faults],
            "changes": [
                ConfigChange(what=one.what, name=one.name, did=one.did, fields=sorted(one.values))
                for one in seen.changes
            ],
            "accepted_sha": seen.consent.accepted,
            "accepted_at": seen.consent.at,
            "wrote": wrote,
        },
        strict=False,
    )


def _fault(one: Fault) -> ConfigFault:
    return ConfigFault(
        pointer=one.pointer[:_LONGEST], line=one.line, sentence=said(one.code, dict(one.values))
    )


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/workspaces/<ref>/config")
    def show_config(ref: str) -> Config:
        """The repository's file as it is now, and what accepting it would change."""
        return shown(config.seen(desk, look.workspace(ref)))

    @api.route("POST", "/api/v1/workspaces/<ref>/config", errors=(404, 409))
    def act_on_config(caller: Caller, ref: str, body: ConfigAct, once: Once | None) -> Config:
        """Accepts the content that you were shown, or keeps what is; `write`: writes a file that
        changes nothing, where there is none; `look`: asks about it in the inbox if it is new."""
        workspace, by = look.workspace(ref), asked(caller, once)
        if body.action == "look":
            return shown(config.look(desk, workspace))
        if body.action == "write":
            seen, wrote = config.write(desk, by, workspace)
            return shown(seen, wrote=wrote)
        if body.sha is None:
            raise Invalid("config_sha_wanted", "/sha")
        act = config.accept if body.action == "accept" else config.keep
        return shown(act(desk, by, workspace, body.sha))

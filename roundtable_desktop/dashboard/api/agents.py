"""The API's routes about agents."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from roundtable_desktop.dashboard.api.shapes import Line, Moment, Ref, Shown, asked
from roundtable_desktop.dashboard.api.task_planning import Models
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, cut, example
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked, Desk, agents, held, pausing
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.roles import by_own_name
from roundtable_desktop.model.settings import Model
from roundtable_desktop.model.states import Adapter, AgentStatus, PermissionPolicy, Role
from roundtable_desktop.model.verdicts import Hold

Argument = Annotated[str, Field(max_length=16_384)]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Seconds = Annotated[int, Field(ge=1, le=7 * 86_400)]


Roles = Annotated[
    Literal[
        "coordinator", "worker", "specialist", "assistant", "reviewer", "architect", "debugger"
    ],
    BeforeValidator(by_own_name),
]
"""Taken by other systems' names as well (C-66)."""
Sessions = Annotated[int, Field(ge=1, le=64)]
Cooldown = Annotated[int, Field(ge=0, le=86_400)]
Command = Annotated[list[Argument], Field(max_length=256)]
Megabytes = Annotated[int, Field(ge=0, le=1 << 20)]


class NewAgent(Words):
    """command: a list of arguments, never a shell line. env: kept outside the database.

    account: who pays at the provider; agents with the same one wait together for its limits. Left
    out, the program says it.
    skip_idle_wakeups: a schedule alone does not wake it while it has no task; left out, that holds
    for every role but the coordinator.
    flat_rate: its runs cost nothing more than what is paid anyway: money shows as included.
    fallback_models: what it may use instead of its model, the first one first; in a mission the
    last one does what is small and optional. That is said wherever it is done.
    memory_limit_mb: what all processes of one run may use at once; 0: half of the machine's.
    """

    model_config = example(
        workspace_id="01k7m3zq8v0000000000000000",
        name="worker",
        adapter="acp",
        command=["opencode", "acp"],
    )

    workspace_id: Ref
    name: Line
    role: Roles = "worker"
    adapter: Literal["acp", "command", "demo"]
    command: Command = Field(default_factory=list)
    permission_policy: Literal["ask", "allow", "deny"] = "ask"
    account: Line | None = None
    model: Model | None = None
    env: Annotated[dict[Variable, Argument], Field(default_factory=dict, max_length=64)]
    skip_idle_wakeups: bool | None = None
    flat_rate: bool = False
    fallback_models: Models = Field(default_factory=list)
    max_concurrent_sessions: Sessions = 1
    cooldown_sec: Cooldown = 10
    silence_limit_sec: Seconds = 600
    soft_timeout_sec: Seconds = 1800
    hard_timeout_sec: Seconds = 14_400
    memory_limit_mb: Megabytes = 0


class AgentChange(Words):
    """What is left out stays. env: sets a variable, or takes it away with null; model: so too."""

    name: Line | None = None
    role: Roles | None = None
    command: Command | None = None
    permission_policy: Literal["ask", "allow", "deny"] | None = None
    account: Line | None = None
    model: Model | None = None
    env: dict[Variable, Argument | None] | None = None
    skip_idle_wakeups: bool | None = None
    flat_rate: bool | None = None
    fallback_models: Models | None = None
    max_concurrent_sessions: Sessions | None = None
    cooldown_sec: Cooldown | None = None
    silence_limit_sec: Seconds | None = None
    soft_timeout_sec: Seconds | None = None
    hard_timeout_sec: Seconds | None = None
    memory_limit_mb: Megabytes | None = None


class Stop(Words):
    """now: what it works on is ended too; else that goes on to its end."""

    now: bool = False


class AgentsAsked(Paging):
    workspace_id: Ref | None = None


class Agent(Shown):
    """status: `idle` and `working` are derived from live runs.

    held_until, held_by: nothing starts for it, because its account is at a limit (`account`,
    `model`), one run tries whether that is over (`trial`) or starts are spread (`spread`).
    """

    id: str
    workspace_id: str
    name: str
    role: str
    adapter: str
    command: list[str]
    env_names: list[str]
    status: str
    paused_reason: str | None
    permission_policy: str
    account: str
    model: str | None
    working: int
    held_until: Moment | None
    held_by: str | None
    skip_idle_wakeups: bool
    flat_rate: bool
    fallback_models: list[str]
    max_concurrent_sessions: int
    cooldown_sec: int
    silence_limit_sec: int
    soft_timeout_sec: int
    hard_timeout_sec: int
    memory_limit_mb: int
    last_wakeup_finished_at: Moment | None
    last_heartbeat_at: Moment | None
    created_at: Moment
    updated_at: Moment
    revision: int


LIMITS = (
    "max_concurrent_sessions",
    "cooldown_sec",
    "silence_limit_sec",
    "soft_timeout_sec",
    "hard_timeout_sec",
    "memory_limit_mb",
)


def shown(look: Look, found: Sequence[records.Agent]) -> list[Agent]:
    """With what they do now, and what of their provider they wait for."""
    working, waits, alive = look.working(found), look.held(found), look.pulses(found)
    return [_shown(one, working[one.id], waits[one.id], alive[one.id]) for one in found]


def _shown(agent: records.Agent, working: int, waits: Hold | None, alive: datetime | None) -> Agent:
    status: str = agent.status
    if agent.status is AgentStatus.ACTIVE:
        status = "working" if working else "idle"
    until, by = (waits.until, waits.held_by) if waits else (None, None)
    fallback = list(agent.fallback_models)
    more = {"working": working, "held_until": until, "held_by": by, "fallback_models": fallback}
    return Agent.of(agent, status=status, last_heartbeat_at=alive, **more)


def add(desk: Desk, by: Asked, body: NewAgent) -> records.Agent:
    return agents.add(
        desk,
        by,
        body.workspace_id,
        name=body.name,
        adapter=Adapter(body.adapter),
        command=body.command,
        role=Role(body.role),
        env=body.env,
        permission_policy=PermissionPolicy(body.permission_policy),
        account=body.account,
        model=body.model,
        skip_idle_wakeups=body.skip_idle_wakeups,
        flat_rate=body.flat_rate,
        fallback_models=body.fallback_models,
        **{limit: getattr(body, limit) for limit in LIMITS},
    )


def change(desk: Desk, by: Asked, agent_id: str, body: AgentChange) -> records.Agent:
    given = {name: value for name, value in body if value is not None}
    if "model" in body.model_fields_set:
        given["model"] = body.model
    env = given.pop("env", None)
    return agents.edit(desk, by, agent_id, env=env, **given)


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads_and_adding(api, desk, look)
    _declare_pausing(api, desk, look)


def _declare_pausing(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/agents/<ref>/pause", errors=(404, 409, 412))
    def pause_agent(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> Agent:
        """Nothing is launched for it until it is resumed; what runs goes on."""
        who = asked(caller, once, expected_revision)
        now = pausing.pause(desk, who, look.agent(ref).id)
        return shown(look, [now])[0]

    @api.route("POST", "/api/v1/agents/<ref>/resume", errors=(404, 409, 412))
    def resume_agent(
        caller: Caller, ref: str, once: Once | None, expected_revision: int | None
    ) -> Agent:
        """It may work again; what its pause kept back is queued anew."""
        who = asked(caller, once, expected_revision)
        now = pausing.resume(desk, who, look.agent(ref).id)
        return shown(look, [now])[0]

    @api.route("POST", "/api/v1/agents/<ref>/stop", errors=(404, 409, 412))
    def stop_agent(
        caller: Caller, ref: str, body: Stop, once: Once | None, expected_revision: int | None
    ) -> Agent:
        """Nothing is launched for it until it is resumed; its runs end by themselves, or now."""
        who = asked(caller, once, expected_revision)
        now = pausing.stop(desk, who, look.agent(ref).id, now=body.now)
        return shown(look, [now])[0]

    @api.route("POST", "/api/v1/agents/<ref>/try-now", errors=(404, 409))
    def try_agent_now(caller: Caller, ref: str, once: Once | None) -> Agent:
        """The limit of its account may be over: one wakeup of the account goes first at once."""
        return shown(look, [held.try_now(desk, asked(caller, once), look.agent(ref).id)])[0]


def _declare_reads_and_adding(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/agents")
    def list_agents(query: AgentsAsked) -> Listed[Agent]:
        """Agents, newest first."""
        found = look.agents(query.after, query.limit + 1, workspace_id=query.workspace_id)
        kept, cursor = cut(found, query.limit)
        return Listed[Agent](items=shown(look, kept), next_cursor=cursor)

    @api.route("POST", "/api/v1/agents", status=201, errors=(404, 409))
    def create_agent(caller: Caller, body: NewAgent, once: Once | None) -> Agent:
        """Adds somebody who can be woken."""
        made = add(desk, asked(caller, once), body)
        return shown(look, [made])[0]

    @api.route("GET", "/api/v1/agents/<ref>")
    def show_agent(ref: str) -> Agent:
        """One of them."""
        found = look.agent(ref)
        return shown(look, [found])[0]

    @api.route("PATCH", "/api/v1/agents/<ref>", errors=(404, 409, 412))
    def change_agent(
        caller: Caller, ref: str, body: AgentChange, expected_revision: int | None
    ) -> Agent:
        """Holds from its next run on; its variables can be changed while it does not work."""
        by = asked(caller, revision=expected_revision)
        changed = change(desk, by, look.agent(ref).id, body)
        return shown(look, [changed])[0]

"""The rows of the store as frozen values; instants are aware datetimes in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    Adapter,
    AgentStatus,
    DeliveryMode,
    InboxKind,
    InboxStatus,
    Level,
    PermissionPolicy,
    Role,
    RunOutcome,
    RunStatus,
    Severity,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it: a person, an agent (its id), or the product itself."""

    type: str  # person | agent | system
    id: str


SYSTEM = Actor("system", "roundtable")
PERSON = Actor("person", "owner")
"""The one person that this home belongs to."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event, an idempotency key or a decision is about."""

    type: str
    id: str


def _wakes(snapshot: Json) -> list[Json]:
    wakes = snapshot.get("wakes")
    return list(wakes) if isinstance(wakes, list) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    id: int
    at: datetime
    kind: str
    actor_type: str
    actor_id: str
    workspace_id: str | None
    subject_type: str
    subject_id: str
    data: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A registered git repository.

    path: the working tree that the user registered. git_dir: its common git folder, absolute.
    git_settings: what the user's own configuration says of bytes and names (autocrlf, …), read
    once with the real HOME at registration and passed to every git call of ours.
    """

    id: str
    number: int
    name: str
    path: str
    git_dir: str
    base_branch: str
    timezone: str
    delivery: DeliveryMode
    author_name: str
    author_email: str
    git_settings: Mapping[str, str]
    last_task_number: int
    created_at: datetime
    updated_at: datetime
    revision: int
    recovery_lookback_hours: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who can be woken. env_names: variables whose values lie in the home's secrets, not here.

    account: who pays at the provider; agents with the same one wait for its limits together.
    model: what it uses unless a task says otherwise; None: what the levels below it say.
    flat_rate: its runs cost nothing more than what is paid anyway.
    skip_idle_wakeups: a scheduled wake of a light routine is skipped while it has no task (K-27).
    """

    id: str
    workspace_id: str
    name: str
    role: Role
    adapter: Adapter
    command: tuple[str, ...]
    env_names: tuple[str, ...]
    status: AgentStatus
    paused_reason: str | None
    permission_policy: PermissionPolicy
    max_concurrent_sessions: int
    cooldown_sec: int
    silence_limit_sec: int
    soft_timeout_sec: int
    hard_timeout_sec: int
    last_wakeup_finished_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int
    account: str
    model: str | None
    skip_idle_wakeups: bool
    memory_limit_mb: int = 0
    fallback_models: tuple[str, ...] = ()
    flat_rate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Work to do. `number` counts per workspace (T-14).

    attempts_spent: of `retry_budget`; the same failure twice costs two (A-08).
    blocked: {"owner", "action", "reason"} while status is `blocked` (C-24).
    afresh_at: wakes of before do not count for the sweep: assigned or opened anew then (C-50).
    project: a label; settings of the workspace hold for all tasks that bear it (C-67).
    routine_id: the routine that made it; such tasks are hidden from lists unless asked for (K-19).
    acceptance: by what its work is judged, in words; expected_files: paths that it should change.
    mission_id: of the mission that it belongs to; its planner alone wakes it then (C-96).
    write_area: paths and globs that it may change; of two that meet one waits (A-14).
    optional: its mission may converge though it failed. about_task_id: what it repairs or checks.
    model_policy: {"kind": "scheduler_forced"|"agent_select", "models"} (A-32).
    """

    id: str
    workspace_id: str
    number: int
    title: str
    description: str
    status: TaskStatus
    parent_id: str | None
    assignee_agent_id: str | None
    assignment_seq: int
    base_branch: str
    delivery: DeliveryMode
    retry_budget: int
    attempts_spent: int
    attempt_wakeups: int
    last_failure_signature: str | None
    blocked: Json | None
    checkout_agent_id: str | None
    checkout_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int
    afresh_at: datetime
    project: str | None
    model: str | None
    routine_id: str | None
    requires_approval: bool = False
    workspace_strategy: WorkspaceStrategy = WorkspaceStrategy.ISOLATED_COPY
    acceptance: str = ""
    expected_files: tuple[str, ...] = ()
    mission_id: str | None = None
    write_area: tuple[str, ...] = ()
    priority: int = 0
    optional: bool = False
    model_policy: Json | None = None
    purpose: Purpose = Purpose.WORK
    about_task_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakeup:
    """A durable request to wake one agent (table `agent_wakeup_requests`, K-56).

    coalesced_count: how many wakes it carries; their causes are in `context_snapshot` (C-86).
    coalesced_into: the wakeup that carries this one, when it was merged.
    setbacks: how often in a row the owner died over it, or it could not be judged (F-10).
    """

    id: str
    workspace_id: str
    agent_id: str
    task_id: str | None
    source: Source
    reason: str
    payload: Json
    status: WakeupStatus
    outcome: WakeupOutcome | None
    cancel_reason: str | None
    scope: str
    coalesced_count: int
    coalesced_into: str | None
    idempotency_key: str | None
    retry_count: int
    scheduled_retry_at: datetime | None
    held_by: str | None
    context_snapshot: Json
    decisions: tuple[Json, ...]
    rank: int
    run_id: str | None
    requested_at: datetime
    claimed_at: datetime | None
    finished_at: datetime | None
    setbacks: int

    @property
    def about(self) -> str | None:
        """The task that it is about: its own, or the one whose work is to be judged."""
        judged = self.payload.get("task_id") if self.payload.get("gate_id") else None
        return self.task_id or (str(judged) if judged else None)

    def causes(self) -> list[Json]:
        """Each wake that it carries: {wakeup_id, source, payload, at (µs)} (C-86), and of one that
        is told in place of others like it `stands_for`: their number with it."""
        return _wakes(self.context_snapshot)


def stands_for(wake: Json) -> int:
    number = wake.get("stands_for")
    return number if isinstance(number, int) else 1


BY_PERSON = "stopped_by"
"""In what is kept of a run's end, with who it was: a person stopped this one run, so that nothing
tries it again however it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution of an agent for a wakeup; bound to a task it is one attempt (C-48).

    fence: secret word of this attempt; what does not name it is a stale attempt's.
    resume_prompt: sent instead of the whole one when the conversation could be loaded; then it
    becomes the assembled one.
    session_id: the agent's own name for the conversation.
    usage: summed over its turns, as far as it was said; `unknown` names what was not said of all.
    waiting_since: a permission ask is open; that is no state.
    spool_offset, spool_seq: how far the runner's messages were applied.
    ended: what the runner's last message said; the run is settled from it.
    copy_number: of a run without a task, which of its agent's copies it works in.
    left_commit: what such a run left there, kept as `refs/roundtable/left/<run>`.
    copy_kept: the copy stays as it is: what is in it could not be kept elsewhere.
    model: what its agent was told to use, and model_from who said so; None: its own default.
    """

    id: str
    workspace_id: str
    wakeup_id: str
    agent_id: str
    task_id: str | None
    attempt_index: int | None
    idempotency_key: str
    status: RunStatus
    outcome: RunOutcome | None
    fence: str
    payload: Json
    context_snapshot: Json
    assembled_prompt: str
    resume_prompt: str
    summary_injected: str
    base_commit: str | None
    session_id: str | None
    mcp_token_hash: str | None
    usage: Json | None
    waiting_since: datetime | None
    spool_offset: int
    spool_seq: int
    ended: Json | None
    result_json: Json
    output_summary: str
    exit_code: int | None
    error_kind: str | None
    error_text: str | None
    error_signature: str | None
    created_at: datetime
    started_at: datetime | None
    last_pulse_at: datetime | None
    ended_at: datetime | None
    copy_number: int | None
    left_commit: str | None
    copy_kept: bool
    model: str | None
    model_from: Level | None

    @property
    def stopping(self) -> bool:
        """A person asked for its end, and it has not come yet."""
        return self.status in LIVE_RUNS and BY_PERSON in (self.ended or {})

    @property
    def gate_id(self) -> str | None:
        """Of the gate for which it judges somebody's work: the task's and the proposal's ids are in
        its payload, for it works on neither."""
        found = self.payload.get("gate_id")
        return str(found) if found else None

    @property
    def judged_task_id(self) -> str | None:
        return str(self.payload["task_id"]) if self.gate_id else None

    def causes(self) -> list[Json]:
        """As its wakeup carried them when it was launched."""
        return _wakes(self.context_snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What somebody said about a task; run_id when an agent said it. via: the channel (C-94)."""

    id: str
    task_id: str
    author_type: str  # person | agent | system
    author_id: str
    run_id: str | None
    text: str
    created_at: datetime

    @property
    def via(self) -> str | None:
        others = self.author_type != PERSON.type or self.author_id == PERSON.id
        return None if others else self.author_id


SAID_APART = (
    *("quarantined", "malformed", "circuit_open", "gave_up"),
    *("special_file", "failed_task", "failed_wake"),
    *("budget_near", "budget_reached"),
    *("restored", "copied", "database_damaged", "backup_failed", "repository_moved"),
    *("config_new", "config_broken", "config_unusable"),
    *("gate_too_few", "gate_returns", "returned_to_nobody"),
    *("review_findings", "review_assessed", "mission_blocked"),
)
"""Outcomes that have a sentence of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """What needs the person. key: of what it is about, so that it is there once.

    data of a permission: {run_id, ask, text, options: [{id, name, kind}]}; of an error: {agent_id,
    run_id, wakeup_id, outcome, error_kind, options}.
    resolution: {"by", "option"?} once it is resolved.
    """

    id: str
    workspace_id: str
    kind: InboxKind
    severity: Severity
    key: str
    subject_type: str
    subject_id: str
    status: InboxStatus
    data: Json
    resolution: Json | None
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    revision: int

    @property
    def code(self) -> str:
        """Of the sentence that says what it is about."""
        said = self.data.get("says") or self.data.get("outcome")
        if self.kind is InboxKind.APPROVAL and self.data.get("agent_id"):
            return "inbox_approval_asked"  # an agent's own question says more
        if self.kind is InboxKind.BLOCKED and self.data.get("owner") != "user":
            return "inbox_blocked_on_others"
        apart = said in SAID_APART or self.subject_type == "routine"
        return f"inbox_{said if apart else self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of a run, by an identity that no other process can have (C-91)."""

    run_id: str
    pid: int
    boot_id: str
    start_ticks: int
    role: str  # runner | agent
    started_at: datetime
    ended_at: datetime | None

"""The tables as peewee models, bound to no database: every query is handed one (law 6).

A test compares them with `sqlite_master`; the migrations are the truth.
"""

import peewee as pw

from roundtable_desktop.model import copies, states
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.store.awake_tables import AwakeHours
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table
from roundtable_desktop.store.gate_tables import Gates, Verdicts
from roundtable_desktop.store.merge_tables import MERGE_TABLES
from roundtable_desktop.store.mission_tables import MISSION_TABLES
from roundtable_desktop.store.review_tables import MissionReviews
from roundtable_desktop.store.routine_tables import Firings, Routines, Triggers
from roundtable_desktop.store.sitting_tables import SITTING_TABLES
from roundtable_desktop.store.summary_tables import Summaries
from roundtable_desktop.store.turn_tables import TURN_TABLES
from roundtable_desktop.store.usage_tables import USAGE_TABLES
from roundtable_desktop.store.webhook_tables import WebhookDeliveries


class Workspaces(Table):
    id = pw.TextField(primary_key=True)
    number = pw.IntegerField()
    name = pw.TextField()
    path = pw.TextField()
    git_dir = pw.TextField()
    base_branch = pw.TextField()
    timezone = pw.TextField()
    delivery = CodeField(states.DeliveryMode)
    author_name = pw.TextField()
    author_email = pw.TextField()
    git_settings = JsonField(default=dict)
    last_task_number = pw.IntegerField(default=0)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)
    recovery_lookback_hours = pw.IntegerField(default=24)


class Agents(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    name = pw.TextField()
    role = CodeField(states.Role)
    adapter = CodeField(states.Adapter)
    command = JsonField()
    env_names = JsonField(default=list)
    status = CodeField(states.AgentStatus)
    paused_reason = pw.TextField(null=True)
    permission_policy = CodeField(states.PermissionPolicy, default="ask")
    max_concurrent_sessions = pw.IntegerField(default=1)
    cooldown_sec = pw.IntegerField(default=10)
    silence_limit_sec = pw.IntegerField(default=600)
    soft_timeout_sec = pw.IntegerField(default=1800)
    hard_timeout_sec = pw.IntegerField(default=14400)
    last_wakeup_finished_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)
    account = pw.TextField(default="")
    model = pw.TextField(null=True)
    skip_idle_wakeups = pw.BooleanField(default=True)
    memory_limit_mb = pw.IntegerField(default=0)
    flat_rate = pw.BooleanField(default=False)
    fallback_models = JsonField(default=list)


class Tasks(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    number = pw.IntegerField()
    title = pw.TextField()
    description = pw.TextField(default="")
    status = CodeField(states.TaskStatus)
    parent_id = pw.TextField(null=True)
    assignee_agent_id = pw.TextField(null=True)
    assignment_seq = pw.IntegerField(default=0)
    base_branch = pw.TextField()
    delivery = CodeField(states.DeliveryMode)
    retry_budget = pw.IntegerField(default=3)
    attempts_spent = pw.IntegerField(default=0)
    attempt_wakeups = pw.IntegerField(default=0)
    last_failure_signature = pw.TextField(null=True)
    blocked = JsonField(null=True)
    checkout_agent_id = pw.TextField(null=True)
    checkout_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)
    afresh_at = InstantField(default=0)
    project = pw.TextField(null=True)
    model = pw.TextField(null=True)
    routine_id = pw.TextField(null=True)
    requires_approval = pw.BooleanField(default=False)
    workspace_strategy = CodeField(
        copies.WorkspaceStrategy, default=copies.WorkspaceStrategy.ISOLATED_COPY
    )
    acceptance = pw.TextField(default="")
    expected_files = JsonField(default=list)
    mission_id = pw.TextField(null=True)
    write_area = JsonField(default=list)
    priority = pw.IntegerField(default=0)
    optional = pw.BooleanField(default=False)
    model_policy = JsonField(null=True)
    purpose = CodeField(Purpose, default=Purpose.WORK)
    about_task_id = pw.TextField(null=True)


class TaskDependencies(Table):
    task_id = pw.TextField()
    depends_on_task_id = pw.TextField()
    dependency_type = CodeField(states.DependencyType)
    reason = pw.TextField(default="")
    source = CodeField(states.DependencySource)
    created_at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("task_id", "depends_on_task_id")


class Approvals(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    task_id = pw.TextField()
    run_id = pw.TextField(null=True)
    agent_id = pw.TextField(null=True)
    text = pw.TextField(default="")
    status = CodeField(states.ApprovalStatus)
    decision_note = pw.TextField(null=True)
    decided_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)


class Wakeups(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    agent_id = pw.TextField()
    task_id = pw.TextField(null=True)
    source = CodeField(states.Source)
    reason = pw.TextField()
    payload = JsonField(default=dict)
    status = CodeField(states.WakeupStatus)
    outcome = CodeField(states.WakeupOutcome, null=True)
    cancel_reason = pw.TextField(null=True)
    scope = pw.TextField()
    coalesced_count = pw.IntegerField(default=1)
    coalesced_into = pw.TextField(null=True)
    idempotency_key = pw.TextField(null=True)
    retry_count = pw.IntegerField(default=0)
    scheduled_retry_at = InstantField(null=True)
    held_by = pw.TextField(null=True)
    context_snapshot = JsonField(default=dict)
    decisions = JsonField(default=list)
    rank = pw.IntegerField()
    run_id = pw.TextField(null=True)
    requested_at = InstantField()
    claimed_at = InstantField(null=True)
    finished_at = InstantField(null=True)
    setbacks = pw.IntegerField(default=0)

    class Meta:
        table_name = "agent_wakeup_requests"


class Runs(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    wakeup_id = pw.TextField()
    agent_id = pw.TextField()
    task_id = pw.TextField(null=True)
    attempt_index = pw.IntegerField(null=True)
    idempotency_key = pw.TextField()
    status = CodeField(states.RunStatus)
    outcome = CodeField(states.RunOutcome, null=True)
    fence = pw.TextField()
    payload = JsonField(default=dict)
    context_snapshot = JsonField(default=dict)
    assembled_prompt = pw.TextField(default="")
    resume_prompt = pw.TextField(default="")
    summary_injected = pw.TextField(default="")
    base_commit = pw.TextField(null=True)
    session_id = pw.TextField(null=True)
    mcp_token_hash = pw.TextField(null=True)
    usage = JsonField(null=True)
    waiting_since = InstantField(null=True)
    spool_offset = pw.IntegerField(default=0)
    spool_seq = pw.IntegerField(default=0)
    ended = JsonField(null=True)
    result_json = JsonField(default=dict)
    output_summary = pw.TextField(default="")
    exit_code = pw.IntegerField(null=True)
    error_kind = pw.TextField(null=True)
    error_text = pw.TextField(null=True)
    error_signature = pw.TextField(null=True)
    created_at = InstantField()
    started_at = InstantField(null=True)
    last_pulse_at = InstantField(null=True)
    ended_at = InstantField(null=True)
    copy_number = pw.IntegerField(null=True)
    left_commit = pw.TextField(null=True)
    copy_kept = pw.BooleanField(default=False)
    model = pw.TextField(null=True)
    model_from = CodeField(states.Level, null=True)


class Comments(Table):
    id = pw.TextField(primary_key=True)
    task_id = pw.TextField()
    author_type = pw.TextField()
    author_id = pw.TextField()
    run_id = pw.TextField(null=True)
    text = pw.TextField()
    created_at = InstantField()


class Sessions(Table):
    agent_id = pw.TextField()
    task_id = pw.TextField()
    external_id = pw.TextField()
    run_id = pw.TextField()
    created_at = InstantField()
    updated_at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("agent_id", "task_id")


class InboxItems(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    kind = CodeField(states.InboxKind)
    severity = CodeField(states.Severity)
    key = pw.TextField()
    subject_type = pw.TextField()
    subject_id = pw.TextField()
    status = CodeField(states.InboxStatus)
    data = JsonField(default=dict)
    resolution = JsonField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    resolved_at = InstantField(null=True)
    revision = pw.IntegerField(default=1)


class AgentProcesses(Table):
    run_id = pw.TextField()
    pid = pw.IntegerField()
    boot_id = pw.TextField()
    start_ticks = pw.IntegerField()
    role = pw.TextField()
    started_at = InstantField()
    ended_at = InstantField(null=True)

    class Meta:
        primary_key = pw.CompositeKey("run_id", "role")


class Leases(Table):
    kind = pw.TextField()
    key = pw.TextField()
    run_id = pw.TextField()
    created_at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("kind", "key")


class Proposals(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    task_id = pw.TextField()
    run_id = pw.TextField(null=True)
    base_commit = pw.TextField()
    head_commit = pw.TextField()
    status = CodeField(states.ProposalStatus)
    files = JsonField(default=list)
    held = JsonField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)


class Deliveries(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    proposal_id = pw.TextField()
    branch = pw.TextField()
    old_commit = pw.TextField(null=True)
    new_commit = pw.TextField(null=True)
    into_checkout = pw.BooleanField()
    status = CodeField(states.DeliveryStatus)
    reason = JsonField(null=True)
    created_at = InstantField()
    ended_at = InstantField(null=True)


class Events(Table):
    id = pw.AutoField()
    at = InstantField()
    kind = pw.TextField()
    actor_type = pw.TextField()
    actor_id = pw.TextField()
    workspace_id = pw.TextField(null=True)
    subject_type = pw.TextField()
    subject_id = pw.TextField()
    data = JsonField(default=dict)


class Settings(Table):
    scope = pw.TextField()
    scope_id = pw.TextField(default="")
    key = pw.TextField()
    value = JsonField()
    updated_at = InstantField()
    actor = pw.TextField()

    class Meta:
        primary_key = pw.CompositeKey("scope", "scope_id", "key")


class IdempotencyKeys(Table):
    actor = pw.TextField()
    key = pw.TextField()
    fingerprint = pw.TextField()
    subject_type = pw.TextField()
    subject_id = pw.TextField()
    created_at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("actor", "key")


class ProviderHolds(Table):
    account = pw.TextField()
    agent_id = pw.TextField(default="")
    state = CodeField(states.HoldState)
    until_at = InstantField()
    kind = CodeField(states.ErrorKind)
    model = pw.TextField(null=True)
    told = pw.TextField(null=True)
    tries = pw.IntegerField(default=0)
    run_id = pw.TextField()
    trial_id = pw.TextField(null=True)
    trial_until_at = InstantField(null=True)
    since_at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("account", "agent_id")


class WebSessions(Table):
    id_hash = pw.TextField(primary_key=True)
    created_at = InstantField()
    seen_at = InstantField()


TABLES: tuple[type[Table], ...] = (
    Workspaces,
    Agents,
    Tasks,
    TaskDependencies,
    Approvals,
    Wakeups,
    Runs,
    Comments,
    Sessions,
    InboxItems,
    AgentProcesses,
    Leases,
    Proposals,
    Deliveries,
    ProviderHolds,
    Events,
    Settings,
    IdempotencyKeys,
    WebSessions,
    Routines,
    Triggers,
    Firings,
    Summaries,
    WebhookDeliveries,
    Gates,
    Verdicts,
    AwakeHours,
    *USAGE_TABLES,
    *MISSION_TABLES,
    *SITTING_TABLES,
    *MERGE_TABLES,
    MissionReviews,
    *TURN_TABLES,
)

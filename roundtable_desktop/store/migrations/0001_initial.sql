-- Every `_at` column holds whole UTC microseconds; JSON columns hold objects or lists.

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    git_dir TEXT NOT NULL,
    base_branch TEXT NOT NULL,
    timezone TEXT NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('approval', 'auto')),
    author_name TEXT NOT NULL,
    author_email TEXT NOT NULL,
    git_settings TEXT NOT NULL DEFAULT '{}',
    last_task_number INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    adapter TEXT NOT NULL,
    command TEXT NOT NULL,
    env_names TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'stopped', 'retired')),
    paused_reason TEXT,
    permission_policy TEXT NOT NULL DEFAULT 'ask'
        CHECK (permission_policy IN ('ask', 'allow', 'deny')),
    max_concurrent_sessions INTEGER NOT NULL DEFAULT 1,
    cooldown_sec INTEGER NOT NULL DEFAULT 10,
    silence_limit_sec INTEGER NOT NULL DEFAULT 600,
    soft_timeout_sec INTEGER NOT NULL DEFAULT 1800,
    hard_timeout_sec INTEGER NOT NULL DEFAULT 14400,
    last_wakeup_finished_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL CHECK (status IN (
        'todo', 'in_progress', 'in_review', 'blocked', 'interrupted', 'done', 'failed', 'cancelled'
    )),
    parent_id TEXT REFERENCES tasks (id),
    assignee_agent_id TEXT REFERENCES agents (id),
    assignment_seq INTEGER NOT NULL DEFAULT 0,
    base_branch TEXT NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('approval', 'auto')),
    retry_budget INTEGER NOT NULL DEFAULT 3,
    attempts_spent INTEGER NOT NULL DEFAULT 0,
    attempt_wakeups INTEGER NOT NULL DEFAULT 0,
    last_failure_signature TEXT,
    blocked TEXT,
    checkout_agent_id TEXT,
    checkout_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, number)
) STRICT;
CREATE INDEX tasks_status ON tasks (workspace_id, status, id);
CREATE INDEX tasks_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE comments (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id),
    author_type TEXT NOT NULL CHECK (author_type IN ('person', 'agent')),
    author_id TEXT NOT NULL,
    run_id TEXT,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX comments_task ON comments (task_id, id);

-- A conversation with an agent that later runs of the same task can load again (K-48).
CREATE TABLE sessions (
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    external_id TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, task_id)
) STRICT;

CREATE TABLE agent_wakeup_requests (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT,
    source TEXT NOT NULL CHECK (source IN (
        'routine', 'comment', 'agent_error', 'self', 'user', 'task_assigned',
        'task_blockers_resolved', 'task_children_completed', 'approval_resolved', 'budget_alert'
    )),
    reason TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}',
    status TEXT NOT NULL CHECK (status IN (
        'queued', 'claimed', 'coalesced', 'skipped', 'finished', 'failed', 'cancelled'
    )),
    outcome TEXT,
    cancel_reason TEXT,
    scope TEXT NOT NULL,
    coalesced_count INTEGER NOT NULL DEFAULT 1,
    coalesced_into TEXT REFERENCES agent_wakeup_requests (id),
    idempotency_key TEXT,
    retry_count INTEGER NOT NULL DEFAULT 0,
    scheduled_retry_at INTEGER,
    held_by TEXT,
    context_snapshot TEXT NOT NULL DEFAULT '{}',
    decisions TEXT NOT NULL DEFAULT '[]',
    rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 3),
    run_id TEXT,
    requested_at INTEGER NOT NULL,
    claimed_at INTEGER,
    finished_at INTEGER
) STRICT;
CREATE UNIQUE INDEX wakeups_idempotency_key ON agent_wakeup_requests (idempotency_key);
CREATE INDEX wakeups_agent_status ON agent_wakeup_requests (agent_id, status);
CREATE INDEX wakeups_task_status ON agent_wakeup_requests (task_id, status);
-- The claim walks this one: an agent's oldest waiting wakeup, deferred ones out of the way (C-99).
CREATE INDEX wakeups_waiting ON agent_wakeup_requests (agent_id, rank, requested_at, id)
    WHERE status = 'queued' AND scheduled_retry_at IS NULL;
CREATE INDEX wakeups_deferred ON agent_wakeup_requests (scheduled_retry_at)
    WHERE status = 'queued' AND scheduled_retry_at IS NOT NULL;

-- What a resume brings back (C-10).
CREATE INDEX wakeups_kept_back ON agent_wakeup_requests (agent_id, id)
    WHERE outcome IN ('agent_paused', 'agent_stopped');
-- What a new wake may join: one that nobody has taken up (K-13).
CREATE INDEX wakeups_joinable ON agent_wakeup_requests (agent_id, scope, source)
    WHERE status = 'queued';

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    wakeup_id TEXT NOT NULL REFERENCES agent_wakeup_requests (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT,
    attempt_index INTEGER,
    idempotency_key TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL CHECK (status IN (
        'starting', 'running', 'finished', 'failed', 'cancelled'
    )),
    outcome TEXT,
    fence TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}',
    context_snapshot TEXT NOT NULL DEFAULT '{}',
    assembled_prompt TEXT NOT NULL DEFAULT '',
    resume_prompt TEXT NOT NULL DEFAULT '',
    summary_injected TEXT NOT NULL DEFAULT '',
    base_commit TEXT,
    session_id TEXT,
    mcp_token_hash TEXT,
    usage TEXT,
    waiting_since INTEGER,
    spool_offset INTEGER NOT NULL DEFAULT 0,
    spool_seq INTEGER NOT NULL DEFAULT 0,
    ended TEXT,
    result_json TEXT NOT NULL DEFAULT '{}',
    output_summary TEXT NOT NULL DEFAULT '',
    exit_code INTEGER,
    error_kind TEXT,
    error_text TEXT,
    error_signature TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    last_pulse_at INTEGER,
    ended_at INTEGER,
    UNIQUE (task_id, attempt_index)
) STRICT;
CREATE INDEX runs_live ON runs (status, id) WHERE status IN ('starting', 'running');
CREATE UNIQUE INDEX runs_mcp ON runs (mcp_token_hash) WHERE mcp_token_hash IS NOT NULL;
CREATE INDEX runs_wakeup ON runs (wakeup_id);
CREATE INDEX runs_agent ON runs (agent_id, id);

CREATE VIEW task_attempts AS
    SELECT id AS run_id, task_id, attempt_index, agent_id, status, outcome,
           error_kind, error_signature, started_at, ended_at
    FROM runs WHERE task_id IS NOT NULL;

CREATE TABLE agent_processes (
    run_id TEXT NOT NULL REFERENCES runs (id),
    pid INTEGER NOT NULL,
    boot_id TEXT NOT NULL,
    start_ticks INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('runner', 'agent')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (run_id, role)
) STRICT;

CREATE TABLE leases (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id) DEFERRABLE INITIALLY DEFERRED,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT;
CREATE INDEX leases_run ON leases (run_id);

CREATE TABLE proposals (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    run_id TEXT NOT NULL UNIQUE REFERENCES runs (id),
    base_commit TEXT NOT NULL,
    head_commit TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN (
        'pending', 'in_review', 'approved', 'merged', 'delivered',
        'revision_requested', 'rejected', 'superseded', 'conflicted'
    )),
    files TEXT NOT NULL DEFAULT '[]',
    held TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX proposals_task ON proposals (task_id, id);
CREATE INDEX proposals_status ON proposals (workspace_id, status, id);

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    branch TEXT NOT NULL,
    old_commit TEXT,
    new_commit TEXT,
    into_checkout INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('intended', 'delivered', 'held')),
    reason TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX deliveries_proposal ON deliveries (proposal_id, id);
CREATE UNIQUE INDEX deliveries_intended ON deliveries (proposal_id) WHERE status = 'intended';

CREATE TABLE inbox_items (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    kind TEXT NOT NULL CHECK (kind IN ('permission', 'agent.error')),
    severity TEXT NOT NULL CHECK (severity IN ('info', 'attention', 'critical')),
    key TEXT NOT NULL UNIQUE,
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'snoozed', 'resolved')),
    data TEXT NOT NULL DEFAULT '{}',
    resolution TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    resolved_at INTEGER,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX inbox_open ON inbox_items (workspace_id, status, id);
CREATE INDEX inbox_waiting ON inbox_items (id) WHERE status = 'open';
CREATE INDEX inbox_subject ON inbox_items (subject_type, subject_id);

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    workspace_id TEXT,
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX events_subject ON events (subject_type, subject_id, id);
CREATE INDEX events_workspace ON events (workspace_id, id);

CREATE TABLE settings (
    scope TEXT NOT NULL,
    scope_id TEXT NOT NULL DEFAULT '',
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    PRIMARY KEY (scope, scope_id, key)
) STRICT;

CREATE TABLE idempotency_keys (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (actor, key)
) STRICT;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE web_sessions (
    id_hash TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;

-- Routines: what recurs, what sets it off, and each time that it did (K-56).

CREATE TABLE office_routines (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    assignee_agent_id TEXT NOT NULL REFERENCES agents (id),
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'archived')),
    concurrency_policy TEXT NOT NULL CHECK (concurrency_policy IN (
        'coalesce_if_active', 'skip_if_active', 'always_enqueue'
    )),
    catch_up_policy TEXT NOT NULL CHECK (catch_up_policy IN (
        'enqueue_missed_with_cap', 'skip_missed'
    )),
    catch_up_max INTEGER NOT NULL DEFAULT 25,
    task_template TEXT NOT NULL DEFAULT '',
    variables TEXT NOT NULL DEFAULT '[]',
    priority INTEGER NOT NULL DEFAULT 0,
    probe TEXT NOT NULL DEFAULT 'none' CHECK (probe IN ('none', 'workspace_events')),
    last_started_at INTEGER,
    last_succeeded_at INTEGER,
    deleted_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX routines_workspace ON office_routines (workspace_id, id);
CREATE INDEX routines_assignee ON office_routines (assignee_agent_id);

-- next_run_at is NULL only where nothing is to fire by time: no schedule, not enabled, or a routine
-- that is not active.
CREATE TABLE office_routine_triggers (
    id TEXT PRIMARY KEY,
    routine_id TEXT NOT NULL REFERENCES office_routines (id),
    kind TEXT NOT NULL CHECK (kind IN ('schedule', 'manual')),
    cron_expression TEXT,
    timezone TEXT,
    next_run_at INTEGER,
    last_fired_at INTEGER,
    enabled INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX triggers_routine ON office_routine_triggers (routine_id);
CREATE INDEX triggers_due ON office_routine_triggers (next_run_at) WHERE next_run_at IS NOT NULL;

-- Never pruned. A trigger that is gone leaves its firings.
CREATE TABLE office_routine_runs (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    routine_id TEXT NOT NULL REFERENCES office_routines (id),
    trigger_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('cron', 'manual')),
    status TEXT NOT NULL CHECK (status IN (
        'received', 'task_created', 'done', 'skipped', 'coalesced', 'failed', 'cancelled'
    )),
    reason TEXT,
    trigger_payload TEXT NOT NULL DEFAULT '{}',
    missed TEXT,
    scheduled_at INTEGER NOT NULL,
    wakeup_id TEXT,
    run_id TEXT,
    linked_task_id TEXT,
    coalesced_into_run_id TEXT,
    dispatch_fingerprint TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    completed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX firings_instant ON office_routine_runs (trigger_id, scheduled_at);
CREATE INDEX firings_routine ON office_routine_runs (routine_id, id);
CREATE INDEX firings_ran ON office_routine_runs (routine_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX firings_wakeup ON office_routine_runs (wakeup_id) WHERE wakeup_id IS NOT NULL;
CREATE INDEX firings_task ON office_routine_runs (linked_task_id)
    WHERE linked_task_id IS NOT NULL;

ALTER TABLE agents ADD COLUMN skip_idle_wakeups INTEGER NOT NULL DEFAULT 1;
UPDATE agents SET skip_idle_wakeups = 0 WHERE role = 'coordinator';

ALTER TABLE tasks ADD COLUMN routine_id TEXT;
CREATE INDEX tasks_routine ON tasks (routine_id) WHERE routine_id IS NOT NULL;
-- What an agent has to do: one count decides whether a scheduled wake is worth a run (K-26).
CREATE INDEX tasks_actionable ON tasks (assignee_agent_id) WHERE status IN ('todo', 'in_progress');

-- What was merged into a wakeup, and whether a routine is at work.
CREATE INDEX wakeups_merged ON agent_wakeup_requests (coalesced_into)
    WHERE coalesced_into IS NOT NULL;
CREATE INDEX wakeups_scope ON agent_wakeup_requests (scope) WHERE status IN ('queued', 'claimed');

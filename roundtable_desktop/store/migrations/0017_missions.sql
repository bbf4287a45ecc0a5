-- Missions: a goal, its tasks, the waves that were planned for them (house, Missions).
CREATE TABLE missions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq INTEGER NOT NULL UNIQUE,
    slug TEXT NOT NULL,
    goal TEXT NOT NULL,
    base_branch TEXT NOT NULL,
    base_commit TEXT NOT NULL,
    integration_branch TEXT NOT NULL,
    root_task_id TEXT NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
    coordinator_agent_id TEXT REFERENCES agents (id),
    delivery TEXT NOT NULL CHECK (delivery IN ('approval', 'auto')),
    state TEXT NOT NULL CHECK (state IN (
        'starting', 'active', 'paused_intake', 'draining', 'stopping', 'degraded',
        'stopped', 'completed', 'blocked', 'failed'
    )),
    phase TEXT NOT NULL CHECK (phase IN (
        'IDLE', 'LOADING_GRAPH', 'PLANNING_WAVE', 'DISPATCHING', 'MONITORING',
        'COLLECTING_RESULTS', 'MERGING', 'REVIEWING_WAVE', 'REPAIRING_OR_CONTINUING',
        'COMPLETED', 'BLOCKED', 'CANCELLED'
    )),
    outcome TEXT CHECK (outcome IN ('completed', 'completed_with_failures', 'failed')),
    reason TEXT,
    report TEXT,
    last_exit TEXT,
    error TEXT,
    consecutive_errors INTEGER NOT NULL DEFAULT 0,
    seen_event INTEGER NOT NULL DEFAULT 0,
    look_at INTEGER,
    started_at INTEGER NOT NULL,
    opened_at INTEGER,
    ended_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, slug)
) STRICT;
CREATE INDEX missions_workspace ON missions (workspace_id, seq);
CREATE INDEX missions_alive ON missions (state)
    WHERE state NOT IN ('stopped', 'completed', 'blocked', 'failed');

-- A wave as it was planned, with its reasons; never changed but for its end (A-18).
CREATE TABLE waves (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    number INTEGER NOT NULL,
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    UNIQUE (mission_id, number)
) STRICT;

-- What a wave set off: the wakeup by which a task of it is woken (C-34, C-96).
CREATE TABLE wave_tasks (
    wave_id TEXT NOT NULL REFERENCES waves (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    wakeup_id TEXT NOT NULL,
    PRIMARY KEY (wave_id, task_id)
) STRICT;
CREATE INDEX wave_tasks_task ON wave_tasks (task_id);

ALTER TABLE tasks ADD COLUMN mission_id TEXT
    REFERENCES missions (id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE tasks ADD COLUMN write_area TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tasks ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN optional INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN model_policy TEXT;
ALTER TABLE tasks ADD COLUMN purpose TEXT NOT NULL DEFAULT 'work'
    CHECK (purpose IN ('work', 'repair', 'verify', 'debug'));
ALTER TABLE tasks ADD COLUMN about_task_id TEXT REFERENCES tasks (id);
CREATE INDEX tasks_mission ON tasks (mission_id, status) WHERE mission_id IS NOT NULL;

-- Models that an agent may fall back to, the first first; none is chosen in silence.
ALTER TABLE agents ADD COLUMN fallback_models TEXT NOT NULL DEFAULT '[]';

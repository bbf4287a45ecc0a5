-- What a task waits for, what waits for a person's word, and items of every kind of the inbox.

CREATE TABLE task_dependencies (
    task_id TEXT NOT NULL REFERENCES tasks (id),
    depends_on_task_id TEXT NOT NULL REFERENCES tasks (id),
    dependency_type TEXT NOT NULL CHECK (
        dependency_type IN ('hard', 'soft', 'conflict', 'serialization')
    ),
    reason TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL CHECK (source IN ('architecture', 'scheduler', 'worker', 'user', 'system')),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, depends_on_task_id)
) STRICT;
CREATE INDEX task_dependencies_back ON task_dependencies (depends_on_task_id);

CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    run_id TEXT,
    agent_id TEXT REFERENCES agents (id),
    text TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL CHECK (status IN ('requested', 'approved', 'rejected', 'withdrawn')),
    decision_note TEXT,
    decided_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX approvals_task ON approvals (task_id, status);

ALTER TABLE tasks ADD COLUMN requires_approval INTEGER NOT NULL DEFAULT 0;

CREATE TABLE inbox_items_new (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    kind TEXT NOT NULL CHECK (kind IN (
        'permission', 'approval', 'proposal', 'delivery_blocked', 'agent.error', 'blocked',
        'blocker_lost', 'config_changed', 'budget', 'doctor'
    )),
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
INSERT INTO inbox_items_new SELECT * FROM inbox_items;
DROP TABLE inbox_items;
ALTER TABLE inbox_items_new RENAME TO inbox_items;
CREATE INDEX inbox_open ON inbox_items (workspace_id, status, id);
CREATE INDEX inbox_waiting ON inbox_items (id) WHERE status = 'open';
CREATE INDEX inbox_subject ON inbox_items (subject_type, subject_id);

-- Turns that agents ask for: one at a time in a mission, or in a workspace outside of missions
-- (R-16, W-12). scope: the mission's id, or the workspace's.
CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT REFERENCES missions (id),
    scope TEXT NOT NULL,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT REFERENCES tasks (id),
    asked_in TEXT NOT NULL REFERENCES runs (id),
    request_event INTEGER NOT NULL UNIQUE,
    reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN (
        'requested', 'scheduled', 'started', 'completed', 'lapsed'
    )),
    outcome TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    misses INTEGER NOT NULL DEFAULT 0,
    wakeup_id TEXT,
    run_id TEXT REFERENCES runs (id),
    scheduled_at INTEGER,
    started_at INTEGER,
    overdue_at INTEGER,
    ended_at INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_open ON turns (scope, request_event)
    WHERE status IN ('requested', 'scheduled', 'started');
CREATE INDEX turns_agent ON turns (agent_id, created_at);
-- At most one that was given and is not over, whoever gives it.
CREATE UNIQUE INDEX turns_given ON turns (scope) WHERE status IN ('scheduled', 'started');

-- What agents wrote down for those who work in the same workspace later; a person may forget it.
CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    task_id TEXT REFERENCES tasks (id),
    topic TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX memories_workspace ON memories (workspace_id, id);

-- Files that agents named in their reports, as they were at the end of their runs (A-25). fault: why
-- one was not kept; the files themselves lie in the folders of the runs, by their numbers.
CREATE TABLE artifacts (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER,
    sha256 TEXT,
    fault TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (run_id, number)
) STRICT;

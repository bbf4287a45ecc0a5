-- What a mission wants in has no run of its own: a proposal of its root task, made when it is over.
CREATE TABLE proposals_new (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    run_id TEXT UNIQUE REFERENCES runs (id),
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
INSERT INTO proposals_new SELECT * FROM proposals;
DROP TABLE proposals;
ALTER TABLE proposals_new RENAME TO proposals;
CREATE INDEX proposals_task ON proposals (task_id, id);
CREATE INDEX proposals_status ON proposals (workspace_id, status, id);

-- That a mission which is completed offers its work to its base branch: written before git is asked
-- what there is of it (law 3).
CREATE TABLE mission_offers (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    status TEXT NOT NULL CHECK (status IN ('intended', 'made', 'nothing')),
    proposal_id TEXT REFERENCES proposals (id),
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX mission_offers_intended ON mission_offers (mission_id)
    WHERE status = 'intended';
CREATE INDEX mission_offers_mission ON mission_offers (mission_id, id);

-- What was decided about an attempt of a mission's task that failed, and why (A-27, A-30, A-31).
CREATE TABLE retry_decisions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    run_id TEXT REFERENCES runs (id),
    proposal_id TEXT REFERENCES proposals (id),
    attempt INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN (
        'retry', 'retry_serial', 'debug', 'skip', 'block', 'cancel'
    )),
    change TEXT CHECK (change IN (
        'context', 'model', 'commands', 'serialization', 'debugger'
    )),
    reason TEXT NOT NULL,
    cost INTEGER NOT NULL,
    model TEXT,
    helper_task_id TEXT REFERENCES tasks (id),
    evidence TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX retry_decisions_task ON retry_decisions (task_id, id);

-- What the engine itself tells the agent of a task stands among what people and agents said.
CREATE TABLE comments_new (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id),
    author_type TEXT NOT NULL CHECK (author_type IN ('person', 'agent', 'system')),
    author_id TEXT NOT NULL,
    run_id TEXT,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO comments_new SELECT * FROM comments;
DROP TABLE comments;
ALTER TABLE comments_new RENAME TO comments;
CREATE INDEX comments_task ON comments (task_id, id);

-- The workspace's checks of what a mission offers, or has merged so far: each a run of its command
-- on that commit.
CREATE TABLE checks (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    proposal_id TEXT REFERENCES proposals (id),
    commit_hash TEXT NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('asked', 'passed', 'failed', 'missing')),
    wakeup_id TEXT NOT NULL REFERENCES agent_wakeup_requests (id),
    run_id TEXT REFERENCES runs (id),
    exit_code INTEGER,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX checks_proposal ON checks (proposal_id, id);
CREATE INDEX checks_mission ON checks (mission_id, id);

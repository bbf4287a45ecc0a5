-- By what a review gate is judged, besides the agents that are named and their number.
ALTER TABLE gates ADD COLUMN policy TEXT NOT NULL DEFAULT '{}';

-- The commits that a gate's reviewers look at where there is no proposal: a merged branch (A-15).
ALTER TABLE gates ADD COLUMN snapshot TEXT;

-- Reviews of what was merged into a mission's branch (A-28): one row each, also where nobody was
-- there to look. task_id: the task that carries its gate.
CREATE TABLE mission_reviews (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    number INTEGER NOT NULL,
    task_id TEXT REFERENCES tasks (id),
    base_commit TEXT NOT NULL,
    head_commit TEXT NOT NULL,
    reasons TEXT NOT NULL DEFAULT '[]',
    merged TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL CHECK (status IN (
        'asked', 'approved', 'repaired', 'verified', 'assessed', 'blocked', 'waived', 'skipped'
    )),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (mission_id, number)
) STRICT;
CREATE UNIQUE INDEX mission_reviews_task ON mission_reviews (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX mission_reviews_open ON mission_reviews (mission_id) WHERE status IN ('asked', 'blocked');

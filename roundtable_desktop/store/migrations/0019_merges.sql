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

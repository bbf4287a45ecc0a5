-- What must be passed before a task is done (C-26), and by what its work is judged (C-79).
ALTER TABLE tasks ADD COLUMN acceptance TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN expected_files TEXT NOT NULL DEFAULT '[]';

CREATE TABLE gates (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    place INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('review', 'approval')),
    agents TEXT NOT NULL DEFAULT '[]',
    needed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'asked', 'passed', 'returned', 'dropped')),
    round INTEGER NOT NULL DEFAULT 0,
    returns INTEGER NOT NULL DEFAULT 0,
    stuck TEXT,
    proposal_id TEXT REFERENCES proposals (id),
    approval_id TEXT REFERENCES approvals (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX gates_task ON gates (task_id, place);
CREATE INDEX gates_approval ON gates (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX gates_asked ON gates (task_id) WHERE status = 'asked';

-- One reviewer's word, of one round of a gate, about one commit (B-111).
CREATE TABLE verdicts (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    task_id TEXT NOT NULL REFERENCES tasks (id),
    gate_id TEXT NOT NULL REFERENCES gates (id),
    round INTEGER NOT NULL,
    proposal_id TEXT REFERENCES proposals (id),
    author_type TEXT NOT NULL CHECK (author_type IN ('agent', 'person')),
    author_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('asked', 'given', 'missing', 'withdrawn')),
    word TEXT CHECK (
        word IN ('approve', 'approve_with_notes', 'revise', 'reject', 'abstain', 'veto')
    ),
    note TEXT NOT NULL DEFAULT '',
    findings TEXT NOT NULL DEFAULT '[]',
    why TEXT,
    times INTEGER NOT NULL DEFAULT 1,
    wakeup_id TEXT REFERENCES agent_wakeup_requests (id),
    run_id TEXT REFERENCES runs (id),
    decided_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (gate_id, round, author_type, author_id)
) STRICT;
CREATE INDEX verdicts_task ON verdicts (task_id, id);
CREATE INDEX verdicts_proposal ON verdicts (proposal_id, id) WHERE proposal_id IS NOT NULL;
CREATE INDEX verdicts_run ON verdicts (run_id) WHERE run_id IS NOT NULL;
-- What the scheduler looks at: who was asked and has not answered.
CREATE INDEX verdicts_asked ON verdicts (wakeup_id) WHERE status = 'asked';

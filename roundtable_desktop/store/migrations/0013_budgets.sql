-- What was used and what it cost, one row for each reply or turn that an agent gave figures of; what
-- it may cost; what a budget holds back; and what providers said of their own windows.

-- NULL is "not said", never 0. cost_nano: 1e-9 US dollars. cost_source NULL: nobody knows the cost;
-- 'provider' without a cost: it is part of a sum that another row of the run has.
-- reply: names what the figures are of, so that a later line about it takes the place of the first.
-- sums: what a thread had used in all by then, for agents that tell only that.
CREATE TABLE usage_entries (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    task_id TEXT,
    project TEXT,
    routine_id TEXT,
    model TEXT,
    reply TEXT NOT NULL,
    thread TEXT,
    sums TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cached_tokens INTEGER,
    cost_nano INTEGER,
    cost_source TEXT CHECK (cost_source IN ('provider', 'price_table', 'included')),
    raw TEXT NOT NULL DEFAULT '{}',
    UNIQUE (agent_id, reply)
) STRICT;
CREATE INDEX usage_run ON usage_entries (run_id, id);
CREATE INDEX usage_workspace ON usage_entries (workspace_id, at);
CREATE INDEX usage_agent ON usage_entries (agent_id, at);
CREATE INDEX usage_thread ON usage_entries (agent_id, thread, id) WHERE thread IS NOT NULL;

CREATE INDEX runs_made ON runs (workspace_id, created_at);

-- Who pays a flat rate pays nothing for a run.
ALTER TABLE agents ADD COLUMN flat_rate INTEGER NOT NULL DEFAULT 0;

-- What earlier versions kept of each run, and the runs of which nothing is known. A row that
-- somebody damaged is one of those.
INSERT INTO usage_entries (
    at, workspace_id, agent_id, run_id, task_id, project, routine_id, model, reply,
    input_tokens, output_tokens, cached_tokens, cost_nano, cost_source, raw
)
SELECT coalesce(r.ended_at, r.started_at), r.workspace_id, r.agent_id, r.id, r.task_id, t.project,
    coalesce(json_extract(r.said, '$.routine_id'), t.routine_id), r.model, r.id || ':before',
    CASE json_type(r.told, '$.input_tokens') WHEN 'integer'
        THEN json_extract(r.told, '$.input_tokens') END,
    CASE json_type(r.told, '$.output_tokens') WHEN 'integer'
        THEN json_extract(r.told, '$.output_tokens') END,
    CASE json_type(r.told, '$.cached_tokens') WHEN 'integer'
        THEN json_extract(r.told, '$.cached_tokens') END,
    CASE WHEN json_type(r.told, '$.cost_usd') IN ('integer', 'real')
        THEN CAST(round(json_extract(r.told, '$.cost_usd') * 1000000000) AS INTEGER) END,
    CASE
        WHEN a.adapter = 'demo' THEN 'included'
        WHEN json_type(r.told, '$.cost_usd') IN ('integer', 'real') THEN 'provider'
    END,
    json_object('turns', json(
        CASE json_type(r.told, '$.raw') WHEN 'array' THEN json_extract(r.told, '$.raw') ELSE '[]' END
    ))
FROM (
    SELECT *, CASE WHEN json_valid(usage) THEN usage ELSE '{}' END AS told,
        CASE WHEN json_valid(payload) THEN payload ELSE '{}' END AS said
    FROM runs WHERE started_at IS NOT NULL AND (usage IS NOT NULL OR ended_at IS NOT NULL)
) AS r JOIN agents AS a ON a.id = r.agent_id LEFT JOIN tasks AS t ON t.id = r.task_id;
UPDATE usage_entries SET cost_nano = NULL WHERE cost_source = 'included';

-- A provider's own windows, by who pays, as its agents told of them last. used_permille NULL: not
-- said; resets_at NULL: not said.
CREATE TABLE quota_windows (
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    used_permille INTEGER,
    resets_at INTEGER,
    seen_at INTEGER NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    PRIMARY KEY (account, name)
) STRICT;

-- most: billionths of a dollar, tokens, runs, or thousandths of a provider's window.
CREATE TABLE budgets (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    scope TEXT NOT NULL CHECK (scope IN ('workspace', 'project', 'agent')),
    scope_id TEXT NOT NULL DEFAULT '',
    meter TEXT NOT NULL CHECK (meter IN ('money', 'tokens', 'runs', 'quota')),
    period TEXT NOT NULL CHECK (period IN ('day', 'month', 'rolling', 'total', 'window')),
    hours INTEGER,
    most INTEGER NOT NULL CHECK (most >= 0),
    action_on_exceed TEXT NOT NULL CHECK (
        action_on_exceed IN ('notify_only', 'pause_agent', 'block_new_tasks')
    ),
    enabled INTEGER NOT NULL DEFAULT 1,
    extra INTEGER NOT NULL DEFAULT 0,
    extra_until_at INTEGER,
    waived_until_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX budgets_workspace ON budgets (workspace_id, id);

-- What a budget keeps from running: it comes back when that is over (C-81).
CREATE TABLE budget_blocks (
    wakeup_id TEXT PRIMARY KEY REFERENCES agent_wakeup_requests (id),
    budget_id TEXT NOT NULL REFERENCES budgets (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    since_at INTEGER NOT NULL
) STRICT;
CREATE INDEX budget_blocks_budget ON budget_blocks (budget_id);
CREATE INDEX budget_blocks_agent ON budget_blocks (agent_id);

CREATE TABLE budget_pauses (
    agent_id TEXT PRIMARY KEY REFERENCES agents (id),
    budget_id TEXT NOT NULL REFERENCES budgets (id),
    since_at INTEGER NOT NULL
) STRICT;
CREATE INDEX budget_pauses_budget ON budget_pauses (budget_id);

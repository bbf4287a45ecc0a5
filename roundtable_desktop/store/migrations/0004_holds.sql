-- Who pays: agents with the same account wait together for its limits (C-37). What was there
-- before gets what `rules/accounts` would give it now.
ALTER TABLE agents ADD COLUMN account TEXT NOT NULL DEFAULT '';
CREATE TEMP TABLE told AS
    SELECT id, adapter, first AS program, whole FROM (
        SELECT a.id, a.adapter,
            replace(c.first, rtrim(c.first, replace(c.first, '/', '')), '') AS first,
            replace(c.whole, char(10), ' ') AS whole
        FROM agents AS a JOIN (
            SELECT id, coalesce(json_extract(command, '$[0]'), '') AS first,
                coalesce((SELECT group_concat(value, ' ') FROM json_each(command)), '') AS whole
            FROM agents
        ) AS c ON c.id = a.id
    );
UPDATE agents SET account = (
    SELECT CASE
        WHEN adapter = 'demo' THEN 'demo-' || substr(agents.id, -8)
        WHEN program <> '' AND program NOT IN (
            'sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'env', 'sudo', 'nice', 'nohup', 'timeout',
            'npx', 'npm', 'pnpm', 'yarn', 'bun', 'bunx', 'node', 'deno', 'uv', 'uvx', 'pipx',
            'ruby', 'perl', 'php', 'java', 'docker', 'podman'
        ) AND NOT (program GLOB 'python*' AND program NOT GLOB 'python*[^0-9.]*')
            THEN substr(program, 1, 200)
        WHEN length(whole) <= 200 THEN whole
        ELSE substr(whole, 1, 120) || '…' || substr(whole, -79)
    END FROM told WHERE told.id = agents.id
);
DROP TABLE told;
CREATE INDEX agents_account ON agents (account);

-- A limit holds its account, or the agent whose model it names; '' is every agent (C-37).
CREATE TABLE provider_holds (
    account TEXT NOT NULL,
    agent_id TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('held', 'spread')),
    until_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    model TEXT,
    told TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    run_id TEXT NOT NULL REFERENCES runs (id),
    trial_id TEXT,
    trial_until_at INTEGER,
    since_at INTEGER NOT NULL,
    PRIMARY KEY (account, agent_id)
) STRICT;

-- What a person asked for does not wait for the rest of its agent (C-53).
CREATE INDEX wakeups_persons ON agent_wakeup_requests (agent_id, rank, requested_at, id)
    WHERE status = 'queued' AND scheduled_retry_at IS NULL AND source = 'user';

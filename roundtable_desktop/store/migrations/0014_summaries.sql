-- What an agent is told of a routine's turns before (K-56): one current row for each, no history.
-- scope is `routine:<id>`; content is Markdown of at most 8 KB.
CREATE TABLE agent_continuation_summaries (
    agent_id TEXT NOT NULL REFERENCES agents (id),
    scope TEXT NOT NULL,
    content TEXT NOT NULL DEFAULT '',
    content_tokens INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL,
    updated_by_run_id TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, scope)
) STRICT;
